//! A flood of pings from somebody who never reads, for the tests of every WebSocket server here.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Bytes of memory that this process uses, but for what it shares.
fn used() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() * 1024
}

/// Pings over a WebSocket until its server, which is in this process, ends the connection. That must be within `patience`, and
/// without taking more than 128 MiB meanwhile.
pub fn until_let_go(mut stream: &TcpStream, patience: Duration) {
    stream.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
    let ping = [&[0x89, 0x80 | 125, 0, 0, 0, 0][..], &[7; 125]].concat();
    let pings = ping.repeat(1000);
    let (before, start) = (used(), Instant::now());
    let (mut most, mut at) = (0, 0);
    loop {
        assert!(start.elapsed() < patience, "it has the connection still");
        most = most.max(used().saturating_sub(before));
        assert!(most < 128 << 20, "{most} bytes after {:?}", start.elapsed());
        // What was written in part is continued: each ping is whole.
        match stream.write(&pings[at..]) {
            Ok(len) => at = (at + len) % pings.len(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(_) => break,
        }
    }
}
