//! A flood of pings from a client that never reads, for tests of every WebSocket server.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Bytes of private memory of this process.
fn used() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() * 1024
}

/// Sends pings over a WebSocket until its server, in this process, closes the connection. That must happen within `patience`, and use at
/// most 128 MiB.
pub fn until_disconnected(mut stream: &TcpStream, patience: Duration) {
    stream.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
    let ping = [&[0x89, 0x80 | 125, 0, 0, 0, 0][..], &[7; 125]].concat();
    let pings = ping.repeat(1000);
    let (before, start) = (used(), Instant::now());
    let (mut most, mut at) = (0, 0);
    loop {
        assert!(start.elapsed() < patience, "the connection is still open");
        most = most.max(used().saturating_sub(before));
        assert!(most < 128 << 20, "{most} bytes after {:?}", start.elapsed());
        // Continues partial writes, so that each ping is complete.
        match stream.write(&pings[at..]) {
            Ok(len) => at = (at + len) % pings.len(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => break,
        }
    }
}
