//! Tests of handles.

use super::*;
use std::sync::Arc;
use std::thread;

struct One(UnsafeCell<Arc<()>>);
impl Kind for One {
    const KIND: usize = 13;
}
impl Guarded for One {
    type Own = Arc<()>;
    fn own(&self) -> &UnsafeCell<Arc<()>> {
        &self.0
    }
}
struct Other;
impl Kind for Other {
    const KIND: usize = 14;
}

fn open(alive: &Arc<()>) -> *mut One {
    give(One(UnsafeCell::new(alive.clone()))).ok().expect("a handle")
}
fn told<T>(result: Result<T>) -> Option<&'static str> {
    match result {
        Err(Fail::Misuse(what)) => Some(what),
        _ => None,
    }
}

#[test]
fn only_open_handles_of_the_kind_mean_something() {
    let alive = Arc::new(());
    let handle = open(&alive);
    assert!(locked(handle, "null").is_ok());
    assert_eq!(told(locked(ptr::null::<One>(), "null")), Some("null"));
    let closed =
        |handle: *const One| told(locked(handle, "null")).is_some_and(|what| what.contains("closed"));
    assert!(told(used(handle.cast::<Other>(), "null")).is_some());
    for wrong in
        [1, 16, 1 << 18, usize::MAX, handle.addr() + 1, handle.addr() ^ 1 << 30, (&raw const alive).addr()]
    {
        assert!(closed(ptr::without_provenance(wrong)), "{wrong:x}");
    }
    close(handle.cast::<Other>());
    assert_eq!(Arc::strong_count(&alive), 2);
    close(handle);
    assert_eq!(Arc::strong_count(&alive), 1);
    assert!(closed(handle));
    // Also when its place is used again.
    let again = open(&alive);
    assert!(again != handle && closed(handle));
    close(handle);
    assert!(locked(again, "null").is_ok());
    close(again);
    close(again);
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn one_call_at_a_time_and_closing_waits_for_none() {
    let alive = Arc::new(());
    let handle = open(&alive);
    let first = locked(handle, "null").ok().expect("it is free");
    assert!(told(locked(handle, "null")).is_some_and(|what| what.contains("one call at a time")));
    assert!(used(handle, "null").is_ok(), "what may be shared is");
    close(handle);
    assert!(told(locked(handle, "null")).is_some() && Arc::strong_count(&alive) == 2);
    drop(first);
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn threads_that_open_use_and_close_lose_nothing() {
    let alive = Arc::new(());
    let newest = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..3000 {
                    let handle = open(&alive);
                    newest.store(handle.addr(), Relaxed);
                    let theirs = ptr::without_provenance_mut::<One>(newest.load(Relaxed));
                    if let Ok(locked) = locked(theirs, "null") {
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
fn what_one_thread_holds_no_other_gets_and_it_goes_from_thread_to_thread() {
    let alive = Arc::new(());
    // One of a slot that belongs to no other thread: those of other tests have used some.
    let mut others = Vec::new();
    let handle = loop {
        let handle = open(&alive).addr();
        if [0, asymmetric::thread()].contains(&slot(handle).owner.load(Relaxed)) {
            break handle;
        }
        others.push(handle);
    };
    others.into_iter().for_each(|h| close(ptr::without_provenance_mut::<One>(h)));
    let at = move || ptr::without_provenance::<One>(handle);
    let elsewhere = || thread::scope(|s| s.spawn(|| locked(at(), "null").is_ok()).join().expect("no panic"));
    let first = locked(at(), "null").ok().expect("it is free");
    assert!(!elsewhere());
    drop(first);
    let cheap = locked(at(), "null").ok().expect("it is free");
    assert_eq!(cheap.0.added == 0, asymmetric::available(), "the owner's second call adds nothing");
    assert!(!elsewhere());
    drop(cheap);
    assert!(locked(at(), "null").is_ok_and(|still| (still.0.added == 0) == asymmetric::available()));
    assert!(elsewhere());
    let held = locked(at(), "null").ok().expect("it is free again");
    assert!(held.0.added != 0, "for all threads alike");
    assert!(!elsewhere());
    drop(held);
    assert!(elsewhere());
    close(ptr::without_provenance_mut::<One>(handle));
    assert_eq!(Arc::strong_count(&alive), 1);
}

/// What calls that meet would leave different.
struct Pair(UnsafeCell<(u64, u64)>, #[expect(dead_code, reason = "is counted")] Arc<()>);
// SAFETY: that `locked` guards it is what is tested.
unsafe impl Sync for Pair {}
impl Kind for Pair {
    const KIND: usize = 12;
}
impl Guarded for Pair {
    type Own = (u64, u64);
    fn own(&self) -> &UnsafeCell<(u64, u64)> {
        &self.0
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        let (before, after) = self.0.get_mut();
        assert_eq!(before, after, "dropped under a call");
    }
}

fn pair(alive: &Arc<()>) -> usize {
    give(Pair(UnsafeCell::new((0, 0)), alive.clone())).ok().expect("a handle").addr()
}

/// One call, which takes a moment: whether it was let in.
fn call(handle: usize) -> bool {
    let Ok(mut own) = locked(ptr::without_provenance::<Pair>(handle), "null") else { return false };
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
    let mut got = [0; 3];
    for round in 0..300 {
        let handle = pair(&alive);
        let start = std::sync::Barrier::new(3);
        thread::scope(|scope| {
            for (i, got) in got.iter_mut().enumerate() {
                let start = &start;
                scope.spawn(move || {
                    start.wait();
                    *got += (0..[2000, 40, 4][i]).filter(|_| call(handle)).count();
                    if i == 2 {
                        close(ptr::without_provenance_mut::<Pair>(handle));
                    }
                });
            }
        });
        assert_eq!(Arc::strong_count(&alive), 1, "round {round}: dropped, and once");
    }
    assert!(got.iter().all(|n| *n > 0), "{got:?}");
}

#[test]
fn the_owner_and_the_first_other_thread_never_meet() {
    let alive = Arc::new(());
    let (current, calls) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        let owner = scope.spawn(|| {
            loop {
                match current.load(Acquire) {
                    1 => return,
                    handle if call(handle) => {
                        calls.fetch_add(1, Relaxed);
                    }
                    _ => std::hint::spin_loop(),
                }
            }
        });
        for round in 0..4000 {
            let handle = pair(&alive);
            let before = calls.load(Relaxed);
            current.store(handle, Release);
            while calls.load(Relaxed) < before + 2 && !owner.is_finished() {
                std::hint::spin_loop(); // until it is the owner, and inside for nothing
            }
            if round % 2 == 0 {
                call(handle);
            }
            close(ptr::without_provenance_mut::<Pair>(handle));
        }
        current.store(1, Release);
    });
    assert_eq!(Arc::strong_count(&alive), 1);
}
