//! Events.

use super::own::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::io;
use std::net::{Ipv4Addr, UdpSocket};

/// An event: raised, until it is lowered. A socket that is connected to itself, and readable while it is raised.
#[derive(Debug)]
pub struct Event(UdpSocket);

impl Event {
    /// A lowered event.
    pub fn new() -> io::Result<Event> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        socket.connect(socket.local_addr()?)?; // datagrams of others do not raise it
        socket.set_nonblocking(true)?;
        Ok(Event(socket))
    }
    /// Raises it. Async-signal-safe; one system call.
    pub fn raise(&self) {
        let _ = self.0.send(&[1]); // it fails only if the event is raised often already
    }
    /// Lowers it. Returns whether it was raised.
    pub fn lower(&self) -> bool {
        let mut was_raised = false;
        while self.0.recv(&mut [0]).is_ok() {
            was_raised = true;
        }
        was_raised
    }
    /// Its descriptor.
    pub fn raw(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

impl AsFd for Event {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
