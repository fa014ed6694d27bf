//! Ctrl-C, SIGTERM and SIGHUP: the first requests a clean end, the second kills.
//!
//! The handler does three things, each of them safe in a signal handler. It raises a flag, signals an eventfd that every sleep of this
//! module polls, and cancels a waiting receive. No code polls the flag, and a sleep does not miss a signal that arrives just before it.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::{Duration, Instant};

static STOPPED: AtomicBool = AtomicBool::new(false);
static OUTPUT_CLOSED: AtomicBool = AtomicBool::new(false);
static BELL: OnceLock<OwnedFd> = OnceLock::new();
static CANCEL: AtomicPtr<Cancel> = AtomicPtr::new(ptr::null_mut());

/// Cancels waits; safe in a signal handler.
type Cancel = Box<dyn Fn() + Send + Sync>;

/// Makes the first stop signal only request the end. A signal that was ignored when this process started stays ignored.
pub fn on_signals() -> io::Result<()> {
    on(&[libc::SIGINT, libc::SIGTERM, libc::SIGHUP])
}

/// Makes the first of `signals` only request the end. A signal that was ignored when this process started stays ignored.
pub fn on(signals: &[libc::c_int]) -> io::Result<()> {
    let bell = bell()?;
    BELL.get_or_init(|| bell);
    signals.iter().copied().try_for_each(handle)
}

fn bell() -> io::Result<OwnedFd> {
    // SAFETY: eventfd takes two integers and returns a new descriptor or -1.
    let bell = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
    if bell < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor was just made, and not owned by any other value.
    Ok(unsafe { OwnedFd::from_raw_fd(bell) })
}

fn handle(signal: libc::c_int) -> io::Result<()> {
    let mut before = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: with no new action, sigaction only writes the old one into `before`.
    if unsafe { libc::sigaction(signal, ptr::null(), before.as_mut_ptr()) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call above filled it, and all zeros would be valid too.
    let mut action = unsafe { before.assume_init() };
    if action.sa_sigaction == libc::SIG_IGN {
        return Ok(());
    }
    action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // No SA_RESTART: a blocked read or write returns. SA_RESETHAND: the second signal kills.
    action.sa_flags = libc::SA_RESETHAND;
    // SAFETY: the handler is a function of the type that these flags require, and does only what is safe there.
    match unsafe { libc::sigaction(signal, &action, ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

extern "C" fn on_signal(_: libc::c_int) {
    // SAFETY: errno is this thread's own word. It is restored, so that the interrupted code sees its own value.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let kept = unsafe { *errno };
    request();
    // SAFETY: as above.
    unsafe { *errno = kept };
}

/// Requests a clean end, as Ctrl-C does. Safe in a signal handler.
pub fn request() {
    // SeqCst, with `cancel_with`: either this sees the cancel handle, or the thread that registers it sees the flag.
    STOPPED.store(true, Ordering::SeqCst);
    if let Some(bell) = BELL.get() {
        // SAFETY: eight bytes are read from a word that lives as long as the call; a full eventfd is signaled already.
        unsafe { libc::write(bell.as_raw_fd(), ptr::from_ref(&1_u64).cast(), 8) };
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

/// Requests the end also when the reader of standard output closes it, even if nothing is being written.
pub fn when_output_closes() {
    let Ok(output) = io::stdout().as_fd().try_clone_to_owned() else { return };
    let watch = move || {
        // With no events requested, poll returns only for an error: the reader of the pipe is gone.
        let mut poll = pollfd(Some(output.as_fd()), 0);
        while poll_all(std::slice::from_mut(&mut poll), None) == 0 {}
        if poll.revents & libc::POLLERR != 0 {
            // Relaxed: `request` publishes it.
            OUTPUT_CLOSED.store(true, Ordering::Relaxed);
            request();
        }
    };
    // Without a thread, a write to the closed output ends the program, though only with the next line.
    let _ = crate::process::spawn("saltus-output", watch);
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

/// Waits until the file has data to read, or is at its end; returns false when the end was requested first.
pub fn wait_readable(input: &impl AsFd) -> bool {
    while !requested() {
        if wait(Some(input.as_fd()), libc::POLLIN, None) {
            return true;
        }
    }
    false
}

/// Waits until the file has data to read, the time is reached, or the end was requested; returns whether it has data.
pub fn readable_until(input: &impl AsFd, time: Option<Instant>) -> bool {
    !requested()
        && wait(
            Some(input.as_fd()),
            libc::POLLIN,
            time.map(|time| time.saturating_duration_since(Instant::now())),
        )
}

/// Waits until the file accepts data, or has an error; returns false when the end was requested first.
pub fn wait_writable(output: &impl AsFd) -> bool {
    while !requested() {
        if wait(Some(output.as_fd()), libc::POLLOUT, None) {
            return true;
        }
    }
    false
}

/// Whether the file accepts data, or has an error, within that time, even if the end was requested.
pub fn writable_within(output: &impl AsFd, time: Duration) -> bool {
    poll_all(&mut [pollfd(Some(output.as_fd()), libc::POLLOUT)], Some(time)) > 0
}

/// Sleeps until the eventfd is signaled, the file is ready (or broken), or the time expires; returns whether the file is ready.
fn wait(file: Option<BorrowedFd<'_>>, events: libc::c_short, time: Option<Duration>) -> bool {
    let bell = BELL.get().map(|bell| bell.as_fd());
    let mut polls = [pollfd(bell, libc::POLLIN), pollfd(file, events)];
    poll_all(&mut polls, time) > 0 && polls[1].revents != 0
}

fn pollfd(file: Option<BorrowedFd<'_>>, events: libc::c_short) -> libc::pollfd {
    // poll ignores a negative descriptor.
    libc::pollfd { fd: file.map_or(-1, |f| f.as_raw_fd()), events, revents: 0 }
}

/// The number of ready descriptors within that time; 0 when a signal arrived first.
fn poll_all(polls: &mut [libc::pollfd], time: Option<Duration>) -> usize {
    let time = time.map(|t| libc::timespec { tv_sec: t.as_secs() as _, tv_nsec: t.subsec_nanos() as _ });
    let time = time.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the pollfds and the time live as long as the call; the signal mask is unchanged.
    let ready = unsafe { libc::ppoll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, time, ptr::null()) };
    usize::try_from(ready).unwrap_or(0)
}

/// Standard input without a separate buffer, so that waiting for it considers all unread data.
pub fn input() -> io::Result<File> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}
