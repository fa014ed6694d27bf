//! Waiting on channels.

use crate::limits::WAKE_AT_ONCE;
use crate::mapping::Shared;
use crate::{Error, Result, Subscriber, Until, clock};
use saltus_os::cancel::CancelHandle;
use saltus_os::futex::{self, Word};
use saltus_ring::bell;

impl Shared {
    /// Arms the bell, if there is one. Returns the generation to sleep on, and the futex, its low half; then the caller
    /// must look again `[a4]`, and disarm whatever happens.
    pub(crate) fn arm(&self) -> Option<(u64, Word)> {
        let bell = self.bell.as_ref()?;
        let at = if bell.may_arm { bell::arm(&bell.mem) } else { bell::watch(&bell.mem) };
        let futex = bell.mem.address(bell::BELL, 4).cast();
        Some((at, Word { at: futex, value: at as u32, shared: true }))
    }

    /// After arming at generation `at`, asleep or not: wakes others, if the publisher left that to us. `[c1]`
    pub(crate) fn disarm(&self, at: u64) {
        let Some(bell) = &self.bell else { return };
        if bell.may_arm {
            bell::disarm(&self.page.mem, &bell.mem, WAKE_AT_ONCE, at, |k| self.wake(k));
        } else if bell::rung(&bell.mem, at) {
            self.wake(WAKE_AT_ONCE);
        }
    }
}

/// Waits until one of `subscribers` has something unseen, and returns its index; the first, if several have.
/// `None` when the time is up.
///
/// One system call sleeps on all of them. Allocates nothing. At most 127 subscribers; those with a cancel handle
/// count twice. The cancel handle of any of them cancels the wait, and a retired channel ends it with [`Error::Retired`].
pub fn wait_any(subscribers: &mut [&mut Subscriber], until: impl Into<Until>) -> Result<Option<usize>> {
    let deadline = until.into().deadline();
    let handles = subscribers.iter().filter(|s| s.cancel.is_some()).count();
    if subscribers.len() + handles >= futex::MOST_WORDS {
        return Err(Error::invalid(format!(
            "waiting on {} channels with {handles} cancel handles at once: the kernel takes {} together",
            subscribers.len(),
            futex::MOST_WORDS - 1
        )));
    }
    loop {
        if let Some(found) = subscribers.iter().position(|s| s.has_unseen()) {
            return Ok(Some(found));
        }
        let Some(deadline) = deadline else { return Ok(None) };
        if !sleep::<{ futex::MOST_WORDS }>(subscribers, deadline)? {
            return Ok(subscribers.iter().position(|s| s.has_unseen()));
        }
    }
}

/// Sleeps until there may be something unseen in one of `subscribers`: `true`. `false`: the time is up.
///
/// There must be at most `N` subscribers and cancel handles together; a sleep on one need not clear a long table.
pub(crate) fn sleep<const N: usize>(subscribers: &mut [&mut Subscriber], deadline: u64) -> Result<bool> {
    let result = sleep_armed::<N>(subscribers, deadline);
    // Pass the wake on, on every channel and whatever ended the sleep: a publisher may have counted us among those
    // it woke although another word was reported, or the time was up just then.
    for subscriber in subscribers.iter_mut() {
        subscriber.disarm();
    }
    result
}

fn sleep_armed<const N: usize>(subscribers: &mut [&mut Subscriber], deadline: u64) -> Result<bool> {
    const NOTHING: Word = Word { at: std::ptr::null(), value: 0, shared: false };
    let (mut words, mut count) = ([NOTHING; N], 0);
    let mut slice = u64::MAX;
    let mut put = |word| {
        words[count] = word;
        count += 1;
    };
    for subscriber in subscribers.iter_mut() {
        if subscriber.cancel.as_ref().is_some_and(CancelHandle::is_canceled) {
            return Err(Error::Canceled);
        }
        match subscriber.arm() {
            Some(word) => put(word),
            None => slice = slice.min(subscriber.quiet_slice()),
        }
        slice = slice.min(subscriber.slice());
    }
    for cancel in subscribers.iter().filter_map(|s| s.cancel.as_ref()) {
        put(cancel.word());
    }
    // [a4] The second look, after arming: at the lanes in use, at all heads, and at the end of the channel.
    for subscriber in subscribers.iter() {
        // The end first: what was published before it is seen then.
        let end = subscriber.shared.retired();
        if subscriber.has_unseen() {
            return Ok(true);
        }
        if let Some(how) = end {
            return Err(subscriber.shared.retired_error(how));
        }
    }
    let now = clock::monotonic();
    if now >= deadline {
        return Ok(false);
    }
    let end = deadline.min(now.saturating_add(slice));
    for subscriber in subscribers.iter_mut() {
        match subscriber.look_for_the_channel(now) {
            // What was published before the end is delivered before the end is told.
            Err(_) if subscriber.has_unseen() => return Ok(true),
            other => other?,
        }
    }
    if count == 0 {
        saltus_os::process::sleep_until(end);
    } else {
        // SAFETY: the bells are mapped by the subscribers' channels, the cancel words live in their handles.
        unsafe { futex::wait_many(&words[..count], end) };
    }
    for subscriber in subscribers.iter_mut() {
        subscriber.slept();
    }
    Ok(true)
}
