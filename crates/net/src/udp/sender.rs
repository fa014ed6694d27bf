//! Sockets that send to a group.

use super::batch::{self, BATCH};
use super::pace::weight;
use super::{Options, Pacer, diagnose, socket};
use crate::{Error, Result};
use saltus_os::clock;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// Most tries of a call for a long message while the kernel's buffer is full, each after at most 1 ms.
const TRIES: u32 = 100;

/// A socket that sends to one group, from one port. It can send to other ports of the group's address too.
pub struct Sender {
    fd: OwnedFd,
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
        let set = |level, name, value: i32| socket::set(&fd, level, name, value);
        let refused =
            |what: &str, e| Error::socket(format!("cannot {what} of a sender"), "check the options", e);
        if let Some(bytes) = options.send_buf {
            let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
            set(libc::SOL_SOCKET, libc::SO_SNDBUF, bytes).map_err(|e| refused("set the send buffer", e))?;
        }
        if options.group.ip().is_multicast() {
            set(libc::IPPROTO_IP, libc::IP_MULTICAST_TTL, options.ttl.into())
                .map_err(|e| refused("set the TTL", e))?;
            set(libc::IPPROTO_IP, libc::IP_MULTICAST_LOOP, 1).map_err(|e| refused("set the loop", e))?;
            if let Some(iface) = &options.iface {
                let member = socket::membership(*options.group.ip(), Some(iface))?;
                socket::set(&fd, libc::IPPROTO_IP, libc::IP_MULTICAST_IF, member)
                    .map_err(|_| socket::no_interface(iface))?;
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
        let to = socket::to_kernel(SocketAddrV4::new(*self.group.ip(), port));
        let mut pieces = [batch::piece(header), batch::piece(payload)];
        let message = batch::outgoing(&to, &mut pieces);
        loop {
            // SAFETY: the message, its pieces and its address stay alive across the call; the kernel only reads
            // them.
            let sent = unsafe { libc::sendmsg(self.fd.as_raw_fd(), &message, libc::MSG_DONTWAIT) };
            if sent >= 0 {
                return Ok(());
            }
            match self.failure(io::Error::last_os_error()) {
                Some(why) => return Err(why),
                None => continue,
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
        let to = socket::to_kernel(SocketAddrV4::new(*self.group.ip(), port));
        let mut pieces = [[batch::piece(&[]); 2]; BATCH];
        let full = burst.iter().flatten();
        for (into, (header, range)) in pieces.iter_mut().zip(full) {
            *into = [batch::piece(header.as_ref()), batch::piece(&payload[range.clone()])];
        }
        let mut messages =
            pieces.each_mut().map(|p| libc::mmsghdr { msg_hdr: batch::outgoing(&to, p), msg_len: 0 });
        let (mut sent, mut tries) = (0, 0);
        while sent < burst.len() {
            let left = &mut messages[sent..burst.len()];
            let count = left.len() as libc::c_uint;
            // SAFETY: the messages, their pieces and their address stay alive across the call; the kernel reads
            // them and writes only their `msg_len`.
            let done =
                unsafe { libc::sendmmsg(self.fd.as_raw_fd(), left.as_mut_ptr(), count, libc::MSG_DONTWAIT) };
            if done >= 0 {
                sent += done as usize;
                tries = 0;
                continue;
            }
            match self.failure(io::Error::last_os_error()) {
                Some(Error::Full) if tries < TRIES => {
                    tries += 1;
                    self.wait();
                }
                Some(why) => return (sent, Err(why)),
                None => {}
            }
        }
        (sent, Ok(()))
    }

    /// Waits until the kernel accepts more, at most 1 ms.
    fn wait(&self) {
        let mut poll = libc::pollfd { fd: self.fd.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
        // SAFETY: one descriptor that stays alive across the call.
        unsafe { libc::poll(&mut poll, 1, 1) };
    }

    /// The meaning of a failed call; `None`: try again.
    fn failure(&self, source: io::Error) -> Option<Error> {
        match source.raw_os_error() {
            Some(libc::EINTR) => None,
            // Caused by an earlier datagram: nothing listens on that port of the other machine. This one was not
            // sent.
            Some(libc::ECONNREFUSED) => None,
            Some(libc::EAGAIN | libc::ENOBUFS) => Some(Error::Full),
            _ => {
                let remedy = diagnose::sending(self.group, &source);
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
