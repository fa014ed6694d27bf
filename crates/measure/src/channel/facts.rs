//! Sums of a channel's counters.

use saltus_channel::{Info, clock};

/// Sums of a channel's counters.
pub struct Facts {
    /// Live publishers.
    pub publishers: usize,
    /// Live subscribers with counters.
    pub subscribers: usize,
    /// Total messages published.
    pub published: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Age of the newest message in ns; `None` without messages or timestamps.
    pub age: Option<u64>,
}

impl Facts {
    /// Sums the counters.
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
