//! A descriptor for event loops, fed by one waiting thread of the subscriber's own process.
//!
//! The publisher knows nothing of it: the thread sleeps on the bell like any subscriber. It writes the descriptor once
//! and then sleeps until the subscriber has emptied the channel, so that a fast channel does not keep it busy.

use crate::shared::Shared;
use crate::wait::{QUIET_SLICE, SLICE};
use crate::{Error, Result, clock};
use saltus_os::futex::{self, Word};
use saltus_ring::{Lanes, Merge, reader};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd, FromRawFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};
use std::thread::JoinHandle;

/// The descriptor and its thread.
#[derive(Debug)]
pub(crate) struct EventSource {
    both: Arc<Both>,
    thread: Option<JoinHandle<()>>,
    generation: u64,
}

/// What subscriber and thread share.
#[derive(Debug)]
struct Both {
    shared: Arc<Shared>,
    fd: File,
    /// Sum of all heads that the subscriber has seen.
    seen: AtomicU64,
    /// A futex. WATCH: the thread waits on the bell. RAISED: it has raised the descriptor. QUIT: it shall end.
    state: AtomicU32,
}

const WATCH: u32 = 0;
const RAISED: u32 = 1;
const QUIT: u32 = 2;

impl EventSource {
    pub fn start(shared: Arc<Shared>, merge: &Merge) -> Result<EventSource> {
        // SAFETY: a descriptor that the call returns is ours alone.
        let fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        if fd < 0 {
            return Err(Error::system("make an event descriptor", std::io::Error::last_os_error()));
        }
        // SAFETY: just opened, and owned by nobody else.
        let fd = unsafe { File::from_raw_fd(fd) };
        let seen = AtomicU64::new(position(&shared, merge));
        let both = Arc::new(Both { shared, fd, seen, state: AtomicU32::new(WATCH) });
        let theirs = both.clone();
        let thread = std::thread::Builder::new()
            .name("saltus-event".into())
            .spawn(move || theirs.run())
            .map_err(|e| Error::system("start the thread of an event descriptor", e))?;
        Ok(EventSource { both, thread: Some(thread), generation: saltus_os::fork::generation() })
    }

    /// Whether this process started the thread, rather than having inherited this value by `fork`.
    pub fn is_ours(&self) -> bool {
        self.generation == saltus_os::fork::generation()
    }

    pub fn fd(&self) -> BorrowedFd<'_> {
        self.both.fd.as_fd()
    }

    /// The subscriber has found nothing: the descriptor is lowered, and raised again by what is newer.
    pub fn rearm(&self, merge: &Merge) {
        if !self.is_ours() {
            return; // the descriptor of a forked child is its parent's: what it reads there, the parent would miss
        }
        let both = &self.both;
        both.seen.store(position(&both.shared, merge), Relaxed); // published by the state
        // Acquire: pairs with the thread's release. Only a raised descriptor needs lowering.
        if both.state.load(Acquire) == RAISED {
            let _ = (&both.fd).read(&mut [0; 8]);
            both.set(WATCH);
        }
    }
}

impl Drop for EventSource {
    fn drop(&mut self) {
        if !self.is_ours() {
            std::mem::forget(self.thread.take()); // a forked child has no such thread to end
            return;
        }
        self.both.set(QUIT);
        // It may sleep on the bell; others that this wakes look and sleep again.
        self.both.shared.wake(u32::MAX);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The sum of all that the subscriber has accounted for.
fn position(shared: &Shared, merge: &Merge) -> u64 {
    (0..shared.used()).fold(0, |sum, i| sum.wrapping_add(merge.cursor(i)))
}

impl Both {
    fn set(&self, state: u32) {
        self.state.store(state, Release); // pairs with the acquire loads of the state
        // SAFETY: the word lives in this structure.
        unsafe { futex::wake(self.state.as_ptr(), 1, false) };
    }

    fn run(&self) {
        loop {
            let word = Word { at: self.state.as_ptr(), value: WATCH, shared: false };
            match self.state.load(Acquire) {
                QUIT => return,
                // SAFETY: the word lives in this structure.
                RAISED => drop(unsafe { futex::wait(Word { value: RAISED, ..word }, u64::MAX) }),
                _ => self.watch(word),
            }
        }
    }

    /// One sleep on the bell, or the raising of the descriptor.
    fn watch(&self, state: Word) {
        let bell = self.shared.arm();
        self.sleep_or_raise(state, bell.map(|(_, word)| word));
        if let Some((at, _)) = bell {
            self.shared.disarm(at);
        }
    }

    fn sleep_or_raise(&self, state: Word, bell: Option<Word>) {
        let slice = if bell.is_some() { SLICE } else { QUIET_SLICE };
        let heads = (0..self.shared.used())
            .filter_map(|i| self.shared.lane(i))
            .fold(0, |sum: u64, mem| sum.wrapping_add(reader::head(mem)));
        // Relaxed: published by the state, which the caller has acquired.
        if heads != self.seen.load(Relaxed) || self.shared.retired().is_some() {
            // Raised before it is said to be: a subscriber that reads RAISED finds it readable.
            let _ = (&self.fd).write(&1u64.to_ne_bytes());
            // Release: pairs with the acquire in `rearm`. Not over QUIT.
            let _ = self.state.compare_exchange(WATCH, RAISED, Release, Relaxed);
            return;
        }
        let end = clock::monotonic().saturating_add(slice);
        let words = [state, bell.unwrap_or(state)];
        // SAFETY: the bell is mapped by the channel, the state lives in this structure.
        unsafe { futex::wait_many(&words[..1 + bell.is_some() as usize], end) };
    }
}
