//! The clocks that stamps and deadlines are told in.

use saltus_channel::clock::{self, Clock};

/// What time it is on a clock that stamps are made of, in ns: SALTUS_BOOTTIME, SALTUS_MONOTONIC or SALTUS_REALTIME.
/// The age of a message is saltus_now() of the channel's clock, less the message's stamp. 0 for an unknown clock.
///
/// Unlike clock_gettime() it agrees with processes in other time namespaces (containers); elsewhere it is the same.
///
/// Blocks: never. Allocates: once, in the first call of a process. Kernel: no, where there is a vDSO.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_now(clock: u32) -> u64 {
    Clock::from_id(clock).map_or(0, clock::now)
}

/// What time it is for `until`, in ns: CLOCK_MONOTONIC of this process.
///
/// Blocks: never. Allocates: no. Kernel: no, where there is a vDSO. Async-signal-safe.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_monotonic() -> u64 {
    clock::monotonic()
}
