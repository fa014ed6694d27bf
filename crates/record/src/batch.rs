//! Batches of messages from the reading thread to the writing thread.

use saltus_domain::{Description, Message, Name};

/// The data of a channel that a writer needs before its first message.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The URL of its domain.
    pub domain: String,
    /// Its name.
    pub name: Name,
    /// The types that its publishers describe.
    pub types: Vec<Description>,
}

/// The metadata of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The number of its channel.
    pub channel: u32,
    /// Time of reception, ns since 1970.
    pub logged: u64,
    /// Time of publication, ns since 1970; the time of reception if the transport does not report it.
    pub published: u64,
    /// Its sequence number; 0 if there is none.
    pub sequence: u64,
    /// Its bytes.
    pub len: usize,
}

/// A sequence of messages in one buffer.
#[derive(Debug, Default)]
pub struct Batch {
    heads: Vec<Head>,
    bytes: Vec<u8>,
    /// Channels whose first message is in this batch.
    pub channels: Vec<Channel>,
}

/// Memory that counts for a message's metadata.
const HEAD: usize = std::mem::size_of::<Head>();

impl Batch {
    /// Whether the batch is empty.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }
    /// Number of messages.
    pub fn len(&self) -> usize {
        self.heads.len()
    }
    /// Bytes of memory that it counts for.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.heads.len() * HEAD
    }
    /// Its size with one more message.
    pub fn size_with(&self, len: usize) -> usize {
        self.size() + len + HEAD
    }
    /// The time of reception of its last message.
    pub fn last(&self) -> Option<u64> {
        self.heads.last().map(|head| head.logged)
    }

    /// Appends a message; `to_wall` is the offset from boot time.
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

    /// The messages in order.
    pub fn messages(&self) -> impl Iterator<Item = (&Head, &[u8])> {
        let mut rest = &self.bytes[..];
        self.heads.iter().map(move |head| {
            let (data, behind) = rest.split_at(head.len);
            rest = behind;
            (head, data)
        })
    }

    /// The number of messages of each channel, by channel number.
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

    /// Removes all messages, and keeps the memory.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.bytes.clear();
        self.channels.clear();
    }
}
