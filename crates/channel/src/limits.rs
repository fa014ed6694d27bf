//! Numbers that publishers and subscribers of one channel agree on.

/// How many sleepers a publisher wakes itself; the woken wake the rest.
pub(crate) const WAKE_AT_ONCE: u32 = 8;

/// The longest that anybody sleeps without looking, in ns.
///
/// Nothing can close the instant between a publisher's publish and its wake, in which it may be killed, and a hostile
/// reader can move others to a futex of its own; so every sleeper looks by itself, this often.
pub(crate) const SLICE: u64 = 100_000_000;
/// How long a process leaves a bell alone that a hostile reader has cut short again, in ns: at first, and at most.
pub(crate) const BELL_PAUSE: u64 = 10_000_000;
pub(crate) const LONGEST_BELL_PAUSE: u64 = 128 * BELL_PAUSE;
/// How often those look who may not, or will not, ask to be woken, in ns.
pub(crate) const QUIET_SLICE: u64 = 5_000_000;
