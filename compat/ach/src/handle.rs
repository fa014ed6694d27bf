//! An open channel, and the table of all that this process ever had open.

use crate::abi::{AchChannel, AchMap};
use crate::anonymous::Anonymous;
use crate::border::Result;
use crate::slot::{Entered, Slot};
use crate::status::{ACH_EAGAIN, ACH_EINVAL};
use libc::clockid_t;
use saltus_channel::{CancelHandle, Channel, Directory, Publisher, Subscriber};
use saltus_os::lock::Held;
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::os::fd::OwnedFd;
use std::ptr::{addr_of, addr_of_mut, null_mut};
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU64, Ordering::*};

/// Publishers of a handle. More threads than that in `ach_put` take turns.
const WRITERS: usize = 16;
/// The state of a handle that is not open.
const FREE: u64 = 0;
/// The state of a handle that is being opened or closed.
const CHANGING: u64 = u64::MAX;
/// The state of a closed handle that another thread's call still used. The next open that finds it unused takes it.
const CLOSED: u64 = u64::MAX - 1;

/// An open channel. Its memory is never freed but used again, so that a pointer to it is always valid. `state` says whose it is.
pub(crate) struct Handle {
    /// [`FREE`], [`CHANGING`], [`CLOSED`], or the number of the open.
    state: AtomicU64,
    /// The next one in the table.
    next: *const Handle,
    opened: UnsafeCell<Option<Opened>>,
    cancel: CancelHandle,
    /// Messages counted in channels that the reader has left.
    pub(crate) base: AtomicU64,
    pub(crate) reader: Slot<Reader>,
    pub(crate) writers: [Slot<Publisher>; WRITERS],
}

/// What does not change while a handle is open.
pub(crate) struct Opened {
    pub directory: Directory,
    pub name: String,
    /// The channel as it was found at first.
    pub channel: Channel,
    pub map: AchMap,
    pub clock: clockid_t,
    pub _source: Option<Held>,
    /// The channel, if it has no name.
    pub anonymous: Option<&'static Anonymous>,
}

/// A handle's position.
pub(crate) struct Reader {
    pub subscriber: Subscriber,
    /// The subscriber's count of missed messages that the program knows of.
    pub known: u64,
    /// The descriptor that `ach_channel_fd` returned.
    pub fd: Option<OwnedFd>,
}

// SAFETY: `next` is constant; `opened` changes only while `state` is CHANGING and no slot is in use, see `empty`; the rest may be shared.
unsafe impl Sync for Handle {}
// SAFETY: nothing in it is bound to a thread.
unsafe impl Send for Handle {}

/// The newest handle of the table.
static TABLE: AtomicPtr<Handle> = AtomicPtr::new(null_mut());
/// The number of the last open.
static LAST: AtomicU64 = AtomicU64::new(0);

fn table() -> impl Iterator<Item = &'static Handle> {
    // Acquire: pairs with the release in `claim`.
    let mut at = TABLE.load(Acquire).cast_const();
    std::iter::from_fn(move || {
        // SAFETY: handles are never freed.
        let handle = unsafe { at.as_ref()? };
        at = handle.next;
        Some(handle)
    })
}

/// A handle that is free, in the state [`CHANGING`]; a new one if none is. Without a lock that a forked child could inherit.
fn claim() -> &'static Handle {
    // SeqCst: as all changes of `state`.
    let take = |handle: &Handle, from| handle.state.compare_exchange(from, CHANGING, SeqCst, Relaxed).is_ok();
    let closed = table().find(|handle| take(handle, CLOSED) && empty(handle));
    if let Some(free) = closed.or_else(|| table().find(|handle| take(handle, FREE))) {
        return free;
    }
    let handle = Box::into_raw(Box::new(Handle {
        state: AtomicU64::new(CHANGING),
        next: std::ptr::null(),
        opened: UnsafeCell::new(None),
        cancel: CancelHandle::new(),
        base: AtomicU64::new(0),
        reader: Slot::new(),
        writers: [const { Slot::new() }; WRITERS],
    }));
    let mut first = TABLE.load(Relaxed); // Relaxed: the exchange below checks it
    loop {
        // SAFETY: no other thread has the new handle yet.
        unsafe { (*handle).next = first };
        // Release: pairs with the acquire in `table`.
        match TABLE.compare_exchange_weak(first, handle, Release, Relaxed) {
            // SAFETY: it is never freed.
            Ok(_) => return unsafe { &*handle },
            Err(now) => first = now,
        }
    }
}

/// The word that a structure has next to `handle` and `number`. A structure that no open filled has another one.
fn check(handle: *const Handle, number: u64) -> *const c_void {
    const SALT: u64 = u64::from_le_bytes(*b"SaltusAc");
    (handle as u64 ^ number.rotate_left(32) ^ SALT) as usize as *const c_void
}

/// The handle of a structure, and the number of its open.
#[derive(Clone, Copy)]
pub(crate) struct Open {
    pub handle: &'static Handle,
    number: u64,
}

impl Open {
    /// Looks a structure up. `ACH_EINVAL` if it is NULL, was never opened, or is closed.
    #[inline(always)]
    pub unsafe fn of(chan: *const AchChannel) -> Result<Open> {
        if chan.is_null() {
            return Err(ACH_EINVAL);
        }
        // SAFETY: not NULL, so it is a structure, as the header demands. Open alone writes these words, except that a close, perhaps in
        // another thread, clears the first.
        let (shm, vtab, number) =
            unsafe { (handle_word(chan).load(Relaxed).cast_const(), (*chan).fields.vtab, (*chan).words[15]) };
        if shm.is_null() || vtab != check(shm, number) {
            return Err(ACH_EINVAL);
        }
        // SAFETY: `open` wrote this pointer, as the check word proves; handles are never freed.
        let open = Open { handle: unsafe { &*shm }, number };
        if open.is_current() { Ok(open) } else { Err(ACH_EINVAL) }
    }

    /// Whether the handle was not closed since.
    #[inline(always)]
    pub fn is_current(&self) -> bool {
        self.handle.state.load(SeqCst) == self.number // SeqCst: pairs with `close`
    }

    /// The value in a slot of the handle, with which the handle stays open. `None`: another call uses the slot. `ACH_EINVAL` if the handle
    /// was closed.
    #[inline(always)]
    pub fn enter<T>(&self, slot: &'static Slot<T>) -> Result<Option<(Entered<'static, T>, &'static Opened)>> {
        let Some(entered) = slot.enter() else { return Ok(None) };
        if !self.is_current() {
            return Err(ACH_EINVAL);
        }
        // SAFETY: `empty` takes the value only after it has found all slots unused, and after a change of the state that would have been
        // seen here: both sides first write, then read, in one order of all SeqCst operations. The reference ends before `entered`.
        match unsafe { &*self.handle.opened.get() } {
            Some(opened) => Ok(Some((entered, opened))),
            None => Err(ACH_EINVAL),
        }
    }

    /// Runs `body` with what does not change, for a call that needs neither the reader nor a publisher. The slot of a writer keeps the
    /// handle open: the last that is unused, as a put takes the first.
    pub fn with<T>(&self, body: impl FnOnce(&Opened) -> Result<T>) -> Result<T> {
        for slot in self.handle.writers.iter().rev() {
            if let Some((_entered, opened)) = self.enter(slot)? {
                return body(opened);
            }
        }
        Err(ACH_EAGAIN)
    }

    /// The handle that cancels its waits.
    pub fn cancel(&self) -> &'static CancelHandle {
        &self.handle.cancel
    }
}

/// Fills a structure with a new handle.
pub(crate) unsafe fn open(chan: *mut AchChannel, opened: Opened, subscriber: Subscriber) {
    let handle = claim();
    handle.cancel.reset();
    handle.base.store(0, Relaxed); // Relaxed: the state publishes it
    let (len, clock) = (usize::try_from(opened.channel.memory()).unwrap_or(usize::MAX), opened.clock);
    let mut reader = Reader { subscriber, known: 0, fd: None };
    reader.subscriber.set_cancel_handle(&handle.cancel);
    if let Some(mut slot) = handle.reader.enter() {
        *slot = Some(reader);
    }
    // SAFETY: the state is CHANGING: nobody else uses it.
    unsafe { *handle.opened.get() = Some(opened) };
    let number = LAST.fetch_add(1, Relaxed) + 1; // Relaxed: only each number once
    handle.state.store(number, SeqCst);
    let shm = std::ptr::from_ref(handle).cast_mut();
    // SAFETY: the header demands room for a structure.
    unsafe {
        chan.write(AchChannel { words: [0; 16] });
        (*chan).fields.shm = shm.cast();
        (*chan).fields.len = len;
        (*chan).fields.fd = -1;
        (*chan).fields.clock = clock;
        (*chan).fields.fd_source_lock = -1;
        (*chan).fields.vtab = check(shm, number);
        (*chan).words[15] = number;
    }
}

/// Closes a handle. If another thread is in a call with it, a later open releases what the handle had.
pub(crate) unsafe fn close(chan: *mut AchChannel) -> Result<()> {
    // SAFETY: as the caller has it.
    let Open { handle, number } = unsafe { Open::of(chan)? };
    // SeqCst: pairs with `Open::enter`.
    handle.state.compare_exchange(number, CHANGING, SeqCst, Relaxed).map_err(|_| ACH_EINVAL)?;
    // SAFETY: `of` has read it.
    unsafe { handle_word(chan) }.store(null_mut(), Relaxed); // the state tells other threads
    handle.cancel.cancel(); // a thread that waits must find out
    if empty(handle) {
        handle.state.store(FREE, SeqCst);
    }
    Ok(())
}

/// Drops what a handle in the state [`CHANGING`] has. If another call uses some of it, changes the state to [`CLOSED`] and returns `false`.
fn empty(handle: &Handle) -> bool {
    let reader = handle.reader.enter();
    let mut writers = [const { None }; WRITERS];
    for (writer, slot) in writers.iter_mut().zip(&handle.writers) {
        *writer = slot.enter();
    }
    let (Some(mut reader), true) = (reader, writers.iter().all(Option::is_some)) else {
        handle.state.store(CLOSED, SeqCst);
        return false;
    };
    *reader = None;
    writers.iter_mut().flatten().for_each(|writer| **writer = None);
    // SAFETY: the state is CHANGING and all slots are ours: no call has a reference to it.
    unsafe { *handle.opened.get() = None };
    true
}

/// All handles that are open now.
pub(crate) fn all() -> impl Iterator<Item = Open> {
    let open = |handle: &'static Handle| Open { handle, number: handle.state.load(SeqCst) };
    table().map(open).filter(|open| ![FREE, CHANGING, CLOSED].contains(&open.number))
}

/// The word of a structure that has its handle.
unsafe fn handle_word<'a>(chan: *const AchChannel) -> &'a AtomicPtr<Handle> {
    // SAFETY: the caller has a structure, of a program that does not keep it in constant memory; the word is aligned.
    unsafe { AtomicPtr::from_ptr(addr_of!((*chan).fields.shm).cast_mut().cast()) }
}

/// The word of a structure by which programs see and end a cancellation.
pub(crate) unsafe fn cancel_word<'a>(chan: *mut AchChannel) -> &'a AtomicI32 {
    // SAFETY: the caller has a structure; the word is aligned, and programs access it as `volatile sig_atomic_t`.
    unsafe { AtomicI32::from_ptr(addr_of_mut!((*chan).fields.cancel)) }
}

/// The position of a structure.
pub(crate) unsafe fn position(chan: *const AchChannel) -> u64 {
    // SAFETY: the caller has a structure.
    unsafe { addr_of!((*chan).fields.position.seq_num).read() }
}

/// Sets the position of a structure.
pub(crate) unsafe fn set_position(chan: *mut AchChannel, number: u64) {
    // SAFETY: the caller has a structure.
    unsafe { addr_of_mut!((*chan).fields.position.seq_num).write(number) };
}
