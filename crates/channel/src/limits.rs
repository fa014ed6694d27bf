//! Numbers that publishers and subscribers of one channel agree on.

/// How many sleepers a publisher wakes itself; the woken wake the rest.
pub(crate) const WAKE_AT_ONCE: u32 = 8;

/// The longest that anybody sleeps without looking, in ns.
///
/// Nothing can close the instant between a publisher's publish and its wake, in which it may be killed, and a hostile
/// reader can move others to a futex of its own; so every sleeper looks by itself, this often.
pub(crate) const SLICE: u64 = 100_000_000;
/// How often a process repairs a bell that a hostile reader cuts short again and again, in ns.
pub(crate) const BELL_REPAIR: u64 = 10_000_000;
/// How often those look who may not, or will not, ask to be woken, in ns.
pub(crate) const QUIET_SLICE: u64 = 5_000_000;
