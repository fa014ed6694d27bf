//! The real writer, reader, take-over and bell under loom: every interleaving of a few steps, with the weak memory
//! that the language allows. Run with `RUSTFLAGS="--cfg loom" cargo test --release -p saltus-ring --test loom`.
#![cfg(loom)]

use loom::sync::atomic::{AtomicU64, fence};
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;
use saltus_ring::{Commit, LaneLayout, LaneWriter, Lanes, Memory, Merge, Start, Which, bell};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};

/// Words that loom tracks.
struct Words {
    words: Vec<AtomicU64>,
    /// What was last stored in each, which loom does not see. See [`Mortal`].
    last: Vec<std::sync::atomic::AtomicU64>,
}

impl Words {
    fn new(bytes: usize) -> Words {
        let count = bytes / 8;
        Words {
            words: (0..count).map(|_| AtomicU64::new(0)).collect(),
            last: (0..count).map(|_| std::sync::atomic::AtomicU64::new(0)).collect(),
        }
    }
}

impl Memory for Words {
    fn load(&self, at: usize, order: Ordering) -> u64 {
        self.words[at / 8].load(order)
    }
    fn store(&self, at: usize, value: u64, order: Ordering) {
        self.last[at / 8].store(value, Relaxed);
        self.words[at / 8].store(value, order);
    }
    fn fetch_add(&self, at: usize, value: u64, order: Ordering) -> u64 {
        self.words[at / 8].fetch_add(value, order)
    }
    fn fetch_max(&self, at: usize, value: u64, order: Ordering) -> u64 {
        self.words[at / 8].fetch_max(value, order)
    }
    fn replace(&self, at: usize, current: u64, new: u64) {
        let _ = self.words[at / 8].compare_exchange(current, new, Relaxed, Relaxed);
    }
    fn copy_in(&self, at: usize, bytes: &[u8]) {
        for (i, chunk) in bytes.as_chunks::<8>().0.iter().enumerate() {
            self.store(at + 8 * i, u64::from_le_bytes(*chunk), Relaxed);
        }
    }
    fn copy_out(&self, at: usize, out: &mut [MaybeUninit<u8>]) {
        for (i, chunk) in out.chunks_mut(8).enumerate() {
            let bytes = self.load(at + 8 * i, Relaxed).to_le_bytes();
            for (to, byte) in chunk.iter_mut().zip(bytes) {
                to.write(byte);
            }
        }
    }
    fn fence(&self, order: Ordering) {
        fence(order);
    }
}

/// The memory of a writer that dies after a given number of stores: later stores are never written. It loads what was last stored, as
/// the only writer does, but past loom: loom remembers only the last access to each word, so that a writer's load before its store would
/// hide a reader's load, and loom would not try their other order.
struct Mortal {
    words: Arc<Words>,
    left: Cell<u32>,
}

impl Memory for Mortal {
    fn load(&self, at: usize, _: Ordering) -> u64 {
        self.words.last[at / 8].load(Relaxed)
    }
    fn store(&self, at: usize, value: u64, order: Ordering) {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        if left > 0 {
            self.words.store(at, value, order);
        }
    }
    fn fetch_add(&self, _: usize, _: u64, _: Ordering) -> u64 {
        panic!("the writer of a lane only stores")
    }
    fn fetch_max(&self, _: usize, _: u64, _: Ordering) -> u64 {
        panic!("the writer of a lane only stores")
    }
    fn replace(&self, _: usize, _: u64, _: u64) {
        panic!("the writer of a lane only stores")
    }
    fn copy_in(&self, at: usize, bytes: &[u8]) {
        for (i, chunk) in bytes.as_chunks::<8>().0.iter().enumerate() {
            self.store(at + 8 * i, u64::from_le_bytes(*chunk), Relaxed);
        }
    }
    fn copy_out(&self, at: usize, out: &mut [MaybeUninit<u8>]) {
        self.words.copy_out(at, out);
    }
    fn fence(&self, order: Ordering) {
        fence(order);
    }
}

/// A channel of one lane.
struct One {
    words: Arc<Words>,
    layout: LaneLayout,
}

impl Lanes for One {
    type Mem = Words;
    fn used(&self) -> usize {
        1
    }
    fn lane(&self, _: usize) -> Option<&Words> {
        Some(&self.words)
    }
    fn layout(&self) -> &LaneLayout {
        &self.layout
    }
    fn now(&self) -> u64 {
        panic!("one lane needs no clock")
    }
}

/// Two slots and space for two messages: the third one starts at the first one's position.
fn tiny() -> (Arc<Words>, LaneLayout) {
    with_slots(2)
}

/// The same with more slots: the third message takes the bytes of the first, but not its slot, so that only `intent` shows it.
fn with_slots(slots: u64) -> (Arc<Words>, LaneLayout) {
    let layout = LaneLayout::custom(1, 16, slots, 128, 0);
    (Arc::new(Words::new(layout.stride() as usize)), layout)
}

fn publish<M: Memory>(writer: &mut LaneWriter<M>) -> u64 {
    let seq = writer.head() + 1;
    let mut message = [0; 16];
    message[..8].copy_from_slice(&seq.to_le_bytes());
    message[8..].copy_from_slice(&(!seq).to_le_bytes());
    let mut reservation = writer.reserve(16).unwrap();
    reservation.fill(0, &message);
    reservation.commit(Commit { len: 16, timestamp: seq, lease: 1 });
    seq
}

/// Receives once and checks that the message is whole.
fn receive(merge: &mut Merge, channel: &One, which: Which) -> Option<u64> {
    let mut bytes = [MaybeUninit::new(0); 16];
    let got = merge.receive(channel, which, |mem, meta| {
        mem.copy_out(meta.at, &mut bytes[..meta.len]);
        Ok(())
    });
    let delivered = got.ok()??; // an overrun delivers nothing
    // SAFETY: initialized above, and only initialized bytes are written to it.
    let bytes = bytes.map(|byte| unsafe { byte.assume_init() });
    let words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|c| u64::from_le_bytes(*c)).collect();
    assert_eq!(words, [delivered.meta.seq, !delivered.meta.seq], "torn");
    Some(delivered.meta.seq)
}

/// Runs `f` in every interleaving with at most this number of preemptions, and prints how many there were, for the record of
/// `cargo xtask loom --record`.
fn model(preemptions: usize, f: impl Fn() + Sync + Send + 'static) {
    let executions = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0)); // of std: loom must not see it
    let counted = executions.clone();
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(move || {
        counted.fetch_add(1, Relaxed);
        f();
    });
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    println!("loom {test}: {} executions, {preemptions} preemptions", executions.load(Relaxed));
}

/// Invariant 5 on the real code: nothing torn, each message once, in order, and all counted.
fn whole_while_overwritten(which: Which, slots: u64) {
    model(2, move || {
        let (words, layout) = with_slots(slots);
        let mut writer = LaneWriter::adopt(words.clone(), layout, u64::MAX).unwrap();
        publish(&mut writer);
        let channel = One { words, layout };
        let mut merge = Merge::new(&channel, Start::Oldest);
        let publisher = thread::spawn(move || {
            publish(&mut writer);
            publish(&mut writer);
        });
        let mut last = receive(&mut merge, &channel, which).unwrap_or(0);
        publisher.join().unwrap();
        while let Some(seq) = receive(&mut merge, &channel, which) {
            assert!(seq > last, "order");
            last = seq;
        }
        assert_eq!((last, merge.received() + merge.missed()), (3, 3));
    });
}

#[test]
fn newest_is_whole_while_it_is_overwritten() {
    whole_while_overwritten(Which::Newest, 2);
}

#[test]
fn newest_is_whole_while_its_bytes_alone_are_overwritten() {
    whole_while_overwritten(Which::Newest, 4);
}

#[test]
fn next_is_whole_while_it_is_overwritten() {
    whole_while_overwritten(Which::Next, 2);
}

/// Invariant 4 on the real code: the writer dies after each of its stores, another takes over, a reader watches.
#[test]
fn a_writer_may_die_after_any_store() {
    (0..12).for_each(|left| dies_after(left, 1, true));
}

/// The same in the second message, which overwrites what the reader receives. The heir publishes nothing: loom would find millions of
/// orders.
#[test]
fn a_writer_may_die_while_it_overwrites() {
    (12..24).for_each(|left| dies_after(left, 2, false));
}

/// A writer that dies after `left` stores of its messages. With `SALTUS_SHORT` set, as in CI, with one preemption, which is 20 times as fast.
fn dies_after(left: u32, messages: u64, heir_publishes: bool) {
    let preemptions = if std::env::var_os("SALTUS_SHORT").is_some() { 1 } else { 2 };
    model(preemptions, move || {
        let (words, layout) = tiny();
        publish(&mut LaneWriter::adopt(words.clone(), layout, u64::MAX).unwrap());
        let writer = move |words: Arc<Words>, left| {
            LaneWriter::adopt(Mortal { words, left: Cell::new(left) }, layout, u64::MAX).unwrap()
        };
        let mut mortal = writer(words.clone(), left);
        let channel = One { words: words.clone(), layout };
        let mut merge = Merge::new(&channel, Start::Oldest);
        let heir = thread::spawn(move || {
            for _ in 0..messages {
                publish(&mut mortal);
            }
            drop(mortal); // dead or done; the kernel's lock hands over the lane and orders everything
            let mut heir = writer(words, u32::MAX);
            if heir_publishes { publish(&mut heir) } else { heir.head() }
        });
        let mut last = receive(&mut merge, &channel, Which::Newest).unwrap_or(0);
        let end = heir.join().unwrap();
        while let Some(seq) = receive(&mut merge, &channel, Which::Next) {
            assert!(seq > last, "order");
            last = seq;
        }
        assert_eq!((last, merge.received() + merge.missed()), (end, end));
    });
}

/// The kernel's futex: it compares and queues in one step.
struct Futex {
    asleep: Mutex<(u32, u32)>, // waiting, and of these signaled to wake
    signal: Condvar,
}

impl Futex {
    fn wait(&self, bells: &Words, value: u32) {
        let mut asleep = self.asleep.lock().unwrap();
        // SeqCst: the kernel's compare is ordered with its queue.
        if bells.load(bell::BELL, SeqCst) as u32 != value {
            return;
        }
        asleep.0 += 1;
        while asleep.1 == 0 {
            asleep = self.signal.wait(asleep).unwrap();
        }
        asleep.0 -= 1;
        asleep.1 -= 1;
    }
    fn wake(&self, most: u32) -> u32 {
        let mut asleep = self.asleep.lock().unwrap();
        let found = most.min(asleep.0 - asleep.1);
        asleep.1 += found;
        if found > 0 {
            self.signal.notify_all();
        }
        found
    }
}

/// Waiting subscribers wake without a wake-up interval, although a publisher wakes only one: loom would report the
/// deadlock.
fn nobody_stays_asleep(sleepers: usize, publishes: u64, preemptions: usize) {
    model(preemptions, move || {
        let (page, bells) = (Arc::new(Words::new(8)), Arc::new(Words::new(bell::PASSED + 8)));
        let head = Arc::new(AtomicU64::new(0));
        let futex = Arc::new(Futex { asleep: Mutex::new((0, 0)), signal: Condvar::new() });
        let threads: Vec<_> = (0..sleepers)
            .map(|_| {
                let (page, bells, head, futex) = (page.clone(), bells.clone(), head.clone(), futex.clone());
                thread::spawn(move || {
                    loop {
                        let at = bell::arm(&bells);
                        let done = head.load(Acquire) == publishes;
                        if !done {
                            futex.wait(&bells, at as u32);
                        }
                        bell::disarm(&page, &bells, 2, at, |k| futex.wake(k));
                        if done {
                            return;
                        }
                    }
                })
            })
            .collect();
        for seq in 1..=publishes {
            head.store(seq, Release);
            bell::ring(&page, &bells, 2, false, |k| futex.wake(k));
        }
        threads.into_iter().for_each(|t| t.join().unwrap());
    });
}

#[test]
fn one_waiter_is_woken() {
    nobody_stays_asleep(1, 2, 3);
}

#[test]
fn two_waiters_are_woken() {
    nobody_stays_asleep(2, 1, 2);
}

/// Words that fail if they are repaired.
struct Sound(Arc<Words>);

impl Memory for Sound {
    fn load(&self, at: usize, order: Ordering) -> u64 {
        self.0.load(at, order)
    }
    fn store(&self, at: usize, value: u64, order: Ordering) {
        self.0.store(at, value, order);
    }
    fn fetch_add(&self, at: usize, value: u64, order: Ordering) -> u64 {
        self.0.fetch_add(at, value, order)
    }
    fn fetch_max(&self, at: usize, value: u64, order: Ordering) -> u64 {
        self.0.fetch_max(at, value, order)
    }
    fn replace(&self, at: usize, current: u64, new: u64) {
        panic!("the word at {at} is sound, and was changed from {current} to {new}");
    }
    fn copy_in(&self, _: usize, _: &[u8]) {
        panic!("a bell has no bytes")
    }
    fn copy_out(&self, _: usize, _: &mut [MaybeUninit<u8>]) {
        panic!("a bell has no bytes")
    }
    fn fence(&self, order: Ordering) {
        fence(order);
    }
}

/// A publisher does not take for damage what a subscriber arms for the bell that another publisher moved [w7].
#[test]
fn sound_words_are_not_repaired() {
    model(3, || {
        let (page, bells) = (Arc::new(Words::new(8)), Arc::new(Words::new(bell::PASSED + 8)));
        let bells2 = bells.clone();
        let publisher = thread::spawn(move || bells2.fetch_add(bell::BELL, 1, Release));
        let bells3 = bells.clone();
        let subscriber = thread::spawn(move || bell::arm(&bells3));
        let ringer = thread::spawn(move || bell::ring(&Sound(page), &Sound(bells), 2, false, |_| 0));
        publisher.join().unwrap();
        subscriber.join().unwrap();
        ringer.join().unwrap();
    });
}

/// A subscriber that leaves records in `passed` that all before the present bell are awake. None that arms later sleeps on an older one [c1].
#[test]
fn nobody_sleeps_on_a_bell_that_has_passed() {
    model(3, || {
        let (page, bells) = (Arc::new(Words::new(8)), Arc::new(Words::new(bell::PASSED + 8)));
        let queued = Arc::new(Mutex::new(false));
        bells.store(bell::ASLEEP, 1, Relaxed); // of the one that leaves
        let bells2 = bells.clone();
        let publisher = thread::spawn(move || bells2.fetch_add(bell::BELL, 1, Release));
        let (bells3, queued3) = (bells.clone(), queued.clone());
        let coming = thread::spawn(move || {
            let at = bell::arm(&bells3);
            let mut queued = queued3.lock().unwrap();
            // Relaxed: no more than the kernel's compare surely is. It queues only if the bell has not moved.
            *queued = bells3.load(bell::BELL, Relaxed) == at;
            at
        });
        bell::disarm(&page, &bells, 2, 0, |_| std::mem::take(&mut *queued.lock().unwrap()) as u32);
        publisher.join().unwrap();
        let slept_on = coming.join().unwrap();
        let asleep = *queued.lock().unwrap();
        assert!(!asleep || bells.load(bell::PASSED, Relaxed) <= slept_on, "asleep on a bell that has passed");
    });
}
