//! Tests of handles.

use super::*;
use crate::code::SALTUS_INVALID;
use std::sync::Arc;
use std::thread;

#[derive(Clone, Copy, Debug, PartialEq)]
struct One {
    id: u64,
}
kind!(One, 13, "the one", UnsafeCell<Arc<()>>);
#[derive(Clone, Copy)]
struct Other {
    id: u64,
}
kind!(Other, 14, "the other", ());

fn open(alive: &Arc<()>) -> One {
    give(UnsafeCell::new(alive.clone())).ok().expect("a handle")
}
fn reported<T>(result: Result<T>) -> Option<&'static str> {
    match result {
        Err(Fail::Misuse(what)) => Some(what),
        _ => None,
    }
}

#[test]
fn only_open_handles_of_the_kind_mean_something() {
    let alive = Arc::new(());
    let handle = open(&alive);
    assert!(locked(handle).is_ok());
    assert_eq!(reported(locked(One { id: 0 })), Some("the one is not open: its id is 0"));
    let closed = |handle: One| reported(locked(handle)).is_some_and(|what| what.contains("closed"));
    assert!(reported(used(Other { id: handle.id })).is_some());
    for wrong in
        [1, 16, 1 << 18, u64::MAX, handle.id + 1, handle.id ^ 1 << 30, (&raw const alive).addr() as u64]
    {
        assert!(closed(One { id: wrong }), "{wrong:x}");
    }
    assert_eq!(close(Other { id: handle.id }), SALTUS_INVALID);
    assert_eq!(Arc::strong_count(&alive), 2);
    assert_eq!(close(handle), SALTUS_OK);
    assert_eq!(Arc::strong_count(&alive), 1);
    assert!(closed(handle));
    // Also when its place is used again.
    let again = open(&alive);
    assert!(again != handle && closed(handle));
    assert_eq!(close(handle), SALTUS_INVALID);
    assert!(locked(again).is_ok());
    assert_eq!(close(again), SALTUS_OK);
    assert_eq!(close(again), SALTUS_INVALID);
    assert_eq!(close(One { id: 0 }), SALTUS_OK);
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn one_call_at_a_time_and_closing_waits_for_none() {
    let alive = Arc::new(());
    let handle = open(&alive);
    let first = locked(handle).ok().expect("it is free");
    assert!(reported(locked(handle)).is_some_and(|what| what.contains("one call at a time")));
    assert!(used(handle).is_ok(), "what may be shared is");
    close(handle);
    assert!(reported(locked(handle)).is_some() && Arc::strong_count(&alive) == 2);
    drop(first);
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn threads_that_open_use_and_close_lose_nothing() {
    let alive = Arc::new(());
    let newest = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..3000 {
                    let handle = open(&alive);
                    newest.store(handle.id, Relaxed);
                    let theirs = One { id: newest.load(Relaxed) };
                    if let Ok(locked) = locked(theirs) {
                        assert!(Arc::strong_count(&locked) >= 2);
                    }
                    close(theirs);
                    close(handle);
                }
            });
        }
    });
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn a_handle_in_use_is_refused_to_other_threads_and_may_move_between_calls() {
    let alive = Arc::new(());
    // One of a slot that belongs to no other thread: those of other tests have used some.
    let mut others = Vec::new();
    let handle = loop {
        let handle = open(&alive);
        if [0, asymmetric::thread()].contains(&slot(handle.id).owner.load(Relaxed)) {
            break handle;
        }
        others.push(handle);
    };
    others.into_iter().for_each(|handle| _ = close(handle));
    let elsewhere = || thread::scope(|s| s.spawn(|| locked(handle).is_ok()).join().expect("no panic"));
    let first = locked(handle).ok().expect("it is free");
    assert!(!elsewhere());
    drop(first);
    let cheap = locked(handle).ok().expect("it is free");
    assert_eq!(cheap.0.added == 0, asymmetric::available(), "the owner's second call adds nothing");
    assert!(!elsewhere());
    drop(cheap);
    assert!(locked(handle).is_ok_and(|still| (still.0.added == 0) == asymmetric::available()));
    assert!(elsewhere());
    let held = locked(handle).ok().expect("it is free again");
    assert!(held.0.added != 0, "for all threads alike");
    assert!(!elsewhere());
    drop(held);
    assert!(elsewhere());
    close(handle);
    assert_eq!(Arc::strong_count(&alive), 1);
}

/// What calls that meet would leave different.
struct Two(UnsafeCell<(u64, u64)>, #[expect(dead_code, reason = "is counted")] Arc<()>);
// SAFETY: that `locked` guards it is what is tested.
unsafe impl Sync for Two {}
#[derive(Clone, Copy)]
struct Pair {
    id: u64,
}
kind!(Pair, 12, "the pair", Two);
impl Guarded for Two {
    type Own = (u64, u64);
    fn own(&self) -> &UnsafeCell<(u64, u64)> {
        &self.0
    }
}

impl Drop for Two {
    fn drop(&mut self) {
        let (before, after) = self.0.get_mut();
        assert_eq!(before, after, "dropped under a call");
    }
}

fn pair(alive: &Arc<()>) -> Pair {
    give(Two(UnsafeCell::new((0, 0)), alive.clone())).ok().expect("a handle")
}

/// One call, which takes a moment: whether it was let in.
fn call(handle: Pair) -> bool {
    let Ok(mut own) = locked(handle) else { return false };
    let (before, after) = &mut *own;
    *before += 1;
    for _ in 0..8 {
        std::hint::spin_loop();
    }
    *after += 1;
    assert_eq!(before, after, "two calls met");
    true
}

#[test]
fn calls_of_three_threads_and_a_close_never_meet() {
    let alive = Arc::new(());
    for round in 0..300 {
        let handle = pair(&alive);
        let start = std::sync::Barrier::new(3);
        // Counts of those that were let in: the close comes after the first of each thread, however they are scheduled.
        let got = [const { AtomicUsize::new(0) }; 3];
        let all_were_in = || got.iter().all(|got| got.load(Relaxed) > 0);
        thread::scope(|scope| {
            for (i, mine) in got.iter().enumerate() {
                let (start, all_were_in) = (&start, &all_were_in);
                scope.spawn(move || {
                    start.wait();
                    let mut calls = 0;
                    while calls < [2000, 40, 4][i] || mine.load(Relaxed) == 0 {
                        mine.fetch_add(usize::from(call(handle)), Relaxed);
                        calls += 1;
                        if calls >= [2000, 40, 4][i] {
                            thread::yield_now(); // to the thread whose call is under way
                        }
                    }
                    if i == 2 {
                        while !all_were_in() {
                            thread::yield_now();
                        }
                        close(handle);
                    }
                });
            }
        });
        assert_eq!(Arc::strong_count(&alive), 1, "round {round}: dropped, and once");
    }
}

#[test]
fn the_owner_and_the_first_other_thread_never_meet() {
    let alive = Arc::new(());
    let (current, calls) = (AtomicU64::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        let owner = scope.spawn(|| {
            loop {
                match current.load(Acquire) {
                    1 => return,
                    id if call(Pair { id }) => {
                        calls.fetch_add(1, Relaxed);
                    }
                    _ => std::hint::spin_loop(),
                }
            }
        });
        for round in 0..4000 {
            let handle = pair(&alive);
            let before = calls.load(Relaxed);
            current.store(handle.id, Release);
            while calls.load(Relaxed) < before + 2 && !owner.is_finished() {
                std::hint::spin_loop(); // until it is the owner, and inside for nothing
            }
            if round % 2 == 0 {
                call(handle);
            }
            close(handle);
        }
        current.store(1, Release);
    });
    assert_eq!(Arc::strong_count(&alive), 1);
}
