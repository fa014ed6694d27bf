//! One line of the table.

use crate::Latency;
use serde::Serialize;

/// A channel of a model: a small number that stays the same as long as the model lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct ChannelId(pub u32);

/// Who publishes or subscribes, as far as the transport tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Peer {
    /// Its process, in its own namespace.
    pub pid: Option<u32>,
    /// The name of the process.
    pub process: Option<String>,
    /// The user that it runs as; the number where it has no name here.
    pub user: Option<String>,
    /// The machine that it runs on.
    pub host: Option<String>,
    /// What the transport tells it by, where that is all there is: a number in hexadecimal digits.
    pub sender: Option<String>,
}

impl Peer {
    /// In a few characters: `estimator`, or what else there is.
    pub fn short(&self) -> String {
        let pid = self.pid.map(|pid| pid.to_string());
        let named = self.process.clone().filter(|name| !name.is_empty()).or(pid);
        named.or_else(|| self.sender.clone()).unwrap_or_else(|| "?".into())
    }
}

/// What is known of a channel at one moment. What is unknown is `None`, never 0.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    /// Which channel of the model.
    pub id: ChannelId,
    /// URL of its domain.
    pub domain: String,
    /// Its name, escaped.
    pub channel: String,
    /// The type of its newest message.
    pub type_name: Option<String>,
    /// What messages of that type begin with, as 16 hexadecimal digits; also of a type that is not known.
    pub fingerprint: Option<String>,
    /// Who publishes; of senders that a network does not name, those that were heard in the last seconds.
    pub publishers: Vec<Peer>,
    /// Who subscribes, as far as the transport tells.
    pub subscribers: Vec<Peer>,
    /// Messages, as the publishers count them, or else that came here.
    pub count: u64,
    /// Messages a second, over the last seconds.
    pub rate_hz: f64,
    /// Mean time between messages of one publisher, over the last seconds.
    pub period_s: Option<f64>,
    /// Standard deviation of that time.
    pub jitter_s: Option<f64>,
    /// Bytes a second, over the last seconds.
    pub bytes_per_s: f64,
    /// Bytes of the newest message.
    pub size: Option<u64>,
    /// Seconds since the newest message was published, or else arrived.
    pub age_s: Option<f64>,
    /// From publication to reception in microseconds: by all subscribers where the transport counts that (`shm://`), else
    /// by this machine, where publishers send their time and share the clock.
    pub latency_us: Option<Latency>,
    /// Missed: by all subscribers where the transport counts that (`shm://`), else lost on the way here.
    pub missed: Option<u64>,
    /// Whether `missed` is of the senders, over all channels that they publish.
    pub missed_of_sender: bool,
    /// Whether `missed` is what subscribers missed, of their own will too: one that takes only the newest misses the others.
    /// Else it is what was lost on the way here.
    pub missed_by_subscribers: bool,
    /// Dropped by the spy itself because it was slow; exact.
    pub dropped: u64,
    /// Messages that began as one of their type and were none. Only opened channels are decoded.
    pub undecodable: u64,
    /// Whether nothing has come for long, as this channel goes: five periods, and a second at least.
    pub stale: bool,
    /// Whether somebody has it open, so that it is decoded.
    pub open: bool,
    /// How types differ that should be the same, in words.
    pub mismatch: Option<String>,
}

impl Default for ChannelId {
    fn default() -> ChannelId {
        ChannelId(u32::MAX)
    }
}
