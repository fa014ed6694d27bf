//! Clocks, and the end of a wait.

use saltus_channel::Until;
use saltus_channel::clock::{self, Clock};
use std::time::Duration;

/// For `until`: does not wait.
pub const SALTUS_POLL: u64 = 0;
/// For `until`: waits without limit.
pub const SALTUS_FOREVER: u64 = u64::MAX;
/// Set in a time that counts from the call on.
const RELATIVE: u64 = 1 << 63;

/// Converts the end of a wait from C.
#[inline(always)]
pub(crate) fn until(until: u64) -> Until {
    match until {
        SALTUS_POLL => Until::Poll,
        SALTUS_FOREVER => Until::Forever,
        _ if until & RELATIVE != 0 => Until::For(Duration::from_nanos(until & !RELATIVE)),
        _ => Until::At(until),
    }
}

/// saltus_now_ns returns the time in ns of a clock that timestamps are made with: SALTUS_BOOTTIME, SALTUS_MONOTONIC or SALTUS_REALTIME. It
/// returns 0 for an unknown clock. The age of a message is saltus_now_ns() of the channel's clock minus the message's timestamp.
///
/// In processes of different time namespaces (containers) it returns the same time, unlike clock_gettime().
///
/// Blocks: never. Allocates: once, in the first call of a process. Kernel: no, where there is a vDSO.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_now_ns(clock: u32) -> u64 {
    Clock::from_id(clock).map_or(0, clock::now)
}

/// saltus_monotonic returns the time for `until`, in ns: CLOCK_MONOTONIC of this process.
///
/// Blocks: never. Allocates: no. Kernel: no, where there is a vDSO. Async-signal-safe.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_monotonic() -> u64 {
    clock::monotonic()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_poll_or_relative_or_absolute_or_for_ever() {
        assert_eq!(until(SALTUS_POLL), Until::Poll);
        assert_eq!(until(SALTUS_FOREVER), Until::Forever);
        assert_eq!(until(1), Until::At(1));
        assert_eq!(until(RELATIVE - 1), Until::At(RELATIVE - 1));
        assert_eq!(until(RELATIVE), Until::For(Duration::ZERO));
        assert_eq!(until(RELATIVE | 5_000_000), Until::For(Duration::from_millis(5)));
    }
}
