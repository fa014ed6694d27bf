//! The publishing side: a socket that all subscribing processes connect to.

use super::receiving::greeting;
use super::socket::{Part, Socket};
use saltus_os::clock;
use saltus_transport::{Error, Result};
use std::collections::HashSet;
use std::io;
use std::thread;
use std::time::Duration;

/// How long the first publisher waits at most for existing subscribers, in ns, and how often it checks.
const PATIENCE: u64 = 500_000_000;
const CHECK_INTERVAL: Duration = Duration::from_micros(500);

/// See the module.
pub(super) struct Publishing {
    socket: Socket,
    /// Messages sent, modulo 256.
    sent: u8,
}

impl Publishing {
    pub fn new(socket: Socket) -> Publishing {
        Publishing { socket, sent: 0 }
    }

    pub fn publish(&mut self, name: &[u8], payload: &[u8]) -> io::Result<()> {
        self.sent = self.sent.wrapping_add(1);
        if self.sent == 0 {
            self.heed(&mut |_| {})?; // pending subscription messages take memory until they are read
        }
        self.socket.send(name, true)?;
        self.socket.send(payload, false)
    }

    /// Reads subscription messages.
    fn heed(&self, subscribed: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        let (mut part, mut left) = (Part::new(), 10_000);
        while left > 0 && self.socket.receive(&mut part)? {
            left -= 1;
            if let [1, to @ ..] = part.bytes() {
                subscribed(to);
            }
        }
        Ok(())
    }

    /// Waits until the processes with these files have subscribed, for a limited time.
    pub fn wait_for(&self, marks: HashSet<String>) -> Result<()> {
        let mut missing: HashSet<Vec<u8>> = marks.iter().map(|mark| greeting(mark)).collect();
        let until = clock::monotonic() + PATIENCE;
        while !missing.is_empty() && clock::monotonic() < until {
            let heeded = self.heed(&mut |to| {
                missing.remove(to);
            });
            heeded.map_err(|e| Error::system("hear who subscribes", e))?;
            thread::sleep(CHECK_INTERVAL);
        }
        Ok(())
    }
}
