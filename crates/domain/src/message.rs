//! Received messages.

use saltus_channel::Name;
use saltus_os::clock;

/// How many messages were missed before one that was received, as far as the transport reveals it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missed {
    /// This many of this channel, exactly.
    Exact(u64),
    /// This many of the same sender since its previous message, or since the subscriber joined. It counts over all
    /// channels of the sender, on Zenoh and DDS over this channel only: see
    /// [`Domain`](crate::Domain::reports_losses_by_channel).
    OfSender(u64),
    /// The transport does not report losses, or this is the first message received of its sender but not the first
    /// that it sent, so that earlier losses are unknown.
    #[default]
    Unknown,
}

impl Missed {
    /// The number, if known.
    pub fn count(self) -> Option<u64> {
        match self {
            Missed::Exact(n) | Missed::OfSender(n) => Some(n),
            Missed::Unknown => None,
        }
    }
}

/// A message. It stays in the subscriber's memory until the next receive.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Its bytes.
    pub data: &'a [u8],
    /// Its channel.
    pub channel: &'a Name,
    /// When it was published, boot time in ns; `None` if the transport does not report it.
    pub published: Option<u64>,
    /// When it arrived at this machine, boot time in ns: the kernel's timestamp for a packet, the publication in shared memory.
    pub arrived: u64,
    /// When it was recorded according to the log, µs since 1970; `None` if it is not from a log.
    pub logged: Option<i64>,
    /// A number that identifies its sender; `None` if the transport does not.
    pub sender: Option<u64>,
    /// Its sequence number among the sender's messages, if there is one.
    pub sequence: Option<u64>,
    /// Messages missed since the last one received: lost in transit, or overwritten in a shared channel.
    pub missed: Missed,
    /// Messages dropped in this process since the last one received, because this subscriber was slow or requested
    /// only the newest. Exact.
    pub dropped: u64,
}

impl Message<'_> {
    /// Its age in ns: since its publication if that is known, otherwise since its arrival.
    pub fn age(&self) -> u64 {
        clock::boottime().saturating_sub(self.published.unwrap_or(self.arrived))
    }
}
