//! The queue of items to send to one client.

use crate::protocol::Advert;
use bytes::Bytes;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

/// An item to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A text.
    Text(String),
    /// A binary message.
    Binary(Bytes),
    /// The time, in ns since 1970. Of several that wait, only the last is sent.
    Time(u64),
    /// New channels. They are encoded as text when they are sent.
    Advertise(Vec<Arc<Advert>>),
    /// A message of a subscription.
    Message {
        /// The subscription.
        subscription: u32,
        /// Its time, ns since 1970.
        time: u64,
        /// The message.
        data: Bytes,
    },
}

/// Approximate memory of a message besides its bytes.
const OVERHEAD: usize = 64;
/// Most waiting items other than messages, and their bytes.
const WORDS: usize = 10_000;
const WORD_BYTES: usize = 4 << 20;

/// The items to send to one client, in order. Messages have a limit in bytes. Beyond it, the oldest messages of the subscription with the
/// most bytes are dropped and counted, so that a slow channel loses nothing because of a fast one. Other items of the server are never
/// dropped; a client that does not read even those is disconnected.
#[derive(Debug)]
pub struct Outbox {
    items: BTreeMap<u64, Item>,
    next: u64,
    /// The waiting messages, by subscription.
    queues: HashMap<u32, Queue>,
    bytes: usize,
    limit: usize,
    words: usize,
    word_bytes: usize,
    /// The position of the waiting time item.
    time: Option<u64>,
    dropped: u64,
}

#[derive(Debug, Default)]
struct Queue {
    numbers: VecDeque<u64>,
    bytes: usize,
}

impl Outbox {
    /// An empty queue, in which messages may take `limit` bytes.
    pub fn new(limit: usize) -> Outbox {
        Outbox {
            items: BTreeMap::new(),
            next: 0,
            queues: HashMap::new(),
            bytes: 0,
            limit,
            words: 0,
            word_bytes: 0,
            time: None,
            dropped: 0,
        }
    }

    /// Adds an item. `false` means that the client does not read its messages, and must be disconnected.
    #[must_use]
    pub fn push(&mut self, item: Item) -> bool {
        match &item {
            Item::Message { subscription, data, .. } => {
                let (subscription, bytes) = (*subscription, data.len() + OVERHEAD);
                let queue = self.queues.entry(subscription).or_default();
                queue.numbers.push_back(self.next);
                queue.bytes += bytes;
                self.bytes += bytes;
            }
            word => {
                self.words += 1;
                self.word_bytes += length(word);
            }
        }
        if matches!(item, Item::Time(_))
            && let Some(before) = self.time.replace(self.next)
            && let Some(item) = self.items.remove(&before)
        {
            self.forget(&item);
        }
        self.items.insert(self.next, item);
        self.next += 1;
        while self.bytes > self.limit && self.items.len() > 1 {
            if !self.drop_one() {
                break;
            }
        }
        self.words <= WORDS && self.word_bytes <= WORD_BYTES
    }

    /// Drops the oldest message of the subscription with the most bytes, unless it is the newest item: a single message may exceed the
    /// limit.
    fn drop_one(&mut self) -> bool {
        let most = self.queues.iter().max_by_key(|(subscription, queue)| (queue.bytes, **subscription));
        let oldest = most.and_then(|(_, queue)| queue.numbers.front().copied());
        let Some(number) = oldest.filter(|number| number + 1 < self.next) else { return false };
        if let Some(item) = self.items.remove(&number) {
            self.forget(&item);
            self.dropped += 1;
        }
        true
    }

    /// Removes this item, the oldest of its subscription, from the accounts.
    fn forget(&mut self, item: &Item) {
        let Item::Message { subscription, data, .. } = item else {
            self.words -= 1;
            self.word_bytes -= length(item);
            return;
        };
        let bytes = data.len() + OVERHEAD;
        self.bytes -= bytes;
        if let Some(queue) = self.queues.get_mut(subscription) {
            queue.numbers.pop_front();
            queue.bytes -= bytes;
            if queue.numbers.is_empty() {
                self.queues.remove(subscription);
            }
        }
    }

    /// Removes and returns the next item.
    pub fn pop(&mut self) -> Option<Item> {
        let (number, item) = self.items.pop_first()?;
        self.time.take_if(|time| *time == number);
        self.forget(&item);
        Some(item)
    }
    /// Removes the waiting messages of a subscription.
    pub fn cut(&mut self, subscription: u32) {
        let Some(queue) = self.queues.remove(&subscription) else { return };
        self.bytes -= queue.bytes;
        queue.numbers.iter().for_each(|number| drop(self.items.remove(number)));
    }
    /// Removes all messages, because later ones do not follow them.
    pub fn clear(&mut self) {
        let all: Vec<u32> = self.queues.keys().copied().collect();
        all.into_iter().for_each(|subscription| self.cut(subscription));
    }
    /// Total messages dropped because the client is slow.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
    /// Memory of waiting messages.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

fn length(word: &Item) -> usize {
    match word {
        Item::Text(text) => text.len(),
        Item::Binary(bytes) => bytes.len(),
        Item::Advertise(channels) => channels.len() * size_of::<Arc<Advert>>(), // the channels are shared by all clients
        Item::Time(_) | Item::Message { .. } => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(subscription: u32, time: u64, len: usize) -> Item {
        Item::Message { subscription, time, data: vec![0; len].into() }
    }
    fn rest(outbox: &mut Outbox) -> Vec<(u32, u64)> {
        let mut all = Vec::new();
        while let Some(item) = outbox.pop() {
            if let Item::Message { subscription, time, .. } = item {
                all.push((subscription, time));
            }
        }
        assert_eq!((outbox.bytes, outbox.words, outbox.word_bytes), (0, 0, 0));
        all
    }

    #[test]
    fn the_oldest_of_the_loudest_are_dropped_and_counted() {
        let mut outbox = Outbox::new(1000);
        assert!(outbox.push(message(1, 0, 10)));
        for time in 1..=20 {
            assert!(outbox.push(message(2, time, 100)));
        }
        assert!(outbox.push(Item::Text("x".into())) && outbox.bytes() <= 1000);
        assert_eq!(outbox.dropped(), 15);
        assert_eq!(rest(&mut outbox), [(1, 0), (2, 16), (2, 17), (2, 18), (2, 19), (2, 20)]);
    }

    #[test]
    fn one_message_may_be_longer_than_all_that_may_wait() {
        let mut outbox = Outbox::new(1000);
        for time in 0..3 {
            assert!(outbox.push(message(1, time, 5000)));
        }
        assert_eq!((outbox.dropped(), rest(&mut outbox)), (2, vec![(1, 2)]));
    }

    #[test]
    fn unsubscribed_messages_are_not_sent() {
        let mut outbox = Outbox::new(1000);
        for time in 0..4 {
            assert!(outbox.push(message(time as u32 % 2, time, 10)));
        }
        outbox.cut(1);
        assert_eq!(outbox.items.len(), 2);
        assert!(outbox.push(Item::Binary(Bytes::new())));
        outbox.clear();
        assert_eq!((outbox.items.len(), rest(&mut outbox)), (1, vec![]));
    }

    #[test]
    fn only_the_last_time_waits() {
        let mut outbox = Outbox::new(1000);
        assert!((0..100_000).all(|time| outbox.push(Item::Time(time))));
        assert_eq!((outbox.pop(), outbox.pop()), (Some(Item::Time(99_999)), None));
        assert!(outbox.push(Item::Time(1)) && outbox.push(message(1, 2, 3)) && outbox.push(Item::Time(3)));
        assert_eq!((outbox.items.len(), rest(&mut outbox)), (2, vec![(1, 2)]));
    }

    #[test]
    fn a_client_that_does_not_read_replies_is_disconnected() {
        let mut outbox = Outbox::new(1000);
        let stays = (0..20_000).take_while(|_| outbox.push(Item::Text("wrong".into()))).count();
        assert_eq!(stays, WORDS);
        assert!(!Outbox::new(0).push(Item::Text("x".repeat(WORD_BYTES + 1))));
    }
}
