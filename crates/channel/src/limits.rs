//! Numbers that publishers and subscribers of one channel agree on.

/// How many waiting subscribers a publisher wakes itself; those wake the rest.
pub(crate) const WAKE_AT_ONCE: u32 = 8;

/// The longest sleep without a check, in ns.
///
/// A publisher may be killed between its publish and its wake, and nothing can close that gap. A hostile reader can also move others to
/// another futex. Every waiting subscriber therefore checks by itself at least this often.
pub(crate) const SLICE: u64 = 100_000_000;
/// How long a process ignores a bell that a hostile reader has truncated again, in ns: at first, and at most.
pub(crate) const BELL_PAUSE: u64 = 10_000_000;
pub(crate) const LONGEST_BELL_PAUSE: u64 = 128 * BELL_PAUSE;
/// The time in ns between checks of subscribers that cannot, or do not, request to be woken.
pub(crate) const QUIET_SLICE: u64 = 5_000_000;
