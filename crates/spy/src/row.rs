//! One line of the table.

use crate::Latency;
use serde::Serialize;

/// The ID of a channel in a model: a small number that never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct ChannelId(pub u32);

/// A publisher or subscriber, as far as the transport reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Peer {
    /// Its process ID, in its own namespace.
    pub pid: Option<u32>,
    /// The name of the process.
    pub process: Option<String>,
    /// Its user; the number if that has no name here.
    pub user: Option<String>,
    /// Its machine.
    pub host: Option<String>,
    /// The transport's number for it in hexadecimal digits, if nothing else is known.
    pub sender: Option<String>,
}

impl Peer {
    /// A short name, such as `estimator`, or the ID.
    pub fn short(&self) -> String {
        let pid = self.pid.map(|pid| pid.to_string());
        let named = self.process.clone().filter(|name| !name.is_empty()).or(pid);
        named.or_else(|| self.sender.clone()).unwrap_or_else(|| "?".into())
    }
}

/// The state of a channel at one moment. Unknown values are `None`, never 0.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// The channel's ID.
    pub id: ChannelId,
    /// URL of its domain.
    pub domain: String,
    /// Its name, escaped.
    pub channel: String,
    /// The type of its newest message.
    pub type_name: Option<String>,
    /// The first eight bytes of its messages as 16 hexadecimal digits, also if the type is unknown.
    pub fingerprint: Option<String>,
    /// Publishers. Senders that a network does not name are included if they sent a message in the last seconds.
    pub publishers: Vec<Peer>,
    /// Subscribers, as far as the transport reports them.
    pub subscribers: Vec<Peer>,
    /// The user who owns the channel, in shared memory; the number where that has no name here.
    pub owner: Option<String>,
    /// The number of that user.
    pub owner_uid: Option<u32>,
    /// Messages, as counted by the publishers, else those that arrived here.
    pub count: u64,
    /// Messages per second, over the last seconds.
    pub rate_hz: f64,
    /// Mean time between messages of one publisher, over the last seconds.
    pub period_s: Option<f64>,
    /// Standard deviation of that time.
    pub jitter_s: Option<f64>,
    /// Bytes per second, over the last seconds.
    pub bytes_per_s: f64,
    /// Bytes of the newest message.
    pub size: Option<u64>,
    /// Seconds since the newest message was published, or else arrived.
    pub age_s: Option<f64>,
    /// Publication-to-reception times in microseconds. If the transport counts them (`shm://`), those of all subscribers. Else those of
    /// this machine, if publishers send their time and share the clock.
    pub latency_us: Option<Latency>,
    /// Messages missed by all subscribers if the transport counts that (`shm://`), else messages lost before they arrived here.
    pub missed: Option<u64>,
    /// Whether `missed` covers all channels of the senders.
    pub missed_of_sender: bool,
    /// Whether `missed` counts what subscribers missed. That includes messages that they skipped by reading only the newest. Else it counts
    /// messages lost before they arrived here.
    pub missed_by_subscribers: bool,
    /// Messages that the spy dropped because it was slow; exact.
    pub dropped: u64,
    /// Messages with the key of a type that were not valid. Only opened channels are decoded.
    pub undecodable: u64,
    /// Whether no message arrived for five periods, and for at least a second.
    pub stale: bool,
    /// Whether it is opened, so that its messages are decoded.
    pub open: bool,
    /// The differences between types that should be the same, in words.
    pub mismatch: Option<String>,
}

impl Default for ChannelId {
    fn default() -> ChannelId {
        ChannelId(u32::MAX)
    }
}
