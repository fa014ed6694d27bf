//! A TCP socket that waits only with a time limit.

use crate::system;
use saltus_os::fd::{AsFd, AsRawFd, RawFd};
use saltus_os::{clock, poll};
use socket2::{Domain, Protocol, SockAddr, SockRef, TcpKeepalive, Type};
use std::io::{self, ErrorKind, IoSlice, Read};
use std::net::SocketAddr;
use std::time::Duration;

/// Detects a machine that has disappeared: probes after `silent` without data, again after each `interval`, three times.
pub(super) fn probe(socket: &SockRef<'_>, silent: Duration, interval: Duration) -> io::Result<()> {
    socket.set_tcp_keepalive(&TcpKeepalive::new().with_time(silent).with_interval(interval).with_retries(3))
}

/// The result of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// All of it.
    Sent,
    /// Nothing was sent: the buffer was full.
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
        // A hub whose machine has disappeared is detected.
        probe(&SockRef::from(&socket), Duration::from_secs(20), Duration::from_secs(5))?;
        match socket.connect(&SockAddr::from(address)) {
            Err(e) if !system::is_connecting(&e) => Err(e),
            _ => Ok(Socket { socket, address }),
        }
    }
    pub fn raw(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
    pub fn address(&self) -> SocketAddr {
        self.address
    }
    /// Whether the connection is established, waiting until `deadline` (monotonic, ns); an error: it failed.
    pub fn is_connected(&self, deadline: u64) -> io::Result<bool> {
        if !self.wait(poll::WRITE, deadline) {
            return Ok(false);
        }
        self.socket.take_error()?.map_or(Ok(true), Err)
    }
    /// Ends the connection, also for threads that wait for it.
    pub fn shut(&self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Both); // it may have ended by itself
    }
    /// Receives bytes that have arrived; 0 bytes: the end.
    pub fn receive(&self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.socket).read(buffer)
    }
    pub fn wait_readable(&self, deadline: u64) -> bool {
        self.wait(poll::READ, deadline)
    }

    /// Sends these pieces as one. Waits at most `room` ns until the first byte is accepted, and then at most `more`
    /// ns each time until more is. In all, it waits at most `more` ns and the time that they take at `slowest` bytes
    /// per second, so that an end that accepts byte after byte never holds up a thread forever.
    pub fn send(&self, pieces: &[&[u8]], room: u64, more: u64, slowest: u64) -> io::Result<Room> {
        let bytes: usize = pieces.iter().map(|piece| piece.len()).sum();
        let whole = more.saturating_add((bytes as u64).saturating_mul(1_000_000_000) / slowest.max(1));
        let end = clock::monotonic().saturating_add(whole);
        let mut slices: Vec<IoSlice<'_>> = pieces.iter().map(|piece| IoSlice::new(piece)).collect();
        let mut left = &mut slices[..];
        IoSlice::advance_slices(&mut left, 0); // skips empty ones
        let mut begun = false;
        while !left.is_empty() {
            // No signal for a broken connection, since the program may not expect one.
            match self.socket.send_vectored_with_flags(left, system::NO_SIGNAL) {
                Ok(n) => {
                    begun = true;
                    IoSlice::advance_slices(&mut left, n);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    let patience = if begun { more } else { room };
                    let now = clock::monotonic();
                    if now >= end && begun || !self.wait(poll::WRITE, end.min(now + patience)) {
                        return if begun { Err(ErrorKind::TimedOut.into()) } else { Ok(Room::None) };
                    }
                }
                Err(e) => return Err(e),
            }
        }
        Ok(Room::Sent)
    }

    /// Waits until it is ready, or broken. `false`: timed out.
    fn wait(&self, events: poll::Interest, deadline: u64) -> bool {
        let mut one = [poll::entry(Some(self.socket.as_fd()), events)];
        loop {
            let left = deadline.saturating_sub(clock::monotonic());
            match poll::wait(&mut one, Some(Duration::from_nanos(left))) {
                Ok(1..) => return true,
                _ if left == 0 => return false,
                _ => {} // the time is over, or a signal: once more
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::net::TcpListener;
    use std::time::{Duration, Instant};

    #[test]
    fn an_end_that_takes_a_little_again_and_again_does_not_hold_up_a_message_for_ever() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let socket = Socket::connect(listener.local_addr().unwrap()).unwrap();
        let (mut slow, _) = listener.accept().unwrap();
        assert!(socket.is_connected(clock::monotonic() + 1_000_000_000).unwrap());
        let reader = std::thread::spawn(move || {
            // It never pauses for longer than the patience for more.
            let mut piece = vec![0; 64 << 10];
            while slow.read(&mut piece).is_ok_and(|n| n > 0) {
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        let (start, message) = (Instant::now(), vec![0; 64 << 20]);
        let result = socket.send(&[&message], 1_000_000_000, 500_000_000, 64 << 20);
        assert_eq!(result.map(drop).unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
        drop(socket);
        reader.join().unwrap();
    }
}
