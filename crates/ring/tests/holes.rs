//! Regression tests for weaknesses found by attacking the design: one test for each.

mod support;

use saltus_ring::{Commit, Heap, LaneWriter, Memory, Merge, Start, Which, bell};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::*};
use support::Channel;

/// Addendum 1: a publisher reserves the longest message and dies. Messages of its successor and earlier messages
/// must stay readable, wherever in the ring that happens.
#[test]
fn a_big_reservation_of_a_dead_publisher_hides_nothing() {
    for before in 0..60 {
        let channel = Channel::new(1, 3, 1000);
        let mut merge = Merge::new(&channel, Start::Oldest);
        let mut dead = channel.writer(0);
        for i in 0..before {
            channel.publish(&mut dead, &vec![i as u8; 1 + i * 37 % 1000]);
        }
        drop(dead.reserve(1000).unwrap());
        let _ = dead;
        let kept: Vec<u64> =
            std::iter::from_fn(|| channel.receive(&mut merge, Which::Next)).map(|m| m.1).collect();
        let expected: Vec<u64> =
            (before.saturating_sub(2) as u64..=before as u64).filter(|s| *s > 0).collect();
        assert_eq!(kept, expected, "three frames stay readable during a reservation");
        let mut heir = channel.writer(0);
        for i in 0..40u64 {
            let seq = channel.publish(&mut heir, &i.to_le_bytes());
            let newest = channel.receive(&mut merge, Which::Newest).expect("readable at once");
            assert_eq!((newest.1, newest.2), (seq, i.to_le_bytes().to_vec()));
        }
    }
}

/// Addendum 5: a slot that was complete when its publisher died, but was not the head, stays unpublished.
#[test]
fn a_takeover_publishes_nothing_of_the_dead_publisher() {
    let channel = Channel::new(1, 4, 64);
    let mut dead = channel.writer(0);
    channel.publish(&mut dead, b"published");
    let head = 0; // offset of a lane's head
    channel.publish(&mut dead, b"not published");
    channel.lanes[0].store(head, 1, SeqCst); // as if it had died between w4 and w5
    let mut merge = Merge::new(&channel, Start::Newest);
    let mut heir = channel.writer(0);
    assert_eq!(channel.receive(&mut merge, Which::Newest).unwrap().2, b"published");
    assert_eq!(channel.receive(&mut merge, Which::Newest), None);
    assert_eq!(channel.publish(&mut heir, b"mine"), 2);
    assert_eq!(channel.receive(&mut merge, Which::Next).unwrap().2, b"mine");
}

/// A publisher that is frozen between its timestamp and its head: its message is older than the other's, and
/// arrives after it.
fn old_after_new(
    channel: &Channel,
    frozen: &mut LaneWriter<&Heap>,
    other: &mut LaneWriter<&Heap>,
    meanwhile: impl FnOnce(),
) {
    let timestamp = channel.now.fetch_add(1, SeqCst);
    let mut reservation = frozen.reserve(3).unwrap();
    reservation.fill(0, b"old");
    channel.publish(other, b"new");
    meanwhile();
    reservation.commit(Commit { len: 3, timestamp, lease: 1 }); // SIGCONT
}

/// Addendum 4: a publisher frozen after its timestamp resumes with an old command; newest does not return to it.
#[test]
fn newest_never_goes_back_to_a_frozen_publishers_command() {
    let channel = Channel::new(2, 4, 64);
    let (mut frozen, mut other) = (channel.writer(0), channel.writer(1));
    let mut merge = Merge::new(&channel, Start::Newest);
    old_after_new(&channel, &mut frozen, &mut other, || {
        assert_eq!(channel.receive(&mut merge, Which::Newest).unwrap().2, b"new");
    });
    assert_eq!(channel.receive(&mut merge, Which::Newest), None);
    assert_eq!(channel.receive(&mut merge, Which::Current).unwrap().2, b"new");
    assert_eq!((merge.received(), merge.missed()), (1, 1), "the late one counts as missed");
    channel.publish(&mut frozen, b"newer");
    assert_eq!(channel.receive(&mut merge, Which::Newest).unwrap().2, b"newer");
}

/// A subscriber that receives the current message has skipped the late one: left unseen, it would wake a waiting
/// subscriber repeatedly.
#[test]
fn a_late_message_is_missed_by_a_newest_subscriber() {
    let channel = Channel::new(2, 4, 64);
    let (mut frozen, mut other) = (channel.writer(0), channel.writer(1));
    let mut merge = Merge::new(&channel, Start::Newest);
    old_after_new(&channel, &mut frozen, &mut other, || {
        assert_eq!(channel.receive(&mut merge, Which::Current).unwrap().2, b"new");
    });
    assert!(merge.unseen(&channel));
    assert_eq!(channel.receive(&mut merge, Which::Current).unwrap().2, b"new");
    assert!(!merge.unseen(&channel));
    assert_eq!((merge.received(), merge.missed()), (1, 1));
    channel.publish(&mut frozen, b"newer");
    let (.., newer) = channel.receive(&mut merge, Which::Current).unwrap();
    assert_eq!(newer, b"newer");
    assert_eq!((merge.received(), merge.missed()), (2, 1));
}

/// A timestamp from the future counts as now: it does not stay the newest forever.
#[test]
fn a_timestamp_from_the_future_gains_nothing() {
    let channel = Channel::new(2, 4, 64);
    let (mut liar, mut honest) = (channel.writer(0), channel.writer(1));
    let mut merge = Merge::new(&channel, Start::Newest);
    let reservation = liar.reserve(0).unwrap();
    reservation.commit(Commit { len: 0, timestamp: u64::MAX / 2, lease: 1 });
    assert_eq!(channel.receive(&mut merge, Which::Newest).unwrap().0, 0);
    for _ in 0..3 {
        channel.publish(&mut honest, b"honest");
        assert_eq!(channel.receive(&mut merge, Which::Newest).unwrap().0, 1);
    }
    // Nor does a subscriber that receives it again lose the others' messages.
    for _ in 0..3 {
        channel.publish(&mut honest, b"honest");
        channel.now.fetch_add(10, SeqCst);
        let _ = channel.receive(&mut merge, Which::Current).unwrap();
        channel.publish(&mut honest, b"honest too");
        let _ = channel.receive(&mut merge, Which::Current).unwrap();
        assert_eq!(channel.receive(&mut merge, Which::Newest).unwrap().2, b"honest too");
        assert_eq!(channel.receive(&mut merge, Which::Newest), None);
    }
}

/// Addendum 4: a reply is never delivered before its cause, even from different lanes.
#[test]
fn next_never_delivers_a_reply_before_its_cause() {
    const PAIRS: u64 = if cfg!(miri) { 50 } else { 30_000 };
    let channel = Channel::new(2, 1 << 16, 8);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // One thread writes both lanes: the question in either lane, then the reply in the other.
            let mut writers = [channel.writer(0), channel.writer(1)];
            for i in 0..PAIRS {
                let first = (i % 2) as usize;
                channel.publish(&mut writers[first], &(2 * i).to_le_bytes());
                channel.publish(&mut writers[1 - first], &(2 * i + 1).to_le_bytes());
            }
            done.store(true, Release); // pairs with the acquire below: all is published
        });
        let mut merge = Merge::new(&channel, Start::Oldest);
        let mut next = 0;
        while next < 2 * PAIRS {
            let ended = done.load(Acquire);
            match channel.receive(&mut merge, Which::Next) {
                Some((_, _, bytes)) => {
                    assert_eq!(u64::from_le_bytes(bytes.try_into().unwrap()), next);
                    next += 1;
                }
                None => assert!(!ended, "lost"),
            }
        }
    });
}

/// Addendum 14: a reader that is repeatedly lapped needs few tries, and does not give up the messages of a slow
/// lane.
#[test]
fn a_fast_publisher_does_not_evict_messages_of_a_slow_one() {
    let channel = Channel::new(2, 16, 8);
    let (mut chatty, mut quiet) = (channel.writer(0), channel.writer(1));
    let mut merge = Merge::new(&channel, Start::Oldest);
    for i in 0..8u64 {
        channel.publish(&mut quiet, &i.to_le_bytes());
    }
    let tries = Cell::new(0);
    let mut got = Vec::new();
    for _ in 0..200 {
        let before = tries.get();
        let delivered = merge.receive(&channel, Which::Next, |_, meta| {
            tries.set(tries.get() + 1);
            if meta.seq > 8 || meta.len == 0 {
                return Ok(());
            }
            for _ in 0..40 {
                let reservation = chatty.reserve(0).unwrap(); // laps the reader during its copy
                let timestamp = channel.now.fetch_add(1, SeqCst);
                reservation.commit(Commit { len: 0, timestamp, lease: 1 });
            }
            Ok(())
        });
        assert!(tries.get() - before <= 10);
        match delivered.unwrap() {
            Some(d) if d.lane == 1 => got.push(d.meta.seq),
            Some(_) => {}
            None => break,
        }
    }
    assert_eq!(got, (1..=8).collect::<Vec<_>>());
    assert_eq!(merge.received() + merge.missed(), 8 + chatty.head());
}

/// Hostile or damaged lanes do not hide the messages of honest ones.
#[test]
fn damaged_lanes_do_not_starve_honest_ones() {
    let (head, intent) = (0, 128); // their offsets in a lane
    for which in [Which::Newest, Which::Next, Which::Current] {
        for bad in [1, 2, 7] {
            for lie in [intent, head] {
                let channel = Channel::new(bad + 1, 4, 64);
                let mut honest = channel.writer(bad);
                let mut merge = Merge::new(&channel, Start::Newest);
                for lane in 0..bad {
                    channel.publish(&mut channel.writer(lane), b"liar");
                    channel.lanes[lane].store(lie, 1 << 60, SeqCst);
                }
                let mut got = 0;
                for _ in 0..1000 {
                    channel.publish(&mut honest, b"honest");
                    let delivered = merge.receive(&channel, which, |_, _| Ok(()));
                    got += matches!(delivered, Ok(Some(d)) if d.lane == bad) as u32;
                }
                assert!(got >= 900, "{which:?}: {got} of 1000 next to {bad} hostile lanes at {lie}");
            }
        }
    }
}

/// Addendum 11: the next publish repairs impossible values in the bell, and they do not cost a call at every
/// publish.
#[test]
fn impossible_wake_words_are_repaired() {
    let (page, bells) = (Heap::zeroed(8), Heap::zeroed(bell::PASSED + 8));
    let calls = Cell::new(0);
    let ring = || {
        bell::ring(&page, &bells, 8, false, |_| {
            calls.set(calls.get() + 1);
            0
        })
    };
    const WILD: u64 = u64::MAX;
    let mut cases = vec![(WILD, 0, 3), (0, WILD, 3), (WILD, WILD, 3), (1 << 40, 5, 6), (7, 1 << 40, 9)];
    cases.extend([(0, 0, WILD), (0, 0, WILD - 1), (WILD, WILD, WILD)]);
    for (arm, woken, at) in cases {
        bells.store(bell::ARM, arm, SeqCst);
        page.store(bell::WOKEN, woken, SeqCst);
        bells.store(bell::BELL, at, SeqCst);
        bells.store(bell::ASLEEP, arm, SeqCst);
        bells.store(bell::PASSED, woken, SeqCst);
        ring();
        ring();
        calls.set(0);
        (0..100).for_each(|_| {
            ring();
        });
        assert_eq!(calls.get(), 0, "arm {arm}, woken {woken}: a call at every publish");
        assert!(bells.load(bell::ASLEEP, SeqCst) < 1 << 32);
        assert!(bells.load(bell::PASSED, SeqCst) <= bells.load(bell::BELL, SeqCst));
        bell::arm(&bells);
        assert!(ring(), "arm {arm}, woken {woken}: a waiting subscriber is not woken");
    }
}
