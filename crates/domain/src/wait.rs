//! Waiting on several subscribers at once, of any domains.

use crate::{Error, Result, Subscriber};
use saltus_channel::Until;
use saltus_os::{clock, poll};
use std::io::ErrorKind;
use std::time::Duration;

/// Longest wait before the cancel handles are checked, in ns.
const SLICE: u64 = 100_000_000;

/// Waits until one of `subscribers` has something unseen, and returns its index; the first, if several have.
/// `None`: timed out. Then receive from it with [`Until::Poll`], which finds nothing only if the message was
/// overwritten in the meantime, or was of another type.
///
/// Each may be of another domain. The cancel handle of any of them cancels the wait, within 100 ms. Allocates; over
/// `shm://` the first wait starts a thread for each channel. If all channels are in shared memory,
/// [`saltus_channel::wait_any`] does neither.
///
/// # Errors
/// [`Error::Invalid`]: no subscribers. [`Error::Canceled`]. Errors of the subscribers or the system.
pub fn wait_any(subscribers: &mut [&mut Subscriber], until: impl Into<Until>) -> Result<Option<usize>> {
    if subscribers.is_empty() {
        return Err(Error::invalid("there are no subscribers to wait for"));
    }
    let deadline = until.into().deadline();
    let mut polls = Vec::with_capacity(subscribers.len());
    loop {
        polls.clear();
        for (i, subscriber) in subscribers.iter_mut().enumerate() {
            if subscriber.is_canceled() {
                return Err(Error::Canceled);
            }
            let entry = poll::entry(Some(subscriber.fd()?), poll::READ);
            if subscriber.has_unseen() {
                return Ok(Some(i));
            }
            polls.push(entry);
        }
        let now = clock::monotonic();
        let end = deadline.unwrap_or(0).min(now.saturating_add(SLICE));
        let left = end.saturating_sub(now);
        let ready = match poll::wait(&mut polls, Some(Duration::from_nanos(left))) {
            Ok(ready) => ready,
            Err(why) if why.kind() == ErrorKind::Interrupted => 0,
            Err(why) => return Err(Error::system(format!("wait for {} subscribers", polls.len()), why)),
        };
        // A descriptor is also readable when it is time to look for new channels, or when a message arrived for
        // another of the subscribers: a subscriber that checks receives it.
        for (i, _) in polls.iter().enumerate().filter(|(_, poll)| ready > 0 && poll.revents != 0) {
            if subscribers[i].wait(Duration::ZERO)? {
                return Ok(Some(i));
            }
        }
        if clock::monotonic() >= deadline.unwrap_or(0) {
            return Ok(subscribers.iter_mut().position(|s| s.has_unseen()));
        }
    }
}
