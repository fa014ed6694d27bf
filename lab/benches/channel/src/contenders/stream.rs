//! Byte streams through the kernel: Unix stream sockets and TCP over the loopback, one for each reader.
//!
//! All messages of a run have one size, so no framing is needed.

use super::pipe::{Bytes, Many};
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::error::Fallible;
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

/// See the module.
pub struct Stream {
    /// TCP instead of a Unix socket.
    pub tcp: bool,
}

struct StreamLink {
    pairs: Vec<(OwnedFd, OwnedFd)>,
    ask: Ask,
}

impl Contender for Stream {
    fn name(&self) -> &'static str {
        if self.tcp { "tcp" } else { "unix-stream" }
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        ask.queue(usize::MAX)
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        let pair = || -> Fallible<(OwnedFd, OwnedFd)> {
            if !self.tcp {
                let (a, b) = UnixStream::pair()?;
                return Ok((a.into(), b.into()));
            }
            let listener = TcpListener::bind(("127.0.0.1", 0))?;
            let sender = TcpStream::connect(listener.local_addr()?)?;
            sender.set_nodelay(true)?;
            Ok((sender.into(), listener.accept()?.0.into()))
        };
        let pairs = (0..ask.readers).map(|_| pair()).collect::<Fallible<_>>()?;
        Ok(Box::new(StreamLink { pairs, ask: ask.clone() }))
    }
}

impl Link for StreamLink {
    fn sender(&self, _index: usize) -> Fallible<Box<dyn Sender>> {
        Ok(Box::new(Many::new(self.pairs.iter().map(|p| &p.0))?))
    }

    fn receiver(&self, index: usize) -> Fallible<Box<dyn Receiver>> {
        Ok(Box::new(Bytes::new(&self.pairs[index].1, &self.ask)?))
    }
}
