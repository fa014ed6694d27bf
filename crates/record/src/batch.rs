//! Messages on their way from the thread that reads to the one that writes.

use saltus_domain::{Description, Message, Name};

/// What a writer must know of a channel before its first message.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The URL of its domain.
    pub domain: String,
    /// Its name.
    pub name: Name,
    /// The types that its publishers describe.
    pub types: Vec<Description>,
}

/// What is known of a message beside its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The number of its channel.
    pub channel: u32,
    /// When it was received, ns since 1970.
    pub logged: u64,
    /// When it was published, ns since 1970; where the transport does not say, when it was received.
    pub published: u64,
    /// Its sequence number, 0 where there is none.
    pub sequence: u64,
    /// Its bytes.
    pub len: usize,
}

/// Messages one behind the other.
#[derive(Debug, Default)]
pub struct Batch {
    heads: Vec<Head>,
    bytes: Vec<u8>,
    /// Channels whose first message is in here.
    pub channels: Vec<Channel>,
}

/// Memory that a message's head is counted as.
const HEAD: usize = std::mem::size_of::<Head>();

impl Batch {
    /// Whether it has no message.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }
    /// How many messages it has.
    pub fn len(&self) -> usize {
        self.heads.len()
    }
    /// Bytes of memory that it stands for.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.heads.len() * HEAD
    }
    /// The size that it would have with one more message.
    pub fn size_with(&self, len: usize) -> usize {
        self.size() + len + HEAD
    }
    /// When its last message was logged.
    pub fn last(&self) -> Option<u64> {
        self.heads.last().map(|head| head.logged)
    }

    /// Appends a message; `to_wall` is what to add to boot time.
    pub fn push(&mut self, channel: u32, message: &Message<'_>, to_wall: i64) {
        let wall = |boottime: u64| boottime.saturating_add_signed(to_wall);
        let logged = message.logged.and_then(|us| u64::try_from(us).ok()?.checked_mul(1000));
        let arrived = logged.unwrap_or_else(|| wall(message.arrived));
        self.heads.push(Head {
            channel,
            logged: arrived,
            published: message.published.map_or(arrived, wall),
            sequence: message.sequence.unwrap_or(0),
            len: message.data.len(),
        });
        self.bytes.extend_from_slice(message.data);
    }

    /// The messages, in their order.
    pub fn messages(&self) -> impl Iterator<Item = (&Head, &[u8])> {
        let mut rest = &self.bytes[..];
        self.heads.iter().map(move |head| {
            let (data, behind) = rest.split_at(head.len);
            rest = behind;
            (head, data)
        })
    }

    /// How many messages it has of each channel, by number.
    pub fn counts(&self) -> Vec<u64> {
        let mut counts = Vec::new();
        for head in &self.heads {
            let at = head.channel as usize;
            if counts.len() <= at {
                counts.resize(at + 1, 0);
            }
            counts[at] += 1;
        }
        counts
    }

    /// Empties it, and keeps its memory.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.bytes.clear();
        self.channels.clear();
    }
}
