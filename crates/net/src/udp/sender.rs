//! Sockets that send to a group.

use super::pace::weight;
use super::{BATCH, Options, Pacer};
use crate::system::{self, remedy, socket};
use crate::{Error, Result};
use saltus_os::fd::{AsFd, BorrowedFd};
use saltus_os::{clock, poll};
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::ops::Range;
use std::time::Duration;

/// Most tries of a call for a long message while the kernel's buffer is full, each after at most 1 ms.
const TRIES: u32 = 100;

/// A socket that sends to one group, from one port. It can send to other ports of the group's address too.
pub struct Sender {
    fd: socket::Socket,
    group: SocketAddrV4,
    port: u16,
}

impl Sender {
    /// Opens it. Multicast is looped back to this host, as in LCM. Makes system calls, does not wait.
    ///
    /// # Errors
    /// An error of the kernel, with a remedy.
    pub fn open(options: &Options) -> Result<Sender> {
        let fd = socket::open()?;
        let refused =
            |what: &str, e| Error::socket(format!("cannot {what} of a sender"), "check the options", e);
        if let Some(bytes) = options.send_buf {
            let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
            socket::set_send_buffer(&fd, bytes).map_err(|e| refused("set the send buffer", e))?;
        }
        if options.group.ip().is_multicast() {
            socket::set_ttl(&fd, options.ttl).map_err(|e| refused("set the TTL", e))?;
            socket::set_loop(&fd).map_err(|e| refused("set the loop", e))?;
            if let Some(iface) = &options.iface {
                socket::send_through(&fd, *options.group.ip(), iface)?;
            }
        }
        let any = SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0);
        socket::bind(&fd, any).map_err(|e| refused("bind the port", e))?;
        let port = socket::local(&fd).map_err(|e| refused("learn the port", e))?.port();
        Ok(Sender { fd, group: options.group, port })
    }

    /// Sends one datagram, made of two pieces, to `port` of the group. One system call. Never waits, does not
    /// allocate.
    ///
    /// # Errors
    /// [`Error::Full`] if the kernel's buffer is full, or the kernel's error.
    pub fn send(&self, port: u16, header: &[u8], payload: &[u8]) -> Result<()> {
        let to = SocketAddrV4::new(*self.group.ip(), port);
        loop {
            match system::send(&self.fd, to, header, payload) {
                Ok(()) => return Ok(()),
                Err(e) => match self.failure(e) {
                    Some(why) => return Err(why),
                    None => continue,
                },
            }
        }
    }

    /// Sends the datagrams of a message to `port` of the group: headers, each with the range of `payload` that
    /// follows. Sends many per system call, and sleeps as `pacer` requires. If the kernel's buffer is full it
    /// waits, at most 100 ms for each call. Does not allocate. Returns the number of datagrams sent, and what ended
    /// it.
    ///
    /// # Panics
    /// If a range reaches beyond `payload`.
    pub fn send_all<H: AsRef<[u8]>>(
        &self,
        port: u16,
        datagrams: impl Iterator<Item = (H, Range<usize>)>,
        payload: &[u8],
        pacer: &mut Pacer,
    ) -> (usize, Result<()>) {
        let mut datagrams = datagrams.peekable();
        let mut sent = 0;
        loop {
            let mut burst: [Option<(H, Range<usize>)>; BATCH] = [const { None }; BATCH];
            let (mut count, mut heavy) = (0, 0);
            while count < BATCH
                && let Some(next) =
                    datagrams.next_if(|next| count == 0 || heavy + weight_of(next) <= pacer.burst())
            {
                heavy += weight_of(&next);
                burst[count] = Some(next);
                count += 1;
            }
            if count == 0 {
                return (sent, Ok(()));
            }
            let wait = pacer.take(clock::monotonic(), heavy);
            if wait > 0 {
                std::thread::sleep(Duration::from_nanos(wait));
            }
            let (done, result) = self.send_burst(port, &burst[..count], payload);
            sent += done;
            if result.is_err() {
                return (sent, result);
            }
        }
    }

    /// Sends the messages in `burst`, all of which are `Some`.
    fn send_burst<H: AsRef<[u8]>>(
        &self,
        port: u16,
        burst: &[Option<(H, Range<usize>)>],
        payload: &[u8],
    ) -> (usize, Result<()>) {
        let to = SocketAddrV4::new(*self.group.ip(), port);
        let (mut tries, mut before) = (0, 0);
        system::send_burst(&self.fd, to, burst, payload, |e, sent| {
            if sent > before {
                (tries, before) = (0, sent);
            }
            match self.failure(e) {
                Some(Error::Full) if tries < TRIES => {
                    tries += 1;
                    self.wait();
                    Ok(())
                }
                Some(why) => Err(why),
                None => Ok(()),
            }
        })
    }

    /// Waits until the kernel accepts more, at most 1 ms.
    fn wait(&self) {
        let mut one = [poll::entry(Some(self.fd.as_fd()), poll::WRITE)];
        let _ = poll::wait(&mut one, Some(Duration::from_millis(1))); // a signal ends it early
    }

    /// The meaning of a failed call; `None`: try again.
    fn failure(&self, source: io::Error) -> Option<Error> {
        match source.kind() {
            ErrorKind::Interrupted => None,
            // Caused by an earlier datagram: nothing listens on that port of the other machine. This one was not
            // sent.
            ErrorKind::ConnectionRefused => None,
            _ if socket::is_full(&source) => Some(Error::Full),
            _ => {
                let remedy = remedy::sending(self.group, &source);
                Some(Error::socket(format!("cannot send to {}", self.group), remedy, source))
            }
        }
    }

    /// The group it sends to.
    pub fn group(&self) -> SocketAddrV4 {
        self.group
    }
    /// Its source port.
    pub fn port(&self) -> u16 {
        self.port
    }
}

fn weight_of<H: AsRef<[u8]>>((header, piece): &(H, Range<usize>)) -> u64 {
    weight(header.as_ref().len() + piece.len())
}

impl AsFd for Sender {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
