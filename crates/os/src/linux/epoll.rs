//! Descriptors that a thread sleeps on: `epoll`, events, timers.

use super::{Time64, check, timespec};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// Converts the result of a call that returns a new descriptor.
fn own(fd: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: just made, and not owned by any other value.
    check(fd).map(|fd| unsafe { OwnedFd::from_raw_fd(fd) })
}

/// The events to wait for: the sum of [`READ`], [`WRITE`], [`EXCLUSIVE`].
pub type Interest = u32;
/// Data to read, or the end of the input.
pub const READ: Interest = libc::EPOLLIN as u32;
/// Space to write.
pub const WRITE: Interest = libc::EPOLLOUT as u32;
/// Wakes only one of several `epoll` instances that wait with it: the first one asleep, in the order in which they were added.
pub const EXCLUSIVE: Interest = libc::EPOLLEXCLUSIVE as u32;
/// An error or a hang-up. Always reported.
pub const BROKEN: Interest = (libc::EPOLLERR | libc::EPOLLHUP) as u32;

/// The most descriptors that one wait can report.
const MOST: usize = 64;

/// An `epoll` instance.
#[derive(Debug)]
pub struct Epoll(OwnedFd);

impl Epoll {
    /// An instance without descriptors.
    pub fn new() -> io::Result<Epoll> {
        // SAFETY: the call takes no pointers.
        own(unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) }).map(Epoll)
    }
    /// Adds `fd`, whose events are reported with `token`.
    pub fn add(&self, fd: RawFd, interest: Interest, token: u64) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_ADD, fd, interest, token)
    }
    /// Changes the events to wait for on `fd`.
    pub fn change(&self, fd: RawFd, interest: Interest, token: u64) -> io::Result<()> {
        self.control(libc::EPOLL_CTL_MOD, fd, interest, token)
    }
    /// Removes `fd`. Does nothing if it was not added.
    pub fn remove(&self, fd: RawFd) {
        let _ = self.control(libc::EPOLL_CTL_DEL, fd, 0, 0);
    }
    fn control(&self, op: libc::c_int, fd: RawFd, events: u32, data: u64) -> io::Result<()> {
        let mut event = libc::epoll_event { events, u64: data };
        // SAFETY: the event lives across the call.
        check(unsafe { libc::epoll_ctl(self.0.as_raw_fd(), op, fd, &mut event) }).map(drop)
    }

    /// Sleeps until a descriptor is ready, or until `deadline` on the monotonic clock, in ns. Calls `each` with the token and the
    /// events of each ready descriptor. Returns early, without such calls, when a signal arrives.
    pub fn wait(&self, deadline: u64, mut each: impl FnMut(u64, Interest)) {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; MOST];
        let (fd, list, most) = (self.0.as_raw_fd(), events.as_mut_ptr(), MOST as libc::c_int);
        // SAFETY: the events live across the call.
        let in_ms = |ms| libc::c_long::from(unsafe { libc::epoll_wait(fd, list, most, ms) });
        let left = match deadline {
            0 => Some(0),
            u64::MAX => None,
            _ => Some(deadline.saturating_sub(crate::clock::monotonic())),
        };
        let time = left.map(Time64::new);
        let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        let in_ns = || {
            let mask = std::ptr::null::<libc::sigset_t>();
            // SAFETY: events and time live across the call; no signal mask is given.
            unsafe { libc::syscall(libc::SYS_epoll_pwait2, fd, list, most, time, mask, 8usize) }
        };
        let mut n = if deadline == 0 { in_ms(0) } else { in_ns() };
        // Kernels before 5.11 count in milliseconds, and old sandboxes refuse what they do not know.
        if n < 0 && matches!(io::Error::last_os_error().raw_os_error(), Some(libc::ENOSYS | libc::EPERM)) {
            n = in_ms(left.map_or(-1, |ns| ns.div_ceil(1_000_000).min(i32::MAX as u64) as i32));
        }
        for event in &events[..usize::try_from(n).unwrap_or(0)] {
            each(event.u64, event.events);
        }
    }
}

impl AsFd for Epoll {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// An event descriptor: raised, until it is lowered.
#[derive(Debug)]
pub struct Event(OwnedFd);

impl Event {
    /// A lowered event.
    pub fn new() -> io::Result<Event> {
        // SAFETY: the call takes no pointers.
        own(unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) }).map(Event)
    }
    /// Raises it. Async-signal-safe; one system call.
    pub fn raise(&self) {
        // SAFETY: eight bytes that live across the call. It fails only if the event is raised 2^64 times over.
        unsafe { libc::write(self.0.as_raw_fd(), (&1u64 as *const u64).cast(), 8) };
    }
    /// Lowers it. Returns whether it was raised.
    pub fn lower(&self) -> bool {
        let mut count = 0u64;
        // SAFETY: eight bytes that live across the call. It fails if the event is low already.
        unsafe { libc::read(self.0.as_raw_fd(), (&mut count as *mut u64).cast(), 8) == 8 }
    }
    /// Its descriptor.
    pub fn raw(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

impl AsFd for Event {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// A timer: raised when its time is reached.
#[derive(Debug)]
pub struct Timer(OwnedFd);

impl Timer {
    /// A lowered timer.
    pub fn new() -> io::Result<Timer> {
        let flags = libc::TFD_CLOEXEC | libc::TFD_NONBLOCK;
        // SAFETY: the call takes no pointers.
        own(unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, flags) }).map(Timer)
    }
    /// Lowers it. If `at` is given, raises it at that time (monotonic, ns).
    pub fn set(&self, at: Option<u64>) {
        let at = at.map_or(0, |at| at.max(1)); // zero would disarm it
        let spec = libc::itimerspec { it_interval: timespec(0), it_value: timespec(at) };
        // SAFETY: the times live across the call; the old ones are not requested.
        unsafe {
            libc::timerfd_settime(self.0.as_raw_fd(), libc::TFD_TIMER_ABSTIME, &spec, std::ptr::null_mut());
        }
    }
    /// Its descriptor.
    pub fn raw(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}
