//! Handles as C holds them: numbers that look like pointers. None is ever followed, so that one that is closed, of another kind,
//! or made up is told to its caller and harms nobody.
//!
//! ```text
//!  handle   generation … │ kind 4 │ slot 14 │ 0 0 0 0
//!  state    generation … │ kind 4 │ 0 │ busy │ users 16      of the slot; the same generation and kind: open
//! ```
//!
//! Finding the object behind a handle is a load and a comparison. Where calls of several threads may meet, they count
//! themselves as users: who closes meanwhile leaves the dropping to the last of them.

use crate::border::{Fail, Result};
use saltus_channel::Error;
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::*};

/// A kind of object that C may hold.
pub(crate) trait Kind: 'static {
    /// A number from 1 to 14 that no other kind has.
    const KIND: usize;
}

/// One that only one call at a time may use.
pub(crate) trait Guarded: Kind {
    /// What is used.
    type Own: Send;
    /// Where it lies. What lies beside it may be used by other threads at the same time.
    fn own(&self) -> &UnsafeCell<Self::Own>;
}

/// The most handles of a process.
const MOST: usize = 1 << 14;
const SLOT: u32 = 4;
const KIND: u32 = 18;
const GENERATION: u32 = 22;
const BUSY: usize = 1 << 16;
const USERS: usize = BUSY - 1;
const CLOSING: usize = 15;

struct Slot {
    state: AtomicUsize,
    /// The object's address, inverted: what was never closed is then found by leak checkers.
    object: AtomicUsize,
    /// The free slot behind this one, plus 1.
    next: AtomicUsize,
}

static SLOTS: [Slot; MOST] =
    [const { Slot { state: AtomicUsize::new(0), object: AtomicUsize::new(0), next: AtomicUsize::new(0) } };
        MOST];
/// How many slots were ever used.
static USED: AtomicUsize = AtomicUsize::new(0);
/// The first free slot among them, plus 1; above it a number that tells the lists that begin with it apart.
static FREE: AtomicUsize = AtomicUsize::new(0);
const LINK: usize = 2 * MOST - 1;

/// A slot that nobody uses. Without a lock, so that a forked child never finds one taken.
fn unused() -> Option<usize> {
    let mut head = FREE.load(Acquire);
    while head & LINK != 0 {
        let i = (head & LINK) - 1;
        let rest = (head & !LINK).wrapping_add(LINK + 1) | SLOTS[i].next.load(Relaxed);
        match FREE.compare_exchange_weak(head, rest, Acquire, Acquire) {
            Ok(_) => return Some(i),
            Err(now) => head = now,
        }
    }
    USED.fetch_update(Relaxed, Relaxed, |n| (n < MOST).then_some(n + 1)).ok()
}

fn give_back(i: usize) {
    let mut head = FREE.load(Relaxed);
    loop {
        SLOTS[i].next.store(head & LINK, Relaxed);
        let with = (head & !LINK).wrapping_add(LINK + 1) | (i + 1);
        match FREE.compare_exchange_weak(head, with, Release, Relaxed) {
            Ok(_) => return,
            Err(now) => head = now,
        }
    }
}

/// A handle for an object.
pub(crate) fn give<T: Kind>(object: T) -> Result<*mut T> {
    let Some(i) = unused() else {
        let what = format!("{MOST} handles are open in this process: close some");
        return Err(Error::NoSpace { what }.into());
    };
    let slot = &SLOTS[i];
    slot.object.store(!Box::into_raw(Box::new(object)).expose_provenance(), Relaxed);
    let generation = (slot.state.load(Relaxed) >> GENERATION).wrapping_add(1);
    let state = generation << GENERATION | T::KIND << KIND;
    slot.state.store(state, Release); // the object is there for who finds this
    Ok(ptr::without_provenance_mut(state | i << SLOT))
}

#[inline(always)]
fn slot(handle: usize) -> &'static Slot {
    &SLOTS[handle >> SLOT & (MOST - 1)]
}

/// Whether a slot in this state is what the handle, one of a `T`, means.
#[inline(always)]
fn means<T: Kind>(handle: usize, state: usize) -> bool {
    state >> KIND == handle >> KIND && handle >> KIND & 15 == T::KIND && handle & 15 == 0
}

#[cold]
fn refused(handle: usize, null: &'static str) -> Fail {
    Fail::Misuse(match handle {
        0 => null,
        _ => "a handle is closed already, or of another kind, or was never given out by Saltus",
    })
}

/// The object of a handle that nobody closes meanwhile.
///
/// # Safety
/// As the function says: nobody does during the call.
#[inline(always)]
pub(crate) unsafe fn shared<'a, T: Kind>(handle: *const T, null: &'static str) -> Result<&'a T> {
    let slot = slot(handle.addr());
    // Pairs with the release by which it was given out.
    if !means::<T>(handle.addr(), slot.state.load(Acquire)) {
        return Err(refused(handle.addr(), null));
    }
    // SAFETY: the slot holds a box of this kind, and it is not dropped before it is closed, as the caller vouches.
    Ok(unsafe { &*ptr::with_exposed_provenance::<T>(!slot.object.load(Relaxed)) })
}

/// An object in use: it is not dropped meanwhile, whoever closes it.
pub(crate) struct Used<T: Kind> {
    slot: &'static Slot,
    /// What it has added to the state.
    added: usize,
    of: PhantomData<*const T>,
}

/// The object of a handle, whatever other threads do.
pub(crate) fn used<T: Kind>(handle: *const T, null: &'static str) -> Result<Used<T>> {
    enter(handle, null, 1)
}

/// The object of a handle, for this call alone.
pub(crate) fn locked<T: Guarded>(handle: *const T, null: &'static str) -> Result<Locked<T>> {
    enter(handle, null, 1 + BUSY).map(Locked)
}

fn enter<T: Kind>(handle: *const T, null: &'static str, adds: usize) -> Result<Used<T>> {
    let slot = slot(handle.addr());
    let mut state = slot.state.load(Relaxed);
    loop {
        if !means::<T>(handle.addr(), state) {
            return Err(refused(handle.addr(), null));
        }
        if state & adds & BUSY != 0 {
            return Err(Fail::Misuse(
                "a handle is used by another thread, or by the callback's own caller: one call at a time",
            ));
        }
        if state & USERS == USERS {
            return Err(Fail::Misuse("a handle is used by more than 65,534 calls at once"));
        }
        match slot.state.compare_exchange_weak(state, state + adds, Acquire, Relaxed) {
            Ok(_) => return Ok(Used { slot, added: adds, of: PhantomData }),
            Err(now) => state = now,
        }
    }
}

impl<T: Kind> Deref for Used<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: a box of this kind, which is not dropped while this is counted.
        unsafe { &*ptr::with_exposed_provenance::<T>(!self.slot.object.load(Relaxed)) }
    }
}

impl<T: Kind> Drop for Used<T> {
    fn drop(&mut self) {
        // What this call did to the object comes before its end, and before the next call.
        let before = self.slot.state.fetch_sub(self.added, AcqRel);
        if before >> KIND & 15 == CLOSING && before & USERS == 1 {
            end::<T>(self.slot);
        }
    }
}

/// An object that no other call uses.
pub(crate) struct Locked<T: Guarded>(Used<T>);

impl<T: Guarded> Deref for Locked<T> {
    type Target = T::Own;
    fn deref(&self) -> &T::Own {
        // SAFETY: nobody else is busy with it.
        unsafe { &*self.0.own().get() }
    }
}
impl<T: Guarded> DerefMut for Locked<T> {
    fn deref_mut(&mut self) -> &mut T::Own {
        // SAFETY: as above, and this is borrowed for itself alone.
        unsafe { &mut *self.0.own().get() }
    }
}

/// Closes a handle, and drops the object once nobody uses it. What is no open handle of a `T` is left alone.
pub(crate) fn close<T: Kind>(handle: *mut T) {
    let slot = slot(handle.addr());
    let mut state = slot.state.load(Relaxed);
    while means::<T>(handle.addr(), state) {
        // Another generation, so that the handle means nothing any more.
        let generation = (state >> GENERATION).wrapping_add(1);
        let closing = generation << GENERATION | CLOSING << KIND | state & (USERS | BUSY);
        match slot.state.compare_exchange_weak(state, closing, AcqRel, Relaxed) {
            Ok(_) if state & USERS == 0 => return end::<T>(slot),
            Ok(_) => return,
            Err(now) => state = now,
        }
    }
}

/// Drops the object of a slot that is closing and has no users: nobody else comes here, and nobody enters.
fn end<T: Kind>(slot: &'static Slot) {
    let object = ptr::with_exposed_provenance_mut::<T>(!slot.object.load(Relaxed));
    let generation = slot.state.load(Relaxed) >> GENERATION;
    slot.state.store(generation << GENERATION, Relaxed);
    let place = ptr::from_ref(slot).addr() - SLOTS.as_ptr().addr();
    give_back(place / size_of::<Slot>());
    // SAFETY: made by `give` from a box of a `T`, and nothing leads to it any more.
    drop(unsafe { Box::from_raw(object) });
}

#[cfg(test)]
mod tests {
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
        for wrong in [
            1,
            16,
            1 << 18,
            usize::MAX,
            handle.addr() + 1,
            handle.addr() ^ 1 << 30,
            (&raw const alive).addr(),
        ] {
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
}
