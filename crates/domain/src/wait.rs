//! Waiting on several subscribers at once, of whatever domains.

use crate::{Error, Result, Subscriber};
use saltus_channel::Until;
use saltus_os::clock;
use std::os::fd::AsRawFd;

/// How long a sleep lasts at most before the cancellers are looked at, in ns.
const SLICE: u64 = 100_000_000;

/// Waits until one of `subscribers` may have something, and returns its index; the first, if several may. `None` when the time
/// is up. Then receive from it with [`Until::Poll`], which may find nothing after all.
///
/// Each may be of another domain. A canceller of any of them calls off the wait, within 100 ms. Allocates; over `shm://` the
/// first wait starts a thread for each channel. For channels in shared memory alone, [`saltus_channel::wait_any`] does without.
pub fn wait_any(subscribers: &mut [&mut Subscriber], until: impl Into<Until>) -> Result<Option<usize>> {
    let deadline = until.into().deadline();
    let mut polls = Vec::with_capacity(subscribers.len());
    loop {
        polls.clear();
        for (i, subscriber) in subscribers.iter_mut().enumerate() {
            if subscriber.is_canceled() {
                return Err(Error::Canceled);
            }
            let fd = subscriber.fd()?.as_raw_fd();
            if subscriber.has_unseen() {
                return Ok(Some(i));
            }
            polls.push(libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
        }
        let now = clock::monotonic();
        let end = deadline.unwrap_or(0).min(now.saturating_add(SLICE));
        let left = end.saturating_sub(now);
        let time =
            libc::timespec { tv_sec: (left / 1_000_000_000) as i64, tv_nsec: (left % 1_000_000_000) as i64 };
        // SAFETY: the list and the time live across the call; no signal mask is given.
        let ready =
            unsafe { libc::ppoll(polls.as_mut_ptr(), polls.len() as libc::nfds_t, &time, std::ptr::null()) };
        if ready > 0 && !subscribers.iter().any(|s| s.is_canceled()) {
            return Ok(polls.iter().position(|p| p.revents != 0));
        }
        if clock::monotonic() >= deadline.unwrap_or(0) {
            return Ok(None);
        }
    }
}
