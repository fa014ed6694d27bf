//! The queue of one client: bounded; when it is full, the newest messages are kept.
//!
//! A message that is partly sent is sent to its end. When there are too many others, the oldest one is dropped of
//! the *class* that has the most bytes; a channel's name determines its class. So a camera that is too fast for a
//! slow client loses old pictures, not the commands between them. Unlike a list of channels, classes cost the same
//! for any number of names.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// The number of classes. Channels of one class compete only with each other.
const CLASSES: usize = 64;
/// Bytes charged for a queued message in addition to its own.
const OVERHEAD: usize = 64;

/// Limits of a queue. The newest message is accepted at any length, and so is the one being sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// Most bytes of all other messages together.
    pub bytes: usize,
    /// Most messages.
    pub messages: usize,
}

impl Default for QueueLimits {
    fn default() -> QueueLimits {
        QueueLimits { bytes: 64 << 20, messages: 1 << 16 }
    }
}

#[derive(Debug, Default)]
struct Class {
    numbers: VecDeque<u64>,
    bytes: usize,
}

#[derive(Debug)]
struct Waiting {
    raw: Arc<[u8]>,
    /// `None`: it is never dropped.
    class: Option<u8>,
}

/// Frames to send, in order.
#[derive(Debug)]
pub struct Queue {
    limits: QueueLimits,
    hasher: RandomState,
    waiting: BTreeMap<u64, Waiting>,
    classes: Vec<Class>,
    next: u64,
    bytes: usize,
    /// The frame being sent, how many of its bytes were sent, and whether it is a message.
    sending: Option<(Arc<[u8]>, usize, bool)>,
    dropped: u64,
    dropped_bytes: u64,
}

fn cost(raw: &[u8]) -> usize {
    raw.len() + OVERHEAD
}

impl Queue {
    /// An empty one.
    pub fn new(limits: QueueLimits) -> Queue {
        Queue {
            limits,
            hasher: RandomState::new(),
            waiting: BTreeMap::new(),
            classes: (0..CLASSES).map(|_| Class::default()).collect(),
            next: 0,
            bytes: 0,
            sending: None,
            dropped: 0,
            dropped_bytes: 0,
        }
    }

    /// Queues the frame of a message of `channel`. Older ones may be dropped for it.
    pub fn push(&mut self, channel: &[u8], raw: Arc<[u8]>) {
        let class = (self.hasher.hash_one(channel) % CLASSES as u64) as u8;
        self.classes[usize::from(class)].numbers.push_back(self.next);
        self.classes[usize::from(class)].bytes += cost(&raw);
        let own = cost(&raw);
        self.put(raw, Some(class));
        while self.waiting.len() > self.limits.messages || self.bytes - own > self.limits.bytes {
            if !self.drop_one(class, own) {
                return;
            }
        }
    }
    /// Queues a frame that must not be dropped. The caller bounds their number.
    pub fn push_control(&mut self, raw: Arc<[u8]>) {
        self.put(raw, None);
    }
    fn put(&mut self, raw: Arc<[u8]>, class: Option<u8>) {
        self.bytes += cost(&raw);
        self.waiting.insert(self.next, Waiting { raw, class });
        self.next += 1;
    }

    /// Drops the oldest message of the class with the most bytes, but not the newest of all, which has `own` bytes
    /// and is of class `newest`. `false` if there is no other.
    fn drop_one(&mut self, newest: u8, own: usize) -> bool {
        let others = |i: usize| self.classes[i].bytes - if i == usize::from(newest) { own } else { 0 };
        let Some(fullest) = (0..CLASSES).max_by_key(|&i| others(i)).filter(|&i| others(i) > 0) else {
            return false;
        };
        let Some(gone) = self.classes[fullest].numbers.front().and_then(|n| self.waiting.remove(n)) else {
            return false;
        };
        self.forget(&gone);
        self.dropped += 1;
        self.dropped_bytes += gone.raw.len() as u64;
        true
    }
    /// Drops the oldest message that is not being sent, of any class. `false` if there is none.
    pub fn drop_oldest(&mut self) -> bool {
        let oldest = self.classes.iter().filter_map(|class| class.numbers.front()).min().copied();
        let Some(gone) = oldest.and_then(|number| self.waiting.remove(&number)) else { return false };
        self.forget(&gone);
        self.dropped += 1;
        self.dropped_bytes += gone.raw.len() as u64;
        true
    }
    /// Bytes that it holds, with the frame that is being sent.
    pub fn held(&self) -> usize {
        self.bytes + self.sending.as_ref().map_or(0, |(raw, ..)| cost(raw))
    }
    /// Subtracts a message that left the queue from the sums. It was the oldest of its class.
    fn forget(&mut self, gone: &Waiting) {
        self.bytes -= cost(&gone.raw);
        if let Some(class) = gone.class {
            let class = &mut self.classes[usize::from(class)];
            class.numbers.pop_front();
            class.bytes -= cost(&gone.raw);
        }
    }

    /// The next bytes to send, in at most `most` consecutive pieces.
    pub fn pieces(&self, most: usize) -> impl Iterator<Item = &[u8]> {
        let sending = self.sending.iter().map(|(raw, at, _)| &raw[*at..]);
        sending.chain(self.waiting.values().map(|w| &*w.raw)).take(most)
    }
    /// Records that `bytes` of them were sent. Returns how many messages that completed.
    pub fn sent(&mut self, mut bytes: usize) -> u64 {
        let mut finished = 0;
        while bytes > 0 {
            let next = |queue: &mut Queue| {
                let (_, next) = queue.waiting.pop_first()?;
                queue.forget(&next);
                Some((next.raw, 0, next.class.is_some()))
            };
            let Some((raw, at, message)) = self.sending.take().or_else(|| next(self)) else { break };
            let now = bytes.min(raw.len() - at);
            bytes -= now;
            if at + now < raw.len() {
                self.sending = Some((raw, at + now, message));
            } else {
                finished += u64::from(message);
            }
        }
        finished
    }

    /// Whether the queue is empty.
    pub fn is_empty(&self) -> bool {
        self.sending.is_none() && self.waiting.is_empty()
    }
    /// The number of queued frames, and their bytes.
    pub fn waiting(&self) -> (usize, usize) {
        let rest = self.sending.as_ref().map_or(0, |(raw, at, _)| raw.len() - at);
        let sending = usize::from(self.sending.is_some());
        (self.waiting.len() + sending, self.bytes - self.waiting.len() * OVERHEAD + rest)
    }
    /// The number of dropped messages, and their bytes.
    pub fn dropped(&self) -> (u64, u64) {
        (self.dropped, self.dropped_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn queue(bytes: usize, messages: usize) -> Queue {
        Queue::new(QueueLimits { bytes, messages })
    }
    fn push(queue: &mut Queue, channel: &str, n: u8, len: usize) {
        queue.push(channel.as_bytes(), vec![n; len].into());
    }
    /// A name of another class than `channel`: the class of a name differs from queue to queue.
    fn apart(queue: &Queue, channel: &str) -> String {
        let class = |name: &str| queue.hasher.hash_one(name.as_bytes()) % CLASSES as u64;
        (0..).map(|i| format!("OTHER{i}")).find(|name| class(name) != class(channel)).unwrap()
    }
    fn rest(queue: &Queue) -> Vec<u8> {
        queue.pieces(usize::MAX).map(|piece| piece[0]).collect()
    }

    #[test]
    fn order_is_kept_and_the_oldest_go() {
        let mut queue = queue(1 << 20, 3);
        (1..=5).for_each(|n| push(&mut queue, "A", n, 10));
        assert_eq!(rest(&queue), [3, 4, 5]);
        assert_eq!((queue.dropped(), queue.waiting()), ((2, 20), (3, 30)));
        assert_eq!(queue.sent(25), 2);
        assert_eq!((rest(&queue), queue.waiting()), (vec![5], (1, 5)));
        assert_eq!(queue.pieces(9).map(<[u8]>::len).collect::<Vec<_>>(), [5]);
        assert_eq!((queue.sent(5), queue.is_empty()), (1, true));
    }

    #[test]
    fn what_is_being_sent_is_never_dropped() {
        let mut queue = queue(100, 2);
        push(&mut queue, "A", 1, 50);
        queue.sent(1);
        (2..=9).for_each(|n| push(&mut queue, "A", n, 50));
        assert_eq!(queue.pieces(1).next().unwrap().len(), 49);
        assert_eq!(rest(&queue), [1, 9], "50 and their overhead are more than half of 100");
    }

    #[test]
    fn a_flood_on_one_channel_costs_the_others_nothing() {
        let mut queue = queue(64 << 10, 1000);
        let command = apart(&queue, "CAMERA");
        push(&mut queue, &command, 1, 20);
        (0..100).for_each(|_| push(&mut queue, "CAMERA", 2, 10_000));
        push(&mut queue, &command, 3, 20);
        assert_eq!(rest(&queue).into_iter().filter(|n| *n != 2).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(queue.dropped().0, 94);
    }

    #[test]
    fn the_newest_is_taken_however_long_it_is() {
        let mut queue = queue(1000, 10);
        push(&mut queue, "A", 1, 100);
        let other = apart(&queue, "A");
        push(&mut queue, &other, 2, 1 << 20);
        assert_eq!(rest(&queue), [1, 2]);
        push(&mut queue, "A", 3, 100);
        assert_eq!(rest(&queue), [1, 3]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_uncounted_and_the_sums_hold(
            steps in proptest::collection::vec((0u8..8, 1usize..200, 0usize..400), 1..200),
        ) {
            let mut queue = queue(2000, 20);
            let (mut taken, mut sent, mut last) = (0, 0, 0);
            for (step, &(channel, len, bytes)) in steps.iter().enumerate() {
                let raw: Arc<[u8]> = (step as u32).to_be_bytes().into_iter().chain([0].repeat(len)).collect();
                queue.push(&[channel], raw);
                taken += 1;
                sent += queue.sent(bytes);
                let (count, _) = queue.waiting();
                prop_assert_eq!(sent + queue.dropped().0 + count as u64, taken);
                prop_assert!(queue.waiting.len() <= 20 && queue.bytes <= 2000 + 204 + OVERHEAD);
                prop_assert_eq!(queue.bytes, queue.waiting.values().map(|w| cost(&w.raw)).sum::<usize>());
                prop_assert_eq!(queue.bytes, queue.classes.iter().map(|c| c.bytes).sum::<usize>());
                if let Some(w) = queue.waiting.values().next() {
                    let n = u32::from_be_bytes(*w.raw.first_chunk().unwrap());
                    prop_assert!(n >= last);
                    last = n;
                }
            }
        }
    }
}
