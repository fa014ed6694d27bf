//! A channel's counters, summed up.

use saltus_channel::{Info, clock};

/// A channel's counters, summed up.
pub struct Facts {
    /// Publishers that live.
    pub publishers: usize,
    /// Subscribers that live, as far as they keep counters.
    pub subscribers: usize,
    /// Messages published, ever.
    pub published: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Nanoseconds since the newest was published; none when there is none, or no timestamps.
    pub age: Option<u64>,
}

impl Facts {
    /// Sums up.
    pub fn of(info: &Info) -> Facts {
        let last = info.lanes.iter().map(|lane| lane.last_timestamp).max().filter(|timestamp| *timestamp > 0);
        Facts {
            publishers: info.lanes.iter().filter(|lane| lane.alive).count(),
            subscribers: info.subscribers.iter().filter(|subscriber| subscriber.alive).count(),
            published: info.lanes.iter().map(|lane| lane.published).sum(),
            bytes: info.lanes.iter().map(|lane| lane.bytes).sum(),
            age: last.map(|timestamp| clock::now(info.attributes.get_clock()).saturating_sub(timestamp)),
        }
    }
}
