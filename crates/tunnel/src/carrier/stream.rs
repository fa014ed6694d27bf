//! Datagrams over TCP, for comparison, each after its length in two bytes. Uses the newest connection of one peer
//! at a time.

use crate::{Error, Result};
use saltus_os::fd::{AsFd, BorrowedFd};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// How long a connection may be without a genuine datagram, and the interval between connection attempts.
const PATIENCE: u64 = 5_000_000_000;
const AGAIN: u64 = 1_000_000_000;
/// Longest time to connect. It blocks the whole end, which cannot do anything else without a connection.
const CONNECTING: Duration = Duration::from_secs(2);
/// Most bytes queued for writing before a send reports that the buffer is full.
const WAITING: usize = 1 << 16;

enum Side {
    Listen(TcpListener),
    Connect(SocketAddr),
}

pub(crate) struct Stream {
    side: Side,
    peer: Option<(TcpStream, SocketAddr)>,
    /// Bytes read of an incomplete datagram, and bytes to write.
    input: Vec<u8>,
    output: Vec<u8>,
    /// When the peer was last known to be genuine, or the last connection attempt.
    since: u64,
}

impl Stream {
    pub fn listen(at: SocketAddr) -> Result<Stream> {
        let failed = |e| Error::system(format!("cannot listen at {at} by TCP"), e);
        let listener = TcpListener::bind(at).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        Ok(Stream::new(Side::Listen(listener)))
    }
    pub fn connect(to: SocketAddr) -> Stream {
        Stream::new(Side::Connect(to))
    }
    fn new(side: Side) -> Stream {
        Stream { side, peer: None, input: Vec::new(), output: Vec::new(), since: 0 }
    }

    pub fn local(&self) -> io::Result<SocketAddr> {
        match (&self.side, &self.peer) {
            (Side::Listen(listener), _) => listener.local_addr(),
            (Side::Connect(_), Some((stream, _))) => stream.local_addr(),
            (Side::Connect(_), None) => Err(ErrorKind::NotConnected.into()),
        }
    }

    /// The descriptor to wait for, if there is one.
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        match (&self.peer, &self.side) {
            (Some((stream, _)), _) => Some(stream.as_fd()),
            (None, Side::Listen(listener)) => Some(listener.as_fd()),
            (None, Side::Connect(_)) => None,
        }
    }

    /// Finds a peer, if there is none.
    fn join(&mut self, now: u64) {
        if self.peer.is_some() {
            return;
        }
        let joined = match &self.side {
            Side::Listen(listener) => listener.accept(),
            Side::Connect(_) if self.since != 0 && now < self.since.saturating_add(AGAIN) => return,
            Side::Connect(to) => TcpStream::connect_timeout(to, CONNECTING).map(|stream| (stream, *to)),
        };
        self.since = now;
        let ready = |(stream, from): (TcpStream, SocketAddr)| {
            stream.set_nonblocking(true)?;
            stream.set_nodelay(true)?;
            io::Result::Ok((stream, from))
        };
        self.peer = joined.and_then(ready).ok();
        self.input.clear();
        self.output.clear();
    }

    pub fn receive(&mut self, now: u64, mut take: impl FnMut(&mut [u8], SocketAddr)) -> Result<()> {
        self.join(now);
        let Some((stream, from)) = &mut self.peer else { return Ok(()) };
        let from = *from;
        let mut buffer = [0; 1 << 16];
        let open = match stream.read(&mut buffer) {
            Ok(0) => false,
            Ok(len) => {
                self.input.extend_from_slice(&buffer[..len]);
                true
            }
            Err(e) => matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        };
        let mut done = 0;
        while let Some((len, rest)) = self.input[done..].split_first_chunk() {
            let len = usize::from(u16::from_le_bytes(*len));
            if rest.len() < len {
                break;
            }
            take(&mut self.input[done + 2..done + 2 + len], from);
            done += 2 + len;
        }
        self.input.drain(..done);
        if !open {
            self.peer = None;
        }
        self.flush();
        Ok(())
    }

    pub fn send(&mut self, datagram: &[u8]) -> bool {
        if self.peer.is_none() {
            return true; // lost, as on the link
        }
        if self.output.len() >= WAITING {
            self.flush();
        }
        if self.output.len() >= WAITING {
            return false;
        }
        let Ok(len) = u16::try_from(datagram.len()) else { return true };
        self.output.extend_from_slice(&len.to_le_bytes());
        self.output.extend_from_slice(datagram);
        self.flush();
        true
    }

    fn flush(&mut self) {
        while let Some((stream, _)) = &mut self.peer
            && !self.output.is_empty()
        {
            match stream.write(&self.output) {
                Ok(len) => drop(self.output.drain(..len)),
                Err(e) if e.kind() == ErrorKind::WouldBlock => return,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => self.peer = None,
            }
        }
    }

    /// Drops a peer that sent nothing genuine for a while, so that another can connect.
    pub fn check(&mut self, genuine: bool, now: u64) {
        if genuine {
            self.since = now;
        } else if self.peer.is_some() && now > self.since.saturating_add(PATIENCE) {
            self.peer = None;
        }
    }
}
