//! The sending side of a group.

use super::split::split;
use crate::Result;
use crate::udp::{Options, Pacer, Sender};
use std::net::SocketAddrV4;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts of sent messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Messages sent, without those that failed.
    pub messages: u64,
    /// Bytes of their payload.
    pub bytes: u64,
    /// Messages that were refused, or not sent completely.
    pub failed: u64,
}

/// One source port with its count of messages. The thread that holds the lock sends.
struct Line {
    socket: Sender,
    state: Mutex<State>,
}

struct State {
    sequence: u32,
    pacer: Pacer,
}

/// The sending side of a group. All threads may publish.
///
/// It has two sockets: one for messages of one datagram, one for longer ones. To receivers these are two senders,
/// each with its own sequence numbers. So a short message never waits for a long one, and a long one never makes
/// the short ones after it look lost or late.
pub struct Publisher {
    short: Line,
    long: Line,
    datagram: usize,
    messages: AtomicU64,
    bytes: AtomicU64,
    failed: AtomicU64,
}

impl Publisher {
    /// Opens the sockets. Makes system calls, does not wait.
    ///
    /// # Errors
    /// An error of the kernel, with a remedy, such as a group without a route.
    pub fn open(options: &Options) -> Result<Publisher> {
        let line = || -> Result<Line> {
            let state = Mutex::new(State { sequence: 0, pacer: Pacer::new(options.pace) });
            Ok(Line { socket: Sender::open(options)?, state })
        };
        Ok(Publisher {
            short: line()?,
            long: line()?,
            datagram: options.datagram,
            messages: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            failed: AtomicU64::new(0),
        })
    }

    /// Sends a message.
    ///
    /// A message of one datagram takes one system call, does not allocate, and waits only for other threads that
    /// publish such a message here. A longer one sleeps between bursts according to [`Options::pace`], while others
    /// may publish short ones. A message that the kernel accepted may still be lost in transit; receivers detect
    /// that by the sequence numbers.
    ///
    /// # Errors
    /// A name or size that is not valid in LCM, [`crate::Error::Full`], or the kernel's error. Receivers count the
    /// message as lost only if a part of it was sent.
    pub fn publish(&self, channel: &[u8], payload: &[u8]) -> Result<()> {
        self.publish_to(self.group().port(), channel, payload)
    }

    /// Sends a message as [`Publisher::publish`] does, to another port of the group.
    ///
    /// # Errors
    /// A name or size that is not valid in LCM, [`crate::Error::Full`], or the kernel's error.
    pub fn publish_to(&self, port: u16, channel: &[u8], payload: &[u8]) -> Result<()> {
        let result = self.send(port, channel, payload);
        match result {
            Ok(()) => {
                self.messages.fetch_add(1, Relaxed);
                self.bytes.fetch_add(payload.len() as u64, Relaxed);
            }
            Err(_) => {
                self.failed.fetch_add(1, Relaxed);
            }
        }
        result
    }

    fn send(&self, port: u16, channel: &[u8], payload: &[u8]) -> Result<()> {
        let pieces = split(0, channel, payload.len(), self.datagram)?;
        if pieces.is_whole() {
            let mut state = lock(&self.short);
            let Some((header, _)) = pieces.numbered(state.sequence).next() else { return Ok(()) };
            self.short.socket.send(port, header.as_ref(), payload)?;
            state.sequence = state.sequence.wrapping_add(1);
            return Ok(());
        }
        let mut state = lock(&self.long);
        let State { sequence, pacer } = &mut *state;
        let pieces = pieces.numbered(*sequence);
        let (sent, result) = self.long.socket.send_all(port, pieces, payload, pacer);
        if sent > 0 {
            *sequence = sequence.wrapping_add(1);
        }
        result
    }

    /// Counts of sent messages.
    pub fn sent(&self) -> Sent {
        Sent {
            messages: self.messages.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
            failed: self.failed.load(Relaxed),
        }
    }
    /// The group.
    pub fn group(&self) -> SocketAddrV4 {
        self.short.socket.group()
    }
    /// The source ports: of short messages, and of long ones.
    pub fn ports(&self) -> [u16; 2] {
        [self.short.socket.port(), self.long.socket.port()]
    }
}

fn lock(line: &Line) -> MutexGuard<'_, State> {
    line.state.lock().unwrap_or_else(PoisonError::into_inner)
}
