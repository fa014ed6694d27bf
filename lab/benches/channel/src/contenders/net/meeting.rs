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
/// Longest interval between two checks of the listeners: there are chains of 512 processes, each of which hears the
/// one before only once that one has heard its own.
const LONGEST: u64 = 16 * PAUSE;

/// One connection's meeting; made before the fork.
pub struct Meeting {
    /// `None`: one process is both, and is not to wait for itself.
    at: Option<Shared<At>>,
    readers: u32,
}

#[repr(C)]
struct At {
    /// Whether the sender can be reached.
    open: AtomicU32,
    /// Readers that have heard it.
    arrived: AtomicU32,
}

// SAFETY: atomics, for which zero is a value.
unsafe impl AllAtomic for At {}

impl Meeting {
    /// For a connection.
    pub fn new(ask: &Ask) -> Fallible<Meeting> {
        let at = if ask.within { None } else { Some(Shared::new()?) };
        Ok(Meeting { at, readers: u32::try_from(ask.readers)? })
    }

    /// The sender says that it can be reached, where readers are not to try before.
    pub fn open(&self) {
        if let Some(at) = &self.at {
            at.open.store(1, SeqCst);
        }
    }

    /// A reader waits for that.
    pub fn until_open(&self) {
        let Some(at) = &self.at else { return };
        patiently(|| at.open.load(SeqCst) != 0);
    }

    /// The sender's part: returns when all readers have received a call. The harness ends a sender that waits
    /// forever.
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

/// Polls, less often the longer it takes.
fn patiently(mut is_so: impl FnMut() -> bool) {
    let mut pause = PAUSE;
    while !is_so() {
        clock::sleep_until(clock::now() + pause);
        pause = (2 * pause).min(LONGEST);
    }
}

/// Whether something of that length is a message and no call.
#[inline]
pub fn is_message(length: usize) -> bool {
    length != CALL.len()
}
