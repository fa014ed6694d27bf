//! How long a call waits.

use saltus_os::clock;
use std::time::Duration;

/// How long a receive waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Not at all.
    Poll,
    /// For a time from now.
    For(Duration),
    /// Until a point in time, in ns of [`clock::monotonic`].
    At(u64),
    /// Without limit.
    Forever,
}

impl From<Duration> for Until {
    fn from(time: Duration) -> Until {
        Until::For(time)
    }
}

impl Until {
    /// The point in time, in ns of the monotonic clock; `None` for a poll.
    #[inline]
    pub fn deadline(self) -> Option<u64> {
        match self {
            Until::Poll => None,
            Until::For(time) => {
                Some(clock::monotonic().saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)))
            }
            Until::At(ns) => Some(ns),
            Until::Forever => Some(u64::MAX),
        }
    }
}
