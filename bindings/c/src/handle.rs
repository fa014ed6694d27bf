//! Handles as C holds them: a number in a structure, one structure type for each kind, passed by value. A number is looked up, so a
//! handle that is closed, invented or copied from another kind is rejected and has no other effect.
//!
//! ```text
//!  id       generation … │ kind 4 │ slot 14 │ 0 0 0 0
//!  state    generation … │ kind 4 │ cheap │ busy │ users 16      of the slot; the same generation and kind: open
//! ```
//!
//! Finding the object behind a handle is a load and a comparison. Calls that may run in several threads at the same time count
//! themselves as users. If a handle is closed in the meantime, the last user drops the object.
//!
//! [`locked`] ensures one call at a time. This is almost free in the thread that made the slot's first such call, its **owner**. While
//! the state has `cheap`, the owner stores in `owner` that it is inside a call, and then checks the state. Any other thread removes
//! `cheap`, with a fence for both ([`asymmetric`]), and checks whether the owner is inside. If so, it restores `cheap`. Otherwise all
//! threads, the owner too, set `busy` from then on, which is two atomic operations per call. A slot never changes its owner, so
//! `owner` has one writer, even if a thread still uses a handle that is closed.

use crate::asymmetric;
use crate::border::{Fail, Result, call, put};
use crate::code::{SALTUS_NOTHING, SALTUS_OK, SaltusError};
use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*, fence};

/// A handle: a structure of C around a number. [`kind!`] makes one of it.
pub(crate) trait Handle: Copy + 'static {
    /// The object that it stands for.
    type Object: 'static;
    /// A number from 1 to 14 that no other kind has.
    const KIND: u64;
    /// The error message for the null handle.
    const NONE: &'static str;
    fn id(self) -> u64;
    fn of(id: u64) -> Self;
}

/// Makes a structure with an `id` the handle of an object: `kind!(SaltusLog, 8, "the log", Object)`.
macro_rules! kind {
    ($handle:ty, $kind:literal, $name:literal, $object:ty) => {
        impl $crate::handle::Handle for $handle {
            type Object = $object;
            const KIND: u64 = $kind;
            const NONE: &'static str = concat!($name, " is not open: its id is 0");
            #[inline(always)]
            fn id(self) -> u64 {
                self.id
            }
            fn of(id: u64) -> Self {
                Self { id }
            }
        }
    };
}
pub(crate) use kind;

/// An object that only one call at a time may use.
pub(crate) trait Guarded: 'static {
    /// The object that a call uses.
    type Own: Send;
    /// Where it lies. What lies beside it may be used by other threads at the same time.
    fn own(&self) -> &UnsafeCell<Self::Own>;
}
impl<T: Send + 'static> Guarded for UnsafeCell<T> {
    type Own = T;
    #[inline(always)]
    fn own(&self) -> &UnsafeCell<T> {
        self
    }
}

/// The most handles of a process.
pub(crate) const MOST: usize = 1 << 14;
const SLOT: u32 = 4;
const KIND: u32 = 18;
const GENERATION: u32 = 22;
const CHEAP_AT: u32 = 17;
const CHEAP: u64 = 1 << CHEAP_AT;
const BUSY: u64 = 1 << 16;
const USERS: u64 = BUSY - 1;
const CLOSING: u64 = 15;
/// Threads' numbers are even.
const INSIDE: usize = 1;

/// By itself in a cache line, so that threads with handles of their own do not meet.
#[repr(align(64))]
struct Slot {
    state: AtomicU64,
    /// The object's address, inverted: what was never closed is then found by leak checkers.
    object: AtomicUsize,
    /// The function that drops it.
    end: AtomicUsize,
    /// The free slot behind this one, plus 1.
    next: AtomicUsize,
    /// The thread whose calls may be cheap, plus [`INSIDE`] while it is in one, or tries; or 0. From 0 on written by that thread alone,
    /// the first time when it is busy.
    owner: AtomicUsize,
}

impl Slot {
    const fn new() -> Slot {
        Slot {
            state: AtomicU64::new(0),
            object: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            next: AtomicUsize::new(0),
            owner: AtomicUsize::new(0),
        }
    }
}

static SLOTS: [Slot; MOST] = [const { Slot::new() }; MOST];
/// How many slots were ever used.
static USED: AtomicUsize = AtomicUsize::new(0);
/// The first free slot among them, plus 1; above it a number that tells the lists that begin with it apart.
static FREE: AtomicUsize = AtomicUsize::new(0);
const LINK: usize = 2 * MOST - 1;

/// Finds a slot that is not in use. It uses no lock, so a forked child never finds a lock held.
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

/// Opens: calls `make` for an object and writes its handle to `out`, or the null handle if there is none.
pub(crate) unsafe fn open<H: Handle>(
    out: *mut H,
    make: impl FnOnce() -> Result<Option<H::Object>>,
) -> SaltusError {
    const NULL: &str = "the place for the new handle is NULL";
    call(|| {
        // SAFETY: the header demands a place for a handle.
        unsafe { put(out, H::of(0), NULL)? };
        let Some(made) = make()? else { return Ok(SALTUS_NOTHING) };
        // SAFETY: not NULL, as was just seen.
        unsafe { put(out, give(made)?, NULL)? };
        Ok(SALTUS_OK)
    })
}

/// A handle for an object.
fn give<H: Handle>(object: H::Object) -> Result<H> {
    let Some(i) = unused() else { return Err(Fail::NoHandle { most: MOST }) };
    let slot = &SLOTS[i];
    slot.object.store(!Box::into_raw(Box::new(object)).expose_provenance(), Relaxed);
    slot.end.store((end::<H::Object> as *const ()).expose_provenance(), Relaxed);
    let generation = (slot.state.load(Relaxed) >> GENERATION).wrapping_add(1);
    let state = generation << GENERATION | H::KIND << KIND;
    let cheap = if asymmetric::available() { CHEAP } else { 0 };
    slot.state.store(state | cheap, Release); // a thread that finds this also finds the object
    Ok(H::of(state | (i as u64) << SLOT))
}

#[inline(always)]
fn slot(id: u64) -> &'static Slot {
    &SLOTS[(id >> SLOT) as usize & (MOST - 1)]
}

/// Whether a slot in this state is what the handle means.
#[inline(always)]
fn means<H: Handle>(handle: H, state: u64) -> bool {
    state >> KIND == handle.id() >> KIND && is_of_its_kind(handle)
}

#[inline(always)]
fn is_of_its_kind<H: Handle>(handle: H) -> bool {
    handle.id() & (15 << KIND | 15) == H::KIND << KIND
}

#[cold]
fn refused<H: Handle>(handle: H) -> Fail {
    Fail::Misuse(match handle.id() {
        0 => H::NONE,
        _ => "a handle is closed already, or of another kind, or was never given out by Saltus",
    })
}

/// The object of a handle that no thread closes in the meantime.
///
/// # Safety
/// As above: no thread closes the handle during the call.
#[inline(always)]
pub(crate) unsafe fn shared<'a, H: Handle>(handle: H) -> Result<&'a H::Object> {
    let slot = slot(handle.id());
    // Pairs with the release that published it.
    if !means(handle, slot.state.load(Acquire)) {
        return Err(refused(handle));
    }
    // SAFETY: the slot holds a box of this kind, and it is not dropped before it is closed, as the caller guarantees.
    Ok(unsafe { &*ptr::with_exposed_provenance::<H::Object>(!slot.object.load(Relaxed)) })
}

const IN_USE: Fail =
    Fail::Misuse("a handle is used by another thread, or by the callback's own caller: one call at a time");

/// An object in use: it is not dropped in the meantime, even if a thread closes it.
pub(crate) struct Used<H: Handle> {
    slot: &'static Slot,
    /// The number it has added to the state; 0 if its thread is inside as the owner.
    added: u64,
    of: PhantomData<*const H::Object>,
}

/// The object of a handle, whatever other threads do.
pub(crate) fn used<H: Handle>(handle: H) -> Result<Used<H>> {
    enter(handle, 1).map(|(used, _)| used)
}

/// The object of a handle, for this call alone.
#[inline(always)]
pub(crate) fn locked<H: Handle<Object: Guarded>>(handle: H) -> Result<Locked<H>> {
    let (slot, me) = (slot(handle.id()), asymmetric::thread());
    if slot.owner.load(Relaxed) == me {
        slot.owner.store(me | INSIDE, Relaxed);
        asymmetric::light(); // pairs with the heavy one of a thread that removes `cheap`, or closes
        let state = slot.state.load(Acquire); // pairs with the release that published it
        if state >> CHEAP_AT == handle.id() >> CHEAP_AT | 1 && is_of_its_kind(handle) {
            return Ok(Locked(Used { slot, added: 0, of: PhantomData })); // it is meant, and cheap
        }
        leave(slot);
    }
    locked_by_all(handle)
}

/// The same for any thread. The first one becomes the slot's owner.
#[cold]
fn locked_by_all<H: Handle<Object: Guarded>>(handle: H) -> Result<Locked<H>> {
    let (mut used, before) = enter(handle, 1 + BUSY)?;
    if before & CHEAP != 0 {
        let (slot, me) = (used.slot, asymmetric::thread());
        let owner = slot.owner.load(Relaxed) & !INSIDE;
        let inside = || slot.owner.load(Acquire) & INSIDE != 0; // pairs with the release of the owner when it leaves
        let refused = match owner {
            0 => {
                slot.owner.store(me, Relaxed);
                false
            }
            _ if owner == me => inside(), // a callback's own caller
            _ => !asymmetric::heavy() || inside(),
        };
        if refused || owner == 0 || owner == me {
            used.added = used.added.wrapping_sub(CHEAP); // is given back
        }
        if refused {
            return Err(IN_USE);
        }
    }
    Ok(Locked(used))
}

/// Counts a user in; with what the state was before.
fn enter<H: Handle>(handle: H, adds: u64) -> Result<(Used<H>, u64)> {
    let slot = slot(handle.id());
    let mut state = slot.state.load(Relaxed);
    loop {
        if !means(handle, state) {
            return Err(refused(handle));
        }
        if state & adds & BUSY != 0 {
            return Err(IN_USE);
        }
        if state & USERS == USERS {
            return Err(Fail::Misuse("a handle is used by more than 65,534 calls at once"));
        }
        // A thread that is busy removes `cheap`, which would let the owner in.
        let with = (if adds & BUSY != 0 { state & !CHEAP } else { state }) + adds;
        match slot.state.compare_exchange_weak(state, with, AcqRel, Relaxed) {
            Ok(_) => return Ok((Used { slot, added: adds, of: PhantomData }, state)),
            Err(now) => state = now,
        }
    }
}

impl<H: Handle> Deref for Used<H> {
    type Target = H::Object;
    #[inline(always)]
    fn deref(&self) -> &H::Object {
        // SAFETY: a box of this kind, which is not dropped while this is counted, or inside.
        unsafe { &*ptr::with_exposed_provenance::<H::Object>(!self.slot.object.load(Relaxed)) }
    }
}

impl<H: Handle> Drop for Used<H> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.added == 0 {
            return leave(self.slot);
        }
        // The effects of this call come before its end, and before the next call.
        let before = self.slot.state.fetch_sub(self.added, AcqRel);
        if before >> KIND & 15 == CLOSING {
            try_to_end(self.slot);
        }
    }
}

/// The owner goes.
#[inline(always)]
fn leave(slot: &'static Slot) {
    // From the thread, not from the word: a load of the value just stored would wait for the store.
    slot.owner.store(asymmetric::thread(), Release); // its effects come before those of a thread that finds it gone
    asymmetric::light(); // pairs with the heavy one in `close`
    if slot.state.load(Relaxed) >> KIND & 15 == CLOSING {
        try_to_end(slot);
    }
}

/// An object that no other call uses.
pub(crate) struct Locked<H: Handle>(Used<H>);

impl<H: Handle<Object: Guarded>> Deref for Locked<H> {
    type Target = <H::Object as Guarded>::Own;
    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        // SAFETY: no other thread is busy with it.
        unsafe { &*self.0.own().get() }
    }
}
impl<H: Handle<Object: Guarded>> DerefMut for Locked<H> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        // SAFETY: as above, and this is borrowed for itself alone.
        unsafe { &mut *self.0.own().get() }
    }
}

/// Closes a handle: the object is dropped when no call uses it any more. Closing a handle with id 0 succeeds.
pub(crate) fn close<H: Handle>(handle: H) -> SaltusError {
    call(|| if handle.id() == 0 || ended(handle) { Ok(SALTUS_OK) } else { Err(refused(handle)) })
}

/// Closes the handle, if it is open.
fn ended<H: Handle>(handle: H) -> bool {
    let slot = slot(handle.id());
    let mut state = slot.state.load(Relaxed);
    while means(handle, state) {
        // Another generation, so that the handle is not valid any more.
        let generation = (state >> GENERATION).wrapping_add(1);
        let closing = generation << GENERATION | CLOSING << KIND | state & (USERS | BUSY);
        match slot.state.compare_exchange_weak(state, closing, AcqRel, Relaxed) {
            Ok(_) => {
                let owner = slot.owner.load(Relaxed) & !INSIDE;
                // Either this sees that the owner is inside, or the owner sees on leaving that the handle is closing. If the kernel
                // refuses, the object is never dropped, rather than dropped during a call.
                if owner == 0 || owner == asymmetric::thread() || asymmetric::heavy() {
                    try_to_end(slot);
                }
                return true;
            }
            Err(now) => state = now,
        }
    }
    false
}

/// Drops the object of a slot that is closing, if it has no users. The closing thread or the last user does it. One of them always
/// sees that it is the last, because each records that it has left before it checks.
#[cold]
fn try_to_end(slot: &'static Slot) {
    fence(SeqCst); // with itself, between going and looking
    let state = slot.state.load(Acquire); // pairs with the releases of users
    if state >> KIND & 15 != CLOSING || state & USERS != 0 || slot.owner.load(Acquire) & INSIDE != 0 {
        return;
    }
    let ended = state >> GENERATION << GENERATION;
    if slot.state.compare_exchange(state, ended, Acquire, Relaxed).is_err() {
        return; // the other thread drops it
    }
    let (object, end) = (!slot.object.load(Relaxed), slot.end.load(Relaxed));
    let place = ptr::from_ref(slot).addr() - SLOTS.as_ptr().addr();
    give_back(place / size_of::<Slot>());
    // SAFETY: `give` put it there, an `end::<T>` with the box of a `T`.
    let end = unsafe { std::mem::transmute::<*const (), fn(usize)>(ptr::with_exposed_provenance(end)) };
    end(object);
}

/// Drops an object.
fn end<T>(object: usize) {
    // SAFETY: made by `give` from a box of a `T`, and nothing refers to it any more.
    drop(unsafe { Box::from_raw(ptr::with_exposed_provenance_mut::<T>(object)) });
}

#[cfg(test)]
mod tests;
