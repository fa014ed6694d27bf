//! A TCP socket that never waits unless it is told how long.

use saltus_os::clock;
use socket2::{Domain, Protocol, SockAddr, TcpKeepalive, Type};
use std::io::{self, ErrorKind, IoSlice, Read};
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, RawFd};
use std::time::Duration;

/// Whether what was to be sent was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// All of it.
    Sent,
    /// Nothing of it: there was no room.
    None,
}

#[derive(Debug)]
pub(super) struct Socket {
    socket: socket2::Socket,
    address: SocketAddr,
}

impl Socket {
    /// Begins to connect.
    pub fn connect(address: SocketAddr) -> io::Result<Socket> {
        let socket = socket2::Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
        socket.set_nonblocking(true)?;
        socket.set_tcp_nodelay(true)?;
        // A hub whose machine has gone away without a word is noticed.
        let alive = TcpKeepalive::new().with_time(Duration::from_secs(20));
        socket.set_tcp_keepalive(&alive.with_interval(Duration::from_secs(5)).with_retries(3))?;
        match socket.connect(&SockAddr::from(address)) {
            Err(e) if e.raw_os_error() != Some(libc::EINPROGRESS) => Err(e),
            _ => Ok(Socket { socket, address }),
        }
    }
    pub fn raw(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
    pub fn address(&self) -> SocketAddr {
        self.address
    }
    /// Whether the connection is made, waited for until `deadline` (monotonic, ns); an error: it never will be.
    pub fn is_connected(&self, deadline: u64) -> io::Result<bool> {
        if !self.wait(libc::POLLOUT, deadline) {
            return Ok(false);
        }
        self.socket.take_error()?.map_or(Ok(true), Err)
    }
    /// Ends the connection, also for who waits for it.
    pub fn shut(&self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Both); // it may have ended by itself
    }
    /// What has come; 0 bytes: the end.
    pub fn receive(&self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.socket).read(buffer)
    }
    pub fn wait_readable(&self, deadline: u64) -> bool {
        self.wait(libc::POLLIN, deadline)
    }

    /// Sends these pieces as one. Waits at most `room` ns until anything of them is taken, and at most `more` ns each time
    /// until more of them is.
    pub fn send(&self, pieces: &[&[u8]], room: u64, more: u64) -> io::Result<Room> {
        let mut slices: Vec<IoSlice<'_>> = pieces.iter().map(|piece| IoSlice::new(piece)).collect();
        let mut left = &mut slices[..];
        IoSlice::advance_slices(&mut left, 0); // passes over those that are empty
        let mut begun = false;
        while !left.is_empty() {
            // No signal for a broken connection: the program may not be one that expects it.
            match self.socket.send_vectored_with_flags(left, libc::MSG_NOSIGNAL) {
                Ok(n) => {
                    begun = true;
                    IoSlice::advance_slices(&mut left, n);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    let patience = if begun { more } else { room };
                    if !self.wait(libc::POLLOUT, clock::monotonic() + patience) {
                        return if begun { Err(ErrorKind::TimedOut.into()) } else { Ok(Room::None) };
                    }
                }
                Err(e) => return Err(e),
            }
        }
        Ok(Room::Sent)
    }

    /// Waits until it is ready for something, or broken. `false`: the time is up.
    fn wait(&self, events: libc::c_short, deadline: u64) -> bool {
        let mut poll = libc::pollfd { fd: self.raw(), events, revents: 0 };
        loop {
            let left = deadline.saturating_sub(clock::monotonic());
            let ms = i32::try_from(left.div_ceil(1_000_000)).unwrap_or(i32::MAX);
            // SAFETY: one descriptor that lives across the call.
            match unsafe { libc::poll(&mut poll, 1, ms) } {
                n if n > 0 => return true,
                0 if left == 0 || clock::monotonic() >= deadline => return false,
                _ => {} // a signal, or woken early
            }
        }
    }
}
