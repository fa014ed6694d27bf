//! A subscriber's position in a channel: receiving and moving, without waiting.

use crate::mapping::Mapping;
use crate::message::{MessageInfo, PublisherId};
use crate::stats::Stats;
use crate::{Error, Result};
use saltus_ring::reader::Meta;
use saltus_ring::{Candidate, Delivered, Fault, Merge, Pick, Shm, Start, Which};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The cursors in all lanes of a channel, with their counters.
#[derive(Debug)]
pub(crate) struct Receiver {
    mapping: Arc<Mapping>,
    merge: Merge,
    stats: Stats,
    /// The number of the last [`Mark`].
    marked: u64,
}

/// A moment of a receiver: valid until the receiver receives or skips a message, or is marked again.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// Its number among all marks that this process ever made.
    number: u64,
    /// Counts of messages received, missed and rewound.
    counts: [u64; 3],
}

impl Receiver {
    pub fn new(mapping: Arc<Mapping>, start: Start, stats: Stats) -> Receiver {
        let merge = Merge::new(&*mapping, start);
        Receiver { mapping, merge, stats, marked: 0 }
    }

    pub fn mapping(&self) -> &Arc<Mapping> {
        &self.mapping
    }
    pub fn merge(&self) -> &Merge {
        &self.merge
    }

    /// Delivers a message through `take`, which copies it, or returns its size if the buffer is too small. The caller then counts it
    /// with [`Receiver::delivered`].
    #[inline(always)]
    pub fn receive(
        &mut self,
        which: Which,
        take: impl FnMut(&Shm, &Meta) -> std::result::Result<(), usize>,
    ) -> std::result::Result<Option<Delivered>, Fault> {
        self.merge.receive(&*self.mapping, which, take)
    }

    /// Checks once for a message to view in place.
    #[inline(always)]
    pub fn pick(&mut self, which: Which) -> Pick {
        self.merge.pick(&*self.mapping, which)
    }

    /// Counts `candidate` as received if all bytes read of it were whole; otherwise keeps the position.
    pub fn validate(&mut self, candidate: &Candidate) -> Result<MessageInfo> {
        if !self.merge.validate(&*self.mapping, candidate) {
            return Err(self.overrun());
        }
        let delivered = self.merge.commit(candidate);
        Ok(self.delivered(delivered))
    }

    /// Counts a delivery, and returns the message's metadata.
    #[inline(always)]
    pub fn delivered(&mut self, delivered: Delivered) -> MessageInfo {
        let meta = delivered.meta;
        if delivered.fresh {
            self.stats.received(&self.mapping, &self.merge, &meta);
        }
        MessageInfo {
            len: meta.len,
            seq: meta.seq,
            timestamp: meta.timestamp,
            publisher: PublisherId { lane: delivered.lane as u32, lease: meta.lease },
            missed: delivered.missed,
        }
    }

    /// Marks the current moment.
    pub fn mark(&mut self) -> Mark {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        self.marked = NEXT.fetch_add(1, Ordering::Relaxed); // Relaxed: only each number once
        Mark { number: self.marked, counts: self.counts() }
    }
    /// Whether `mark` is this receiver's last, and nothing was received or skipped since.
    pub fn is_at(&self, mark: &Mark) -> bool {
        self.marked == mark.number && self.counts() == mark.counts
    }
    fn counts(&self) -> [u64; 3] {
        [self.merge.received(), self.merge.missed(), self.merge.rewound()]
    }

    /// Whether any message is unseen. A few loads.
    #[inline]
    pub fn has_unseen(&self) -> bool {
        self.merge.unseen(&*self.mapping)
    }
    /// The number of unseen messages.
    pub fn unseen_count(&self) -> u64 {
        self.merge.unseen_count(&*self.mapping)
    }
    /// The timestamp of the message that `which` would return now.
    pub fn peek(&mut self, which: Which) -> Option<u64> {
        self.merge.peek(&*self.mapping, which)
    }

    /// Skips all unseen messages.
    pub fn flush(&mut self) {
        self.merge.flush(&*self.mapping);
        self.stats.missed(&self.mapping, self.merge.missed());
    }
    /// Moves back to the oldest message kept.
    pub fn seek_oldest(&mut self) {
        self.merge.seek_oldest(&*self.mapping);
    }
    /// Skips the oldest unseen messages until at most `keep` are left. Returns how many.
    pub fn limit(&mut self, keep: u64) -> u64 {
        let missed = self.merge.limit(&*self.mapping, keep);
        if missed > 0 {
            self.stats.missed(&self.mapping, self.merge.missed());
        }
        missed
    }

    /// Counts a sleep.
    pub fn slept(&mut self) {
        self.stats.slept(&self.mapping);
    }

    /// The error for a message that publishers overwrote at every try. Counts it.
    #[cold]
    pub fn overrun(&mut self) -> Error {
        self.stats.overrun(&self.mapping);
        Error::Overrun { channel: self.mapping.name.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Temporary;

    fn receiver(channel: &Temporary) -> Receiver {
        let stats = Stats::new(&channel.mapping, false, false, 1);
        Receiver::new(channel.mapping.clone(), Start::Newest, stats)
    }
    fn next(receiver: &mut Receiver) -> Option<MessageInfo> {
        let delivered = receiver.receive(Which::Next, |_, _| Ok(())).unwrap()?;
        Some(receiver.delivered(delivered))
    }

    #[test]
    fn it_receives_in_order_and_goes_back() {
        let mut channel = Temporary::new();
        let mut receiver = receiver(&channel);
        for message in [&b"one"[..], b"three", b"five5"] {
            channel.publisher.publish(message).unwrap();
        }
        assert_eq!(receiver.unseen_count(), 3);
        let first = next(&mut receiver).unwrap();
        assert_eq!((first.seq, first.len, first.publisher), (1, 3, channel.publisher.id()));
        assert_eq!((receiver.limit(1), next(&mut receiver).unwrap().missed), (1, 1));
        receiver.seek_oldest();
        assert_eq!((receiver.merge().rewound(), next(&mut receiver).unwrap().seq), (3, 1));
        receiver.flush();
        assert_eq!((receiver.has_unseen(), receiver.merge().missed()), (false, 3));
    }

    #[test]
    fn a_message_looked_at_counts_when_it_is_validated() {
        let mut channel = Temporary::new();
        let mut receiver = receiver(&channel);
        channel.publisher.publish(b"tilt").unwrap();
        let Pick::Found(candidate) = receiver.pick(Which::Newest) else { panic!("nothing found") };
        assert_eq!(receiver.merge().received(), 0);
        assert_eq!(receiver.validate(&candidate).unwrap().seq, 1);
        assert_eq!(receiver.merge().received(), 1);
        let old = candidate;
        for _ in 0..100 {
            channel.publisher.publish(b"more").unwrap();
        }
        assert!(matches!(receiver.validate(&old), Err(Error::Overrun { .. })));
    }

    #[test]
    fn a_mark_ends_with_the_next_message_or_mark() {
        let mut channel = Temporary::new();
        let mut receiver = receiver(&channel);
        let first = receiver.mark();
        assert!(receiver.is_at(&first));
        let second = receiver.mark();
        assert!(!receiver.is_at(&first) && receiver.is_at(&second));
        channel.publisher.publish(b"tilt").unwrap();
        assert!(receiver.is_at(&second), "nothing was received yet");
        next(&mut receiver);
        assert!(!receiver.is_at(&second));
    }
}
