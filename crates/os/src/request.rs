//! Requests to end the program: the flag, the event that sleeps poll, and the handle that cancels a receive.

use crate::epoll::Event;
use crate::fd::{AsFd, BorrowedFd};
use crate::poll::{self, Interest, PollFd};
use std::io;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::{Duration, Instant};

static STOPPED: AtomicBool = AtomicBool::new(false);
/// Set before [`request`], which publishes it, so that both sides are relaxed.
pub(crate) static OUTPUT_CLOSED: AtomicBool = AtomicBool::new(false);
static BELL: OnceLock<Event> = OnceLock::new();
static CANCEL: AtomicPtr<Cancel> = AtomicPtr::new(ptr::null_mut());

/// Cancels waits; safe in a signal handler.
type Cancel = Box<dyn Fn() + Send + Sync>;

/// Makes the event, which later requests signal.
pub(crate) fn prepare() -> io::Result<()> {
    let bell = Event::new()?;
    BELL.get_or_init(|| bell);
    Ok(())
}

/// Requests a clean end, as Ctrl-C does. Safe in a signal handler.
pub fn request() {
    // SeqCst, with `cancel_with`: either this sees the cancel handle, or the thread that registers it sees the flag.
    STOPPED.store(true, Ordering::SeqCst);
    if let Some(bell) = BELL.get() {
        bell.raise();
    }
    // SeqCst: see above.
    let cancel = CANCEL.load(Ordering::SeqCst);
    if !cancel.is_null() {
        // SAFETY: the registered value is leaked, so it lives forever and is never changed.
        unsafe { (*cancel)() };
    }
}

/// Whether the end was requested.
pub fn requested() -> bool {
    // SeqCst: pairs with the store in `request`.
    STOPPED.load(Ordering::SeqCst)
}

/// Registers a function that is called, in a signal handler, when the end is requested. It may only cancel the wait of a subscriber.
/// The last one registered counts.
pub fn cancel_with(cancel: impl Fn() + Send + Sync + 'static) {
    let cancel: Cancel = Box::new(cancel);
    let leaked = Box::into_raw(Box::new(cancel));
    // SeqCst: see `request`. The one before stays leaked: a handler may be using it now.
    CANCEL.store(leaked, Ordering::SeqCst);
    if requested() {
        // SAFETY: just leaked, never freed.
        unsafe { (*leaked)() };
    }
}

/// Whether closing the output requested the end, so that no reader is left for a message.
pub fn output_closed() -> bool {
    // Relaxed: a thread that saw the request has synchronized with `request`.
    OUTPUT_CLOSED.load(Ordering::Relaxed)
}

/// Sleeps until that time; returns false when the end was requested first.
pub fn sleep_until(time: Instant) -> bool {
    while !requested() {
        let left = time.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        wait(None, 0, Some(left));
    }
    false
}

/// Waits until the descriptor has data to read, the time is reached, or the end was requested; returns whether it has data.
pub fn readable_until(input: &impl AsFd, time: Option<Instant>) -> bool {
    !requested()
        && wait(
            Some(input.as_fd()),
            poll::READ,
            time.map(|time| time.saturating_duration_since(Instant::now())),
        )
}

/// Sleeps until the end is requested, the descriptor is ready (or broken), or the time expires; returns whether the descriptor is ready.
pub(crate) fn wait(file: Option<BorrowedFd<'_>>, events: Interest, time: Option<Duration>) -> bool {
    let bell = BELL.get().map(AsFd::as_fd);
    let mut polls: [PollFd; 2] = [poll::entry(bell, poll::READ), poll::entry(file, events)];
    poll::wait(&mut polls, time).unwrap_or(0) > 0 && polls[1].revents != 0
}
