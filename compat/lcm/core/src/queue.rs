//! The queue of an instance. LCM has one queue for all subscriptions of an instance, in the order of arrival. Each subscription only counts
//! how many of the queued messages it will receive; when its count has reached its capacity, the next message is not counted. A
//! message that no subscription counts is dropped: the newest ones are lost.
//!
//! With [`Queue::newest`], a full subscription gives up its oldest message instead. Each message then has a list of its receivers.

use crate::pattern::Pattern;
use std::collections::{HashMap, VecDeque};
use std::ffi::CStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};

/// What a subscription calls.
pub trait Handler: Send + Sync {
    /// Handles a message, in the thread that called [`Handled::call`](crate::Handled::call). `channel` is its name up to a zero byte. A C++
    /// exception may leave it.
    fn call(&self, channel: &CStr, message: &mut Message);
}

/// Messages that a subscription queues unless it is set otherwise.
const CAPACITY: i32 = 30;
/// Most channels whose subscriptions are remembered.
const MOST_KNOWN: usize = 1024;
/// Fewest messages without a receiver that are worth a search.
const HOLLOW: usize = 64;

/// A subscription. C has its address.
pub struct Subscription {
    pub(crate) pattern: Pattern,
    pub(crate) handler: Box<dyn Handler>,
    // Numbers that change under the queue's lock. C reads and sets them without an instance at hand: a load or a store of one number.
    capacity: AtomicI32,
    queued: AtomicI32,
    live: AtomicBool,
    /// How many messages are just being handled that it was asked about.
    scheduled: AtomicI32,
    /// The messages that it receives, if each has a list.
    numbers: std::sync::Mutex<VecDeque<u64>>,
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").field("pattern", &self.pattern.text()).finish_non_exhaustive()
    }
}

impl Subscription {
    pub(crate) fn new(pattern: Pattern, handler: Box<dyn Handler>) -> Arc<Subscription> {
        Arc::new(Subscription {
            pattern,
            handler,
            capacity: AtomicI32::new(CAPACITY),
            queued: AtomicI32::new(0),
            live: AtomicBool::new(true),
            scheduled: AtomicI32::new(0),
            numbers: Default::default(),
        })
    }
    /// Sets how many messages it queues; 0 or less: all.
    pub fn set_capacity(&self, capacity: i32) {
        self.capacity.store(capacity, Relaxed); // the next arrival reads it
    }
    /// How many queued messages it will receive.
    pub fn queued(&self) -> i32 {
        self.queued.load(Relaxed) // a number for people
    }
    fn is_full(&self) -> bool {
        let capacity = self.capacity.load(Relaxed);
        capacity > 0 && self.queued() >= capacity
    }
    fn add(&self, n: i32) {
        self.queued.fetch_add(n, Relaxed); // under the queue's lock
    }
    pub(crate) fn is_live(&self) -> bool {
        self.live.load(Relaxed) // under the queue's lock, or in a forked child by its thread, which is also the one that ends it
    }
}

/// A message.
#[derive(Debug, Default)]
pub struct Message {
    /// The name, without a zero byte.
    pub channel: Vec<u8>,
    /// The bytes.
    pub data: Vec<u8>,
    /// When it arrived, in us since 1970.
    pub utime: i64,
}

impl Message {
    pub(crate) fn new(channel: &[u8], data: &[u8], utime: i64) -> Message {
        Message { channel: channel.into(), data: data.into(), utime }
    }
}

/// How a message is queued.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// As far as subscriptions have room.
    Counted,
    /// In any case. Subscriptions count it when it is handled.
    Always,
}

type Subscriptions = Arc<Vec<Arc<Subscription>>>;

/// A message that was taken from the queue, and the subscriptions to ask [`Queue::receives`] of, in their order.
pub(crate) struct Taken {
    pub message: Message,
    pub asked: Subscriptions,
}

struct Entry {
    number: u64,
    message: Message,
    how: How,
    /// Its receivers, where each message has a list.
    receivers: Option<Vec<Arc<Subscription>>>,
}

/// See the top of this file.
#[derive(Default)]
pub(crate) struct Queue {
    /// All subscriptions.
    all: Vec<Arc<Subscription>>,
    /// Those of the channels seen.
    known: HashMap<Box<[u8]>, Subscriptions>,
    entries: VecDeque<Entry>,
    next: u64,
    /// Whether a full subscription gives up its oldest message.
    newest: bool,
    /// Queued messages that have lost their receivers.
    hollow: usize,
}

impl Queue {
    pub fn new(newest: bool) -> Queue {
        Queue { newest, ..Queue::default() }
    }

    pub fn subscribe(&mut self, new: &Arc<Subscription>) {
        self.all.push(new.clone());
        for (channel, known) in &mut self.known {
            if new.pattern.matches(channel) {
                Arc::make_mut(known).push(new.clone());
            }
        }
    }

    /// Ends the subscription with this address. While a message is handled that it was asked about, it keeps its place in the lists, as
    /// in LCM: the order of the others depends on that.
    pub fn unsubscribe(&mut self, at: *const Subscription) -> Option<Arc<Subscription>> {
        let gone = self.all.iter().find(|one| is(one, at) && one.is_live())?.clone();
        gone.live.store(false, Relaxed); // under the queue's lock
        if gone.scheduled.load(Relaxed) == 0 {
            self.remove(at);
        }
        Some(gone)
    }
    fn remove(&mut self, at: *const Subscription) {
        self.all.retain(|one| !is(one, at));
        // The last one takes its place, as in LCM.
        for known in self.known.values_mut() {
            if let Some(i) = known.iter().position(|one| is(one, at)) {
                Arc::make_mut(known).swap_remove(i);
            }
        }
    }
    /// Ends the handling of a message.
    pub fn handled(&mut self, asked: &[Arc<Subscription>]) {
        for one in asked.iter().rev() {
            if one.scheduled.fetch_sub(1, Relaxed) == 1 && !one.is_live() {
                self.remove(Arc::as_ptr(one)); // under the queue's lock
            }
        }
    }
    /// The subscriptions, for the queue of a forked child. None has a message there.
    pub fn inherited(&self) -> Vec<Arc<Subscription>> {
        let live: Vec<_> = self.all.iter().filter(|one| one.is_live()).cloned().collect();
        for one in &live {
            one.queued.store(0, Relaxed); // under the queue's lock
            one.scheduled.store(0, Relaxed); // as above
            lock(&one.numbers).clear();
        }
        live
    }

    /// Whether a message on this channel would be queued now.
    pub fn wants(&mut self, channel: &[u8], how: How) -> bool {
        let newest = self.newest;
        self.matching(channel).iter().any(|s| newest || how == How::Always || !s.is_full())
    }

    /// Queues a message, if a subscription counts it. Returns whether the queue was empty and no longer is.
    pub fn arrive(&mut self, message: Message, how: How) -> bool {
        let matching = self.matching(&message.channel).clone();
        let number = self.next;
        let receivers = (self.newest && how == How::Counted).then(|| (*matching).clone());
        match how {
            How::Counted if self.newest => {
                for one in matching.iter() {
                    while one.is_full() && self.give_up(one) {}
                    lock(&one.numbers).push_back(number);
                    one.add(1);
                }
                if matching.is_empty() {
                    return false;
                }
            }
            How::Counted => {
                let mut any = false;
                for one in matching.iter().filter(|s| !s.is_full()) {
                    one.add(1);
                    any = true;
                }
                if !any {
                    return false;
                }
            }
            How::Always => {}
        }
        self.next += 1;
        self.entries.push_back(Entry { number, message, how, receivers });
        self.entries.len() == 1
    }

    /// Takes a subscription's oldest message from it. `false`: it has none but the one that is being handled.
    fn give_up(&mut self, from: &Arc<Subscription>) -> bool {
        let Some(number) = lock(&from.numbers).pop_front() else { return false };
        from.add(-1);
        let Ok(at) = self.entries.binary_search_by_key(&number, |entry| entry.number) else { return true };
        let entry = &mut self.entries[at];
        if let Some(receivers) = &mut entry.receivers {
            receivers.retain(|s| !Arc::ptr_eq(s, from));
            if receivers.is_empty() {
                entry.message = Message::default();
                self.hollow += 1;
            }
        }
        if self.hollow > HOLLOW && self.hollow > self.entries.len() / 2 {
            self.entries.retain(|e| e.receivers.as_ref().is_none_or(|r| !r.is_empty()));
            self.hollow = 0;
        }
        true
    }

    /// Takes the next message.
    pub fn pop(&mut self) -> Option<Taken> {
        loop {
            let entry = self.entries.pop_front()?;
            let asked = match entry.receivers {
                Some(receivers) if receivers.is_empty() => {
                    self.hollow = self.hollow.saturating_sub(1);
                    continue;
                }
                Some(receivers) => {
                    for one in &receivers {
                        let mut numbers = lock(&one.numbers);
                        if numbers.front() == Some(&entry.number) {
                            numbers.pop_front();
                        }
                    }
                    Arc::new(receivers)
                }
                None => self.matching(&entry.message.channel).clone(),
            };
            if entry.how == How::Always {
                asked.iter().filter(|one| !one.is_full()).for_each(|one| one.add(1));
            }
            for one in asked.iter() {
                one.scheduled.fetch_add(1, Relaxed); // under the queue's lock
            }
            return Some(Taken { message: entry.message, asked });
        }
    }

    /// Whether this subscription receives the message that was just taken; it then counts as received.
    pub fn receives(&self, one: &Subscription) -> bool {
        let receives = one.is_live() && one.queued() > 0;
        if receives {
            one.add(-1);
        }
        receives
    }
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The subscriptions that match a channel.
    fn matching(&mut self, channel: &[u8]) -> &Subscriptions {
        if !self.known.contains_key(channel) {
            if self.known.len() >= MOST_KNOWN {
                self.known.clear();
            }
            let matching = self.all.iter().filter(|s| s.pattern.matches(channel)).cloned().collect();
            self.known.insert(channel.into(), Arc::new(matching));
        }
        &self.known[channel]
    }
}

fn lock<T>(mutex: &std::sync::Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner) // numbers, whole between any two lines
}

fn is(one: &Arc<Subscription>, at: *const Subscription) -> bool {
    std::ptr::eq(Arc::as_ptr(one), at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;

    struct Nothing;
    impl Handler for Nothing {
        fn call(&self, _: &CStr, _: &mut Message) {}
    }

    fn subscribe(queue: &mut Queue, pattern: &str, capacity: i32) -> Arc<Subscription> {
        let pattern = Pattern::new(&CString::new(pattern).unwrap()).unwrap();
        let one = Subscription::new(pattern, Box::new(Nothing));
        one.set_capacity(capacity);
        queue.subscribe(&one);
        one
    }
    fn publish(queue: &mut Queue, channel: &str, n: u8) {
        queue.arrive(Message::new(channel.as_bytes(), &[n], 0), How::Counted);
    }
    /// What `of` receive, one list for each, in the order in which it is handled.
    fn handled(queue: &mut Queue, of: &[&Arc<Subscription>]) -> Vec<Vec<u8>> {
        let mut lists = vec![Vec::new(); of.len()];
        while let Some(Taken { message, asked }) = queue.pop() {
            for one in asked.iter().filter(|one| queue.receives(one)) {
                if let Some(i) = of.iter().position(|o| Arc::ptr_eq(o, one)) {
                    lists[i].push(message.data[0]);
                }
            }
            queue.handled(&asked);
        }
        lists
    }

    #[test]
    fn a_full_subscription_keeps_its_oldest_messages_as_in_lcm() {
        let mut queue = Queue::new(false);
        let (two, all) = (subscribe(&mut queue, "A", 2), subscribe(&mut queue, "A", 0));
        (1..=5).for_each(|n| publish(&mut queue, "A", n));
        assert_eq!((two.queued(), all.queued()), (2, 5));
        assert_eq!(handled(&mut queue, &[&two, &all]), [vec![1, 2], vec![1, 2, 3, 4, 5]]);
        assert_eq!((two.queued(), all.queued()), (0, 0));
        queue.unsubscribe(Arc::as_ptr(&all)).unwrap();
        assert!(queue.unsubscribe(Arc::as_ptr(&all)).is_none());
        (1..=5).for_each(|n| publish(&mut queue, "A", n));
        assert!(!queue.wants(b"A", How::Counted) && queue.wants(b"A", How::Always));
        assert_eq!(queue.entries.len(), 2, "what nobody counts is not kept");
    }

    #[test]
    fn a_late_subscription_receives_an_older_message_for_a_newer_one_as_in_lcm() {
        let mut queue = Queue::new(false);
        let early = subscribe(&mut queue, "A", 30);
        publish(&mut queue, "A", 1);
        publish(&mut queue, "A", 2);
        let late = subscribe(&mut queue, "A", 30);
        publish(&mut queue, "A", 3);
        assert_eq!(handled(&mut queue, &[&early, &late]), [vec![1, 2, 3], vec![1]]);
    }

    #[test]
    fn a_full_subscription_keeps_its_newest_messages_on_request() {
        let mut queue = Queue::new(true);
        let (two, all) = (subscribe(&mut queue, "A", 2), subscribe(&mut queue, "A|B", 0));
        (1..=5).for_each(|n| publish(&mut queue, "A", n));
        let late = subscribe(&mut queue, "A", 30);
        publish(&mut queue, "B", 6);
        assert_eq!((two.queued(), all.queued(), late.queued()), (2, 6, 0));
        let lists = handled(&mut queue, &[&two, &all, &late]);
        assert_eq!(lists, [vec![4, 5], vec![1, 2, 3, 4, 5, 6], vec![]]);
        assert_eq!((two.queued(), all.queued(), two.numbers.lock().unwrap().len()), (0, 0, 0));
    }

    #[test]
    fn a_capacity_that_was_lowered_holds_from_the_next_message_on() {
        let mut queue = Queue::new(true);
        let one = subscribe(&mut queue, "A", 30);
        (1..=5).for_each(|n| publish(&mut queue, "A", n));
        one.set_capacity(2);
        publish(&mut queue, "A", 6);
        assert_eq!(one.queued(), 2);
        // While a message is handled, it is counted, but is no longer one to give up.
        let taken = queue.pop().unwrap();
        (7..=9).for_each(|n| publish(&mut queue, "A", n));
        assert!(queue.receives(&one));
        queue.handled(&taken.asked);
        let left = handled(&mut queue, &[&one]);
        assert_eq!(left[0].last(), Some(&9), "{left:?}");
        assert!(left[0].len() <= 2, "{left:?}");
    }

    #[test]
    fn messages_that_were_given_up_take_no_memory() {
        let mut queue = Queue::new(true);
        let (one, few) = (subscribe(&mut queue, "A", 1), subscribe(&mut queue, "B", 30));
        publish(&mut queue, "B", 0);
        for n in 0..10_000u32 {
            publish(&mut queue, "A", n as u8);
        }
        assert!(queue.entries.len() <= 2 * HOLLOW + 2, "{}", queue.entries.len());
        assert_eq!(handled(&mut queue, &[&one, &few]), [vec![(9_999u32) as u8], vec![0]]);
        assert!(queue.is_empty() && queue.hollow == 0);
    }

    #[test]
    fn the_list_of_known_channels_is_bounded() {
        let mut queue = Queue::new(false);
        subscribe(&mut queue, ".*", 1);
        (0..5000).for_each(|n| publish(&mut queue, &format!("C{n}"), 0));
        assert!(queue.known.len() <= MOST_KNOWN);
    }
}
