//! A descriptor for event loops, signaled by a thread in the subscriber's process.
//!
//! The publisher does not depend on it: the thread sleeps on the bell like any subscriber. It raises the descriptor once, then sleeps
//! until the subscriber has emptied the channel. A fast channel therefore does not keep it busy.

use crate::limits::{QUIET_SLICE, SLICE};
use crate::mapping::Mapping;
use crate::{Error, Result, Retired};
use saltus_os::clock;
use saltus_os::epoll::Event;
use saltus_os::fd::{AsFd, BorrowedFd};
use saltus_os::futex::{self, Word};
use saltus_os::several;
use saltus_ring::{Lanes, MAX_LANES, Merge, reader};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};
use std::thread::JoinHandle;

/// The descriptor and its thread.
#[derive(Debug)]
pub(crate) struct EventSource {
    both: Arc<Both>,
    thread: Option<JoinHandle<()>>,
    generation: u64,
}

/// The state that subscriber and thread share.
#[derive(Debug)]
struct Both {
    mapping: Arc<Mapping>,
    event: Event,
    /// The subscriber's cursor in each lane.
    seen: Box<[AtomicU64]>,
    /// A futex. Its low bits are WATCH: the thread waits on the bell; RAISED: it has raised the descriptor; QUIT: it must exit. The
    /// other bits count changes, so that no sleep misses one.
    state: AtomicU32,
    /// Whether the channel's name or files are gone.
    vanished: AtomicBool,
}

const WATCH: u32 = 0;
const RAISED: u32 = 1;
const QUIT: u32 = 2;
const STATE: u32 = 3;

impl EventSource {
    pub fn start(mapping: Arc<Mapping>, merge: &Merge) -> Result<EventSource> {
        let event = Event::new().map_err(|e| Error::system("make an event descriptor", e))?;
        let seen = (0..MAX_LANES).map(|i| AtomicU64::new(merge.cursor(i))).collect();
        let (state, vanished) = (AtomicU32::new(WATCH), AtomicBool::new(false));
        let both = Arc::new(Both { mapping, event, seen, state, vanished });
        let theirs = both.clone();
        // This thread must not receive the program's signals. With locked memory, its stack counts.
        let thread = saltus_os::process::without_signals(|| {
            let builder = std::thread::Builder::new().name("saltus-event".into()).stack_size(64 << 10);
            builder.spawn(move || theirs.run())
        });
        let thread = thread.map_err(|e| Error::system("start the thread of an event descriptor", e))?;
        Ok(EventSource { both, thread: Some(thread), generation: saltus_os::fork::generation() })
    }

    /// Whether this process started the thread. False in a forked child, which inherited this value.
    pub fn is_ours(&self) -> bool {
        self.generation == saltus_os::fork::generation()
    }

    pub fn fd(&self) -> BorrowedFd<'_> {
        self.both.event.as_fd()
    }

    /// Called when the subscriber has found nothing: lowers the descriptor, which newer messages raise again.
    pub fn rearm(&self, merge: &Merge) {
        if !self.is_ours() {
            return; // a forked child shares its parent's descriptor: the parent would miss an event that the child reads
        }
        let both = &self.both;
        let used = both.mapping.used();
        for (i, seen) in both.seen[..used].iter().enumerate() {
            seen.store(merge.cursor(i), Relaxed); // published by the state
        }
        // Lowered in any case: the thread may have raised it and been stopped before it set RAISED, even by this very thread if they
        // share a CPU. The changed state then shows the thread that its raise was consumed.
        let was_high = both.event.lower();
        // Acquire: pairs with the thread's release. Messages are unseen here if the position was moved back; the thread must check.
        if was_high || both.state.load(Acquire) & STATE == RAISED || merge.unseen(&*both.mapping) {
            both.set(WATCH);
        }
    }

    /// Why the channel ended, if the thread found its name or files gone.
    pub fn vanished(&self) -> Option<Retired> {
        // Relaxed: a flag alone, as of the thread's last check.
        let gone = self.both.vanished.load(Relaxed);
        if gone { Some(self.both.mapping.vanished().unwrap_or(Retired::Vanished)) } else { None }
    }
}

impl Drop for EventSource {
    fn drop(&mut self) {
        if !self.is_ours() {
            std::mem::forget(self.thread.take()); // a forked child has no such thread to end
            return;
        }
        self.both.set(QUIT);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Both {
    fn set(&self, state: u32) {
        // Release: pairs with the acquire loads of the state. Only QUIT may be set in between, and no other state follows it.
        let next = (self.state.load(Relaxed) & !STATE).wrapping_add(STATE + 1) | state;
        self.state.store(next, Release);
        // SAFETY: the word lives in this structure.
        unsafe { futex::wake(self.state.as_ptr(), 1, false) };
    }

    fn run(&self) {
        let mut next_look = 0;
        loop {
            let value = self.state.load(Acquire); // pairs with `set`
            let word = Word { at: self.state.as_ptr(), value, shared: false };
            match value & STATE {
                QUIT => return,
                // SAFETY: the word lives in this structure.
                RAISED => drop(unsafe { futex::wait(word, u64::MAX) }),
                _ => self.watch(word, &mut next_look),
            }
        }
    }

    /// Sleeps once on the bell, or raises the descriptor.
    fn watch(&self, state: Word, next_look: &mut u64) {
        let now = clock::monotonic();
        // Raised for a channel whose name is gone once per interval: its users may continue, and must not be kept busy.
        let mut is_gone = false;
        if now >= *next_look {
            *next_look = now.saturating_add(SLICE);
            is_gone = self.mapping.vanished().is_some();
            self.vanished.store(is_gone, Relaxed); // published through the descriptor
        }
        let bell = self.mapping.arm();
        if self.has_unseen() || self.mapping.retired().is_some() || is_gone {
            // Raised before RAISED is set: a subscriber that reads RAISED finds the descriptor readable.
            self.event.raise();
            // Release: pairs with the acquire in `rearm`. Must not overwrite a change made since: the subscriber then assumes a low
            // descriptor, and it must be low before the next check.
            if self.state.compare_exchange(state.value, state.value | RAISED, Release, Relaxed).is_err() {
                self.event.lower();
            }
        } else {
            let slice = if bell.is_some() { SLICE } else { QUIET_SLICE };
            let words = [state, bell.map_or(state, |(_, word)| word)];
            // SAFETY: the bell is mapped by the channel, the state lives in this structure.
            unsafe { several::wait(&words[..1 + bell.is_some() as usize], now.saturating_add(slice)) };
        }
        if let Some((at, _)) = bell {
            self.mapping.disarm(at);
        }
    }

    /// Whether a publisher has published anything that was not there when the subscriber last found nothing.
    fn has_unseen(&self) -> bool {
        let newer = |i: usize| {
            // Relaxed: published by the state, which the caller has acquired.
            self.mapping.lane(i).is_some_and(|mem| reader::head(mem) > self.seen[i].load(Relaxed))
        };
        (0..self.mapping.used()).any(newer)
    }
}
