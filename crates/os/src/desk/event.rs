//! Events.

use super::own::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, UdpSocket};
use std::sync::atomic::{
    AtomicBool,
    Ordering::{AcqRel, Relaxed},
};
use std::time::Duration;

/// An event: raised, until it is lowered. A socket that is connected to itself, and readable while it is raised.
#[derive(Debug)]
pub struct Event {
    socket: UdpSocket,
    /// Whether a datagram is in the socket, or on the way to it: the system may deliver it after the call that sends it.
    raised: AtomicBool,
}

impl Event {
    /// A lowered event.
    pub fn new() -> io::Result<Event> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        socket.set_nonblocking(true)?;
        socket.connect(socket.local_addr()?)?; // from now on, datagrams of others do not raise it
        // Those that came before; a sender that is faster than this fails it.
        let mut other = vec![0; 1 << 16];
        for _ in 0..1000 {
            if socket.recv(&mut other).is_err_and(|e| e.kind() == ErrorKind::WouldBlock) {
                return Ok(Event { socket, raised: AtomicBool::new(false) });
            }
        }
        Err(io::Error::other("another program sends to each socket that is opened"))
    }
    /// Raises it. Async-signal-safe; one system call.
    pub fn raise(&self) {
        // AcqRel: pairs with the one of `lower`, which takes one datagram for each change to `true`.
        if !self.raised.swap(true, AcqRel) && self.socket.send(&[1]).is_err() {
            // The system has no memory: the next raise tries again. Relaxed: nobody waits for a datagram that was not sent.
            self.raised.store(false, Relaxed);
        }
    }
    /// Lowers it. Returns whether it was raised.
    pub fn lower(&self) -> bool {
        let was_raised = self.raised.swap(false, AcqRel); // pairs with `raise`
        // The datagram may still be on its way; it takes microseconds, and a second in no case.
        for _ in 0..if was_raised { 10_000 } else { 0 } {
            if !self.socket.recv(&mut [0]).is_err_and(|e| e.kind() == ErrorKind::WouldBlock) {
                break;
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        was_raised
    }
    /// Its descriptor.
    pub fn raw(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

impl AsFd for Event {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
