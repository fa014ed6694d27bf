//! What a subscriber asks for, and what it is given.

use crate::reader::Meta;

/// Which message a subscriber asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The newest, if it has not been seen. Older unseen ones count as missed.
    Newest,
    /// The oldest not seen. What was overwritten before it counts as missed.
    Next,
    /// The newest, even if it has been seen. Older unseen ones count as missed.
    Current,
}

/// Where a new subscriber starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// The newest message present counts as unseen, all older ones as before its time.
    #[default]
    Newest,
    /// Only what is published from now on.
    Now,
    /// Everything still kept.
    Oldest,
    /// Everything ever published. What is overwritten already counts as missed.
    Beginning,
}

/// A message picked, not yet validated.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    /// Lane of the message.
    pub lane: usize,
    /// What its slot says.
    pub meta: Meta,
    pub(super) which: Which,
    pub(super) key: Key,
}

/// What [`Merge::pick`](crate::Merge::pick) found.
#[derive(Clone, Copy, Debug)]
pub enum Pick {
    /// Nothing unseen.
    Nothing,
    /// A message to look at, then to validate.
    Found(Candidate),
    /// A publisher overtook the reader just now; pick again.
    Overtaken,
}

/// What a subscriber is told with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// What the slot says, validated.
    pub meta: Meta,
    /// Lane of the message.
    pub lane: usize,
    /// Messages missed since the last delivery.
    pub missed: u64,
    /// Whether it is delivered for the first time; only [`Which::Current`] gives others.
    pub fresh: bool,
}

/// Why a message could not be delivered. The subscriber keeps its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The buffer is too small for a message of this many bytes.
    TooSmall(usize),
    /// Publishers overtook the reader at every try.
    Overrun,
}

/// Order across lanes. The timestamp is at most "now", so that a timestamp from the future gains nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Key {
    /// At most the time at which it was picked, if there are several lanes.
    pub timestamp: u64,
    pub lane: usize,
    /// From 1; 0 in the default, which no message has.
    pub seq: u64,
}

impl Key {
    /// Whether `self` is older than `other`: by number in one lane, by timestamp across lanes.
    #[inline(always)]
    pub fn older_than(&self, other: &Key) -> bool {
        if self.lane == other.lane { self.seq < other.seq } else { self.timestamp < other.timestamp }
    }
}

/// How often a receive tries again when publishers overtake it.
pub const TRIES: u32 = 10;

#[cfg(test)]
mod tests {
    use super::*;

    /// A publisher's own order holds whatever its timestamps say; between publishers the timestamp decides, and a tie is no order.
    #[test]
    fn numbers_order_one_lane_and_stamps_order_several() {
        let key = |timestamp, lane, seq| Key { timestamp, lane, seq };
        assert!(key(9, 0, 1).older_than(&key(5, 0, 2)) && !key(5, 0, 2).older_than(&key(9, 0, 1)));
        assert!(key(5, 0, 2).older_than(&key(9, 1, 1)) && !key(9, 1, 1).older_than(&key(5, 0, 2)));
        assert!(!key(5, 0, 1).older_than(&key(5, 1, 2)) && !key(5, 1, 2).older_than(&key(5, 0, 1)));
    }
}
