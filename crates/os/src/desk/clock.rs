//! Clocks. Readings are nanoseconds in a `u64`; they do not block or allocate.

use super::own;
pub use crate::common::clock::*;
use std::time::{SystemTime, UNIX_EPOCH};

/// Reads `clock`, in nanoseconds.
pub fn now(clock: Clock) -> u64 {
    match clock {
        Clock::Realtime => {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            since.as_nanos() as u64
        }
        Clock::Boottime | Clock::Monotonic => monotonic(),
    }
}

/// Time since the machine started, in nanoseconds. Whether it counts while the machine sleeps is up to the system.
pub fn boottime() -> u64 {
    monotonic()
}

/// Time since the machine started, in nanoseconds: the clock of deadlines. The same in every process.
pub fn monotonic() -> u64 {
    own::monotonic()
}

/// `None`: only Linux reports it.
pub fn discipline() -> Option<Discipline> {
    None
}
