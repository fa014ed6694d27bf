//! What a subscriber requests, and what it receives.

use crate::reader::Meta;

/// Which message a subscriber requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The newest, if it has not been seen. Older unseen ones count as missed.
    Newest,
    /// The oldest unseen message. Messages overwritten before it count as missed.
    Next,
    /// The newest, even if it has been seen. Older unseen ones count as missed.
    Current,
}

/// Where a new subscriber starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// At the newest message, which counts as unseen. Older ones are not counted.
    #[default]
    Newest,
    /// After the messages present: only later ones are received.
    Now,
    /// At the oldest message still kept.
    Oldest,
    /// At the first message ever published. Messages already overwritten count as missed.
    Beginning,
}

/// A message picked, not yet validated.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Lane of the message.
    pub lane: usize,
    /// The metadata in its slot.
    pub meta: Meta,
    pub(super) which: Which,
    pub(super) key: Key,
}

/// The result of [`Merge::pick`](crate::Merge::pick).
#[derive(Clone, Copy, Debug)]
pub enum Pick {
    /// Nothing unseen.
    Nothing,
    /// A message to read, then to validate.
    Found(Candidate),
    /// A publisher overwrote the message during the choice; pick again.
    Lapped,
}

/// A delivered message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// The metadata in its slot, validated.
    pub meta: Meta,
    /// Lane of the message.
    pub lane: usize,
    /// Messages missed since the last delivery.
    pub missed: u64,
    /// Whether it is delivered for the first time; only [`Which::Current`] delivers a message again.
    pub fresh: bool,
}

/// Why a message could not be delivered. The subscriber keeps its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The buffer is too small for a message of this many bytes.
    TooSmall(usize),
    /// Publishers overwrote the message at every try.
    Overrun,
}

/// The order across lanes. The timestamp is at most "now", so that a timestamp from the future has no advantage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key {
    /// At most the time at which it was picked, if there are several lanes.
    pub timestamp: u64,
    pub lane: usize,
    /// From 1; 0 only in the default.
    pub seq: u64,
}

impl Key {
    /// Whether `self` is older than `other`: by number in one lane, by timestamp across lanes.
    #[inline(always)]
    pub fn older_than(&self, other: &Key) -> bool {
        if self.lane == other.lane { self.seq < other.seq } else { self.timestamp < other.timestamp }
    }
}

/// Tries of a receive when publishers overwrite the message that it reads.
pub const TRIES: u32 = 10;

#[cfg(test)]
mod tests {
    use super::*;

    /// A publisher's own order holds regardless of its timestamps. Between publishers the timestamp decides, and
    /// equal ones have no order.
    #[test]
    fn numbers_order_one_lane_and_stamps_order_several() {
        let key = |timestamp, lane, seq| Key { timestamp, lane, seq };
        assert!(key(9, 0, 1).older_than(&key(5, 0, 2)) && !key(5, 0, 2).older_than(&key(9, 0, 1)));
        assert!(key(5, 0, 2).older_than(&key(9, 1, 1)) && !key(9, 1, 1).older_than(&key(5, 0, 2)));
        assert!(!key(5, 0, 1).older_than(&key(5, 1, 2)) && !key(5, 1, 2).older_than(&key(5, 0, 1)));
    }
}
