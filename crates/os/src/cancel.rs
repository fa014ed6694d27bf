//! Canceling waits from another thread or a signal handler.

use crate::epoll::Event;
use crate::futex::{self, Word};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::*};

/// Cancels waits, from another thread or from a signal handler.
///
/// The cancellation persists: the current wait and all later ones return an error of the kind `Canceled`, until
/// [`CancelHandle::reset`]. Calls that do not wait are not affected. Clones cancel the same waits.
#[derive(Clone, Debug, Default)]
pub struct CancelHandle {
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    /// 1 while canceled. A futex, for waits that sleep on words.
    word: AtomicU32,
    /// For waits that sleep on descriptors instead.
    event: Option<(Arc<Event>, Raised)>,
}

/// How long the event of a [`CancelHandle`] stays raised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raised {
    /// Until the waiting thread lowers it. The event may have other uses.
    UntilSeen,
    /// Until [`CancelHandle::reset`], which lowers it.
    UntilReset,
}

impl CancelHandle {
    /// A handle for waits that sleep on [`CancelHandle::word`]. Allocates.
    pub fn new() -> CancelHandle {
        CancelHandle::default()
    }

    /// A handle for waits that sleep only on the descriptor of `event`. Allocates.
    pub fn with_event(event: Arc<Event>, raised: Raised) -> CancelHandle {
        CancelHandle { state: Arc::new(State { word: AtomicU32::new(0), event: Some((event, raised)) }) }
    }

    /// Cancels the current wait, if there is one, and all later ones. Async-signal-safe; one system call.
    pub fn cancel(&self) {
        self.state.word.store(1, Release); // pairs with the acquire in `is_canceled`
        match &self.state.event {
            Some((event, _)) => event.raise(),
            // SAFETY: the word lives as long as `self`.
            None => drop(unsafe { futex::wake(self.state.word.as_ptr(), u32::MAX, false) }),
        }
    }

    /// Ends the cancellation. At most one system call.
    pub fn reset(&self) {
        if let Some((event, Raised::UntilReset)) = &self.state.event {
            event.lower();
        }
        self.state.word.store(0, Relaxed); // it publishes nothing
    }

    /// Whether waits are canceled. One load.
    pub fn is_canceled(&self) -> bool {
        self.state.word.load(Acquire) != 0 // pairs with the release in `cancel`
    }

    /// The word that [`CancelHandle::cancel`] changes and wakes. It lives as long as this handle or a clone of it.
    pub fn word(&self) -> Word {
        Word { at: self.state.word.as_ptr(), value: 0, shared: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::monotonic;
    use crate::epoll::{Epoll, READ};
    use crate::futex::Woken;

    /// Whether `epoll` reports an event without waiting.
    fn is_ready(epoll: &Epoll) -> bool {
        let mut ready = false;
        epoll.wait(monotonic(), |_, _| ready = true);
        ready
    }

    #[test]
    fn canceling_ends_a_sleep_on_the_word_until_reset() {
        let handle = CancelHandle::new();
        let theirs = handle.clone();
        // SAFETY: the word lives as long as `handle`.
        let sleep = |deadline| unsafe { futex::wait(handle.word(), deadline) };
        std::thread::scope(|scope| {
            scope.spawn(move || theirs.cancel());
            while !handle.is_canceled() {
                assert_eq!(sleep(u64::MAX), Woken::Look);
            }
        });
        assert_eq!(sleep(u64::MAX), Woken::Look, "later sleeps end at once");
        handle.reset();
        assert_eq!((handle.is_canceled(), sleep(monotonic() + 1_000_000)), (false, Woken::TimedOut));
    }

    #[test]
    fn canceling_raises_the_event_and_only_its_own_reset_lowers_it() {
        for (raised, after_reset) in [(Raised::UntilSeen, true), (Raised::UntilReset, false)] {
            let (event, epoll) = (Arc::new(Event::new().unwrap()), Epoll::new().unwrap());
            epoll.add(event.raw(), READ, 0).unwrap();
            let handle = CancelHandle::with_event(event, raised);
            assert_eq!((handle.is_canceled(), is_ready(&epoll)), (false, false));
            handle.cancel();
            assert_eq!((handle.is_canceled(), is_ready(&epoll)), (true, true));
            handle.reset();
            assert_eq!((handle.is_canceled(), is_ready(&epoll)), (false, after_reset), "{raised:?}");
        }
    }
}
