//! A message as a subscriber gets it.

use saltus_channel::Name;
use saltus_os::clock;

/// How many messages were missed before one that was received, as far as the transport reveals it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missed {
    /// So many of this channel, exactly.
    Exact(u64),
    /// So many of this message's sender since its last one that was received, on whatever channel, or since the subscriber came,
    /// over all channels that it publishes; on Zenoh and DDS, of this channel's: [`Domain`](crate::Domain::tells_losses_by_channel)
    /// says which.
    OfSender(u64),
    /// The transport does not tell; or this is the first message that was heard of its sender and not the first that it sent, and
    /// nobody knows what was lost before.
    #[default]
    Unknown,
}

impl Missed {
    /// The number, if there is one.
    pub fn count(self) -> Option<u64> {
        match self {
            Missed::Exact(n) | Missed::OfSender(n) => Some(n),
            Missed::Unknown => None,
        }
    }
}

/// A message. It lies in the subscriber's own memory until the next receive.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Its bytes.
    pub data: &'a [u8],
    /// Its channel.
    pub channel: &'a Name,
    /// When it was published, boot time in ns; `None` where the transport does not say.
    pub published: Option<u64>,
    /// When it arrived at this machine, boot time in ns: the kernel's timestamp for a packet, the publication in shared memory.
    pub arrived: u64,
    /// When a log says that it was recorded, µs since 1970; `None` where it comes from no log.
    pub logged: Option<i64>,
    /// A number that tells senders apart; `None` where the transport does not.
    pub sender: Option<u64>,
    /// Its number among the sender's messages, where there is one.
    pub sequence: Option<u64>,
    /// Messages missed since the last one received: lost on the way, or overwritten in a channel that others share.
    pub missed: Missed,
    /// Messages dropped in this process since the last one received, because this subscriber was slow or asked for the
    /// newest only. Exact.
    pub dropped: u64,
}

impl Message<'_> {
    /// How old it is, in ns: since its publication if that is known, else since its arrival.
    pub fn age(&self) -> u64 {
        clock::boottime().saturating_sub(self.published.unwrap_or(self.arrived))
    }
}
