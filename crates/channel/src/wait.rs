//! Waiting on channels.

use crate::limits::{QUIET_SLICE, SLICE};
use crate::mapping::Mapping;
use crate::receiver::Receiver;
use crate::{Error, Result};
use saltus_os::cancel::CancelHandle;
use saltus_os::clock;
use saltus_os::futex::Word;
use saltus_os::several;
use std::time::Duration;

/// The way in which a subscriber waits.
#[derive(Debug)]
pub(crate) struct Waiter {
    cancel: Option<CancelHandle>,
    /// How long to busy-wait before sleeping.
    spin: Duration,
    /// If set, poll at this interval and do not arm the bell.
    poll_every: Option<Duration>,
    /// The longest sleep, in ns.
    slice: u64,
    /// The bell's generation that it armed for, while it sleeps.
    armed: Option<u64>,
    /// When to check next whether the channel still exists, monotonic ns; 0 before the first sleep.
    next_look: u64,
}

impl Waiter {
    pub fn new(spin: Duration, poll_every: Option<Duration>, slice: Duration) -> Waiter {
        let slice = u64::try_from(slice.as_nanos()).unwrap_or(u64::MAX);
        Waiter { cancel: None, spin, poll_every, slice, armed: None, next_look: 0 }
    }

    /// The handle that cancels its waits; created on first use.
    pub fn cancel_handle(&mut self) -> CancelHandle {
        self.cancel.get_or_insert_with(CancelHandle::new).clone()
    }
    /// Makes `cancel` the handle that cancels waits, in place of the current one.
    pub fn set_cancel_handle(&mut self, cancel: &CancelHandle) {
        self.cancel = Some(cancel.clone());
    }
    /// Whether there is a handle, which needs a word of [`sleep`].
    pub fn is_cancelable(&self) -> bool {
        self.cancel.is_some()
    }
    fn is_canceled(&self) -> bool {
        self.cancel.as_ref().is_some_and(CancelHandle::is_canceled)
    }

    /// Busy-waits for the configured time. Returns whether any message is unseen.
    pub fn spin(&self, receiver: &Receiver, deadline: u64) -> bool {
        if self.spin.is_zero() {
            return false;
        }
        let spin = u64::try_from(self.spin.as_nanos()).unwrap_or(u64::MAX);
        let end = deadline.min(clock::monotonic().saturating_add(spin));
        while clock::monotonic() < end && !self.is_canceled() && receiver.mapping().retired().is_none() {
            if receiver.has_unseen() {
                return true;
            }
            std::hint::spin_loop();
        }
        false
    }

    /// Arms the bell, unless this subscriber only polls. Returns the word to sleep on.
    fn arm(&mut self, mapping: &Mapping) -> Option<Word> {
        let armed = if self.poll_every.is_some() { None } else { mapping.arm() };
        self.armed = armed.map(|(at, _)| at);
        armed.map(|(_, word)| word)
    }

    /// After arming: passes the wake on if necessary.
    fn disarm(&mut self, mapping: &Mapping) {
        if let Some(at) = self.armed.take() {
            mapping.disarm(at);
        }
    }

    /// Interval at which a wait checks without having armed, in ns.
    fn poll_slice(&self) -> u64 {
        let period = self.poll_every.map_or(QUIET_SLICE, |period| period.as_nanos() as u64);
        period.clamp(100_000, SLICE - 1)
    }

    /// Checks once per wake-up interval whether the channel disappeared without being marked.
    #[inline(always)]
    fn look_for_the_channel(&mut self, mapping: &Mapping, now: u64) -> Result<()> {
        if now < self.next_look {
            return Ok(());
        }
        // Not at the very first sleep: most sleeps are shorter than the interval.
        let first = std::mem::replace(&mut self.next_look, now.saturating_add(SLICE)) == 0;
        if first { Ok(()) } else { mapping.check_presence() }
    }
}

/// A subscriber in a sleep.
pub(crate) trait Sleeper {
    /// Its position, and its way of waiting.
    fn parts(&mut self) -> (&mut Receiver, &mut Waiter);
}

/// Sleeps until one of `sleepers` may have an unseen message: `true`. `false`: the time expired.
///
/// `N` limits the number of `sleepers` plus their cancel handles, so that a sleep on one need not clear a long table.
pub(crate) fn sleep<const N: usize>(sleepers: &mut [&mut impl Sleeper], deadline: u64) -> Result<bool> {
    let result = sleep_armed::<N>(sleepers, deadline);
    // Pass the wake on, on every channel and whatever ended the sleep. A publisher may have counted this subscriber among those that it
    // woke even if another word was reported or the time expired at that moment.
    for sleeper in sleepers.iter_mut() {
        let (receiver, waiter) = sleeper.parts();
        waiter.disarm(receiver.mapping());
    }
    result
}

fn sleep_armed<const N: usize>(sleepers: &mut [&mut impl Sleeper], deadline: u64) -> Result<bool> {
    const NOTHING: Word = Word { at: std::ptr::null(), value: 0, shared: false };
    let (mut words, mut count) = ([NOTHING; N], 0);
    let mut slice = u64::MAX;
    let mut put = |word| {
        words[count] = word;
        count += 1;
    };
    for sleeper in sleepers.iter_mut() {
        let (receiver, waiter) = sleeper.parts();
        if waiter.is_canceled() {
            return Err(Error::Canceled);
        }
        match waiter.arm(receiver.mapping()) {
            Some(word) => put(word),
            None => slice = slice.min(waiter.poll_slice()),
        }
        slice = slice.min(waiter.slice);
    }
    for sleeper in sleepers.iter_mut() {
        if let Some(cancel) = &sleeper.parts().1.cancel {
            put(cancel.word());
        }
    }
    // [a4] The second check, after arming: the lanes in use, all heads, and the end of the channel.
    for sleeper in sleepers.iter_mut() {
        let (receiver, _) = sleeper.parts();
        // The end first: messages published before it are then visible.
        let end = receiver.mapping().retired();
        if receiver.has_unseen() {
            return Ok(true);
        }
        if let Some(how) = end {
            return Err(receiver.mapping().retired_error(how));
        }
    }
    let now = clock::monotonic();
    if now >= deadline {
        return Ok(false);
    }
    let end = deadline.min(now.saturating_add(slice));
    for sleeper in sleepers.iter_mut() {
        let (receiver, waiter) = sleeper.parts();
        match waiter.look_for_the_channel(receiver.mapping(), now) {
            // Messages published before the end are delivered before the error.
            Err(_) if receiver.has_unseen() => return Ok(true),
            other => other?,
        }
    }
    if count == 0 {
        saltus_os::process::sleep_until(end);
    } else {
        // SAFETY: the bells are mapped by the subscribers' channels, the cancel words live in their handles.
        unsafe { several::wait(&words[..count], end) };
    }
    for sleeper in sleepers.iter_mut() {
        sleeper.parts().0.slept();
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Stats;
    use crate::testing::Temporary;
    use saltus_ring::{Memory, Start, bell};
    use std::sync::atomic::Ordering::Relaxed;

    struct Alone(Receiver, Waiter);

    impl Sleeper for Alone {
        fn parts(&mut self) -> (&mut Receiver, &mut Waiter) {
            (&mut self.0, &mut self.1)
        }
    }

    fn alone(channel: &Temporary, waiter: Waiter) -> Alone {
        let stats = Stats::new(&channel.mapping, false, false, 1);
        Alone(Receiver::new(channel.mapping.clone(), Start::Newest, stats), waiter)
    }
    fn waiter(spin: Duration, poll_every: Option<Duration>) -> Waiter {
        Waiter::new(spin, poll_every, Duration::from_nanos(SLICE))
    }
    /// The generation armed for, and the number of subscribers asleep.
    fn bell(channel: &Temporary) -> (u64, u64) {
        let page = &channel.mapping.bell.as_ref().unwrap().mem;
        (page.load(bell::ARM, Relaxed), page.load(bell::ASLEEP, Relaxed))
    }

    #[test]
    fn a_sleep_arms_ends_at_its_deadline_and_leaves_nobody_asleep() {
        let channel = Temporary::new();
        let mut alone = alone(&channel, waiter(Duration::ZERO, None));
        let deadline = clock::monotonic() + 2_000_000;
        while sleep::<2>(&mut [&mut alone], deadline).unwrap() {}
        assert!(clock::monotonic() >= deadline);
        assert_eq!(bell(&channel), (1, 0));
        assert_eq!(alone.1.armed, None);
    }

    #[test]
    fn a_poller_arms_nothing_and_looks_within_bounds() {
        let channel = Temporary::new();
        let mut alone = alone(&channel, waiter(Duration::ZERO, Some(Duration::from_micros(1))));
        assert!(sleep::<2>(&mut [&mut alone], u64::MAX).unwrap(), "it looks again by itself");
        assert_eq!(bell(&channel), (0, 0));
        assert_eq!(alone.1.poll_slice(), 100_000);
        assert_eq!(waiter(Duration::ZERO, Some(Duration::from_secs(9))).poll_slice(), SLICE - 1);
        assert_eq!(waiter(Duration::ZERO, None).poll_slice(), QUIET_SLICE);
    }

    #[test]
    fn a_message_that_is_there_ends_a_wait_at_once() {
        let mut channel = Temporary::new();
        let mut alone = alone(&channel, waiter(Duration::from_secs(60), None));
        channel.publisher.publish(b"tilt").unwrap();
        assert!(alone.1.spin(&alone.0, u64::MAX));
        assert!(sleep::<2>(&mut [&mut alone], u64::MAX).unwrap());
        assert!(!waiter(Duration::ZERO, None).spin(&alone.0, u64::MAX), "none that was not asked for");
    }

    #[test]
    fn a_canceled_wait_sleeps_and_spins_no_more() {
        let channel = Temporary::new();
        let mut alone = alone(&channel, waiter(Duration::from_secs(60), None));
        assert!(!alone.1.is_cancelable());
        let cancel = alone.1.cancel_handle();
        assert!(alone.1.is_cancelable());
        cancel.cancel();
        assert!(!alone.1.spin(&alone.0, u64::MAX));
        assert!(matches!(sleep::<2>(&mut [&mut alone], u64::MAX), Err(Error::Canceled)));
        let other = CancelHandle::new();
        alone.1.set_cancel_handle(&other);
        assert!(!sleep::<2>(&mut [&mut alone], 0).unwrap(), "the old handle cancels nothing any more");
    }
}
