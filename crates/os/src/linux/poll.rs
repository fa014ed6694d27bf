//! Waiting for a few descriptors at once. For many, or for the same ones again and again, use [`crate::epoll`].

use crate::fd::{AsRawFd, BorrowedFd};
use crate::unix::poll::NO_FD;
pub use crate::unix::poll::{Interest, PollFd, READ, WRITE};
use std::io;
use std::time::Duration;

/// An entry for [`wait`]. `None`: an entry that never has events.
pub fn entry(fd: Option<BorrowedFd<'_>>, events: Interest) -> PollFd {
    PollFd { fd: fd.map_or(NO_FD, |fd| fd.as_raw_fd()), events, revents: 0 }
}

/// Sleeps until a descriptor is ready or broken, for `time` at most; returns how many are. One system call.
///
/// # Errors
/// The system's. A signal ends the wait with `Interrupted`.
pub fn wait(polls: &mut [PollFd], time: Option<Duration>) -> io::Result<usize> {
    let time = time.map(|t| super::timespec(u64::try_from(t.as_nanos()).unwrap_or(u64::MAX)));
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the entries and the time live as long as the call; the signal mask is unchanged.
    let ready =
        unsafe { libc::ppoll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, time, std::ptr::null()) };
    super::check(ready).map(|ready| ready as usize)
}
