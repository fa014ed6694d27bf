//! How a sender and its readers discover each other before the measurement, in networks where attaching is not
//! enough. The sender calls until every reader has received a call. A call is one byte long, unlike any message;
//! later calls are skipped.

use crate::clock;
use crate::contender::{Ask, Sender};
use crate::error::Fallible;
use crate::shared::{AllAtomic, Shared};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

const CALL: &[u8] = b"?";
/// Between two calls, nanoseconds.
const PAUSE: u64 = 1_000_000;
/// Longest interval between two checks of a reader. In a chain of 512 processes, each one receives its first call
/// only after the process before it has received its own.
const LONGEST: u64 = 16 * PAUSE;

/// The meeting of one connection; created before the fork.
pub struct Meeting {
    /// `None`: one process is both ends, and must not wait for itself.
    at: Option<Shared<At>>,
    readers: u32,
}

#[repr(C)]
struct At {
    /// Whether the sender can be reached.
    open: AtomicU32,
    /// How many readers have received a call.
    arrived: AtomicU32,
}

// SAFETY: atomics, for which zero is a value.
unsafe impl AllAtomic for At {}

impl Meeting {
    /// Creates the meeting for a connection.
    pub fn new(ask: &Ask) -> Fallible<Meeting> {
        let at = if ask.within { None } else { Some(Shared::new()?) };
        Ok(Meeting { at, readers: u32::try_from(ask.readers)? })
    }

    /// The sender announces that it can be reached; some contenders' readers must not connect before.
    pub fn open(&self) {
        if let Some(at) = &self.at {
            at.open.store(1, SeqCst);
        }
    }

    /// A reader waits for that announcement.
    pub fn until_open(&self) {
        let Some(at) = &self.at else { return };
        patiently(|| at.open.load(SeqCst) != 0);
    }

    /// The sender's part: returns when all readers have received a call. If that never happens, the harness kills the
    /// sender.
    pub fn call(&self, sender: &mut dyn Sender) -> Fallible<()> {
        let Some(at) = &self.at else { return Ok(()) };
        while at.arrived.load(SeqCst) < self.readers {
            sender.send(CALL)?;
            clock::sleep_until(clock::now() + PAUSE);
        }
        Ok(())
    }

    /// A reader's part: returns when it has received a call. `poll` checks for a message and returns its length.
    pub fn listen(&self, mut poll: impl FnMut(&mut [u8]) -> Fallible<Option<usize>>) -> Fallible<()> {
        let Some(at) = &self.at else { return Ok(()) };
        let mut found = Ok(None);
        patiently(|| {
            found = poll(&mut [0; CALL.len()]);
            !matches!(found, Ok(None))
        });
        found?;
        at.arrived.fetch_add(1, SeqCst);
        Ok(())
    }
}

/// Polls, with growing intervals.
fn patiently(mut is_so: impl FnMut() -> bool) {
    let mut pause = PAUSE;
    while !is_so() {
        clock::sleep_until(clock::now() + pause);
        pause = (2 * pause).min(LONGEST);
    }
}

/// Whether something of this length is a message rather than a call.
#[inline]
pub fn is_message(length: usize) -> bool {
    length != CALL.len()
}
