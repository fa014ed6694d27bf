//! Datagrams: Unix datagram sockets and UDP over the loopback, one for each reader.

use crate::case::Mode;
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::error::{Fallible, check};
use std::net::UdpSocket;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixDatagram;

/// See the module.
pub struct Datagram {
    /// UDP instead of a Unix socket.
    pub udp: bool,
}

struct Pairs {
    pairs: Vec<(OwnedFd, OwnedFd)>,
    polled: bool,
    udp: bool,
}

impl Contender for Datagram {
    fn name(&self) -> &'static str {
        if self.udp { "udp" } else { "unix-dgram" }
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        // The longest UDP payload, and the longest datagram that fits the default send buffer of a Unix socket.
        ask.queue(if self.udp { 65_507 } else { 128 << 10 })
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        let pair = || -> Fallible<(OwnedFd, OwnedFd)> {
            if !self.udp {
                let (a, b) = UnixDatagram::pair()?;
                return Ok((a.into(), b.into()));
            }
            let (a, b) = (UdpSocket::bind(("127.0.0.1", 0))?, UdpSocket::bind(("127.0.0.1", 0))?);
            a.connect(b.local_addr()?)?;
            b.connect(a.local_addr()?)?;
            let size: libc::c_int = 4 << 20;
            // SAFETY: reads one integer; the kernel cuts it to what it allows.
            check("setsockopt(SO_RCVBUF)", unsafe {
                libc::setsockopt(
                    b.as_raw_fd(),
                    libc::SOL_SOCKET,
                    libc::SO_RCVBUF,
                    std::ptr::from_ref(&size).cast(),
                    size_of_val(&size) as _,
                )
            })?;
            Ok((a.into(), b.into()))
        };
        let pairs = (0..ask.readers).map(|_| pair()).collect::<Fallible<_>>()?;
        Ok(Box::new(Pairs { pairs, polled: ask.mode == Mode::Poll, udp: self.udp }))
    }
}

impl Link for Pairs {
    fn sender(&self, _index: usize) -> Fallible<Box<dyn Sender>> {
        let sockets = self.pairs.iter().map(|p| p.0.try_clone()).collect::<Result<_, _>>()?;
        Ok(Box::new(In { sockets, udp: self.udp }))
    }

    fn receiver(&self, index: usize) -> Fallible<Box<dyn Receiver>> {
        let flags = if self.polled { libc::MSG_DONTWAIT } else { 0 };
        Ok(Box::new(Out { socket: self.pairs[index].1.try_clone()?, flags }))
    }
}

struct In {
    sockets: Vec<OwnedFd>,
    udp: bool,
}

impl Sender for In {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        for socket in &self.sockets {
            // SAFETY: the message lives through the call.
            check("send", unsafe {
                libc::send(socket.as_raw_fd(), message.as_ptr().cast(), message.len(), libc::MSG_NOSIGNAL)
            })?;
        }
        Ok(())
    }

    fn keeps_all(&self) -> bool {
        !self.udp
    }
}

struct Out {
    socket: OwnedFd,
    flags: libc::c_int,
}

impl Receiver for Out {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        // SAFETY: the buffer lives through the call and is as long as said.
        let got = unsafe {
            libc::recv(self.socket.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len(), self.flags)
        };
        let error = std::io::Error::last_os_error();
        match got {
            0.. => Ok(true),
            _ if error.kind() == std::io::ErrorKind::WouldBlock => Ok(false),
            _ => Err(format!("recv: {error}").into()),
        }
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        self.poll(buffer)
    }
}
