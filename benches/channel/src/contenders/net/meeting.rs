//! How a sender and its readers find each other before anything is measured, where attaching alone is not enough: in
//! networks whose members have to be discovered. The sender calls until every reader has heard it. A call is one byte
//! long, which no message is; those that come later are passed over.

use crate::clock;
use crate::contender::{Ask, Sender};
use crate::error::Fallible;
use crate::shared::{AllAtomic, Shared};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

const CALL: &[u8] = b"?";
/// Between two calls, nanoseconds.
const PAUSE: u64 = 1_000_000;

/// One connection's meeting; made before the fork.
pub struct Meeting {
    /// `None`: one process is both, and is not to wait for itself.
    arrived: Option<Shared<Arrived>>,
    readers: u32,
}

#[repr(C)]
struct Arrived(AtomicU32);

// SAFETY: one atomic, for which zero is a value.
unsafe impl AllAtomic for Arrived {}

impl Meeting {
    /// For a connection.
    pub fn new(ask: &Ask) -> Fallible<Meeting> {
        let arrived = if ask.within { None } else { Some(Shared::new()?) };
        Ok(Meeting { arrived, readers: u32::try_from(ask.readers)? })
    }

    /// The sender's part: returns when all readers have heard it. Who waits for ever is ended by the harness.
    pub fn call(&self, sender: &mut dyn Sender) -> Fallible<()> {
        let Some(arrived) = &self.arrived else { return Ok(()) };
        while arrived.0.load(SeqCst) < self.readers {
            sender.send(CALL)?;
            clock::sleep_until(clock::now() + PAUSE);
        }
        Ok(())
    }

    /// A reader's part: returns when it has heard the sender. `poll` looks for a message and tells its length.
    pub fn listen(&self, mut poll: impl FnMut(&mut [u8]) -> Fallible<Option<usize>>) -> Fallible<()> {
        let Some(arrived) = &self.arrived else { return Ok(()) };
        while poll(&mut [0; CALL.len()])?.is_none() {
            clock::sleep_until(clock::now() + PAUSE);
        }
        arrived.0.fetch_add(1, SeqCst);
        Ok(())
    }
}

/// Whether something of that length is a message and no call.
#[inline]
pub fn is_message(length: usize) -> bool {
    length != CALL.len()
}
