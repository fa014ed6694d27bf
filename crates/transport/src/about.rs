//! A message's metadata, as stored before its bytes in a lane.
//!
//! ```text
//! 0 published | 8 arrived | 16 sender | 24 sequence | 32 lost, of this sender | 40 in which count | 48 the message
//! ```

use saltus_channel::Name;

/// The header of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// When it was published, boot time in ns; 0: not reported by the transport.
    pub published: u64,
    /// When it arrived at this machine, boot time in ns. In a lane it never goes back.
    pub arrived: u64,
    /// A number that identifies its sender; 0: not reported by the transport.
    pub sender: u64,
    /// Its sequence number among the sender's messages, if the transport has one.
    pub sequence: u64,
    /// The number of messages of this sender lost before it, in the current count; [`About::UNKNOWN`]: not reported
    /// by the transport.
    pub lost: u64,
    /// Number of that count. 0: it began with the sender's first message. Others began later, and losses before
    /// them are unknown.
    pub count: u64,
}

impl About {
    /// Its size in a lane, in bytes.
    pub const SIZE: usize = 48;
    /// The number of losses is unknown.
    pub const UNKNOWN: u64 = u64::MAX;

    /// Its bytes in a lane.
    #[inline]
    pub fn to_bytes(self) -> [u8; About::SIZE] {
        let mut bytes = [0; About::SIZE];
        let words = [self.published, self.arrived, self.sender, self.sequence, self.lost, self.count];
        for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    /// `None` if there are too few bytes.
    #[inline]
    pub fn of_bytes(bytes: &[u8]) -> Option<About> {
        let (words, _) = bytes.first_chunk::<{ About::SIZE }>()?.as_chunks::<8>();
        let word = |i: usize| u64::from_ne_bytes(words[i]);
        Some(About {
            published: word(0),
            arrived: word(1),
            sender: word(2),
            sequence: word(3),
            lost: word(4),
            count: word(5),
        })
    }
}

/// Whose messages are counted: a sender's, or a sender's on one channel.
pub type Of = (u64, Option<Name>);

/// Losses of a sender since the count began. By default: none, since its first message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// See [`About::lost`].
    pub lost: u64,
    /// See [`About::count`].
    pub count: u64,
}

impl Count {
    /// Adds `lost` to the losses.
    pub(crate) fn add(&mut self, lost: u64) {
        self.lost = self.lost.saturating_add(lost).min(About::UNKNOWN - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        let (published, arrived) = (1, u64::MAX);
        let about = About { published, arrived, sender: 3, sequence: 4, lost: About::UNKNOWN, count: 5 };
        assert_eq!(About::of_bytes(&about.to_bytes()), Some(about));
        assert_eq!(About::of_bytes(&[0; About::SIZE - 1]), None);
    }
}
