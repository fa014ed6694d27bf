//! The page that the processes of one measurement share: start together, measure the same window, stop.

use crate::clock;
use crate::futex::{wait as futex_wait, wake_all as futex_wake};
use crate::shared::AllAtomic;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::time::Duration;

/// Start, window and stop. Every access is sequentially consistent: nothing here is on the data path.
#[repr(C, align(128))]
#[derive(Default)]
pub struct Control {
    ready: AtomicU32,
    go: AtomicU32,
    begin: AtomicU64,
    end: AtomicU64,
    finished: AtomicU32,
    /// Written by the sender around the part whose system calls are counted.
    pub counting: AtomicU32,
    stop: Stop,
}

/// On a separate line: it is loaded all the time, and written only at the end.
#[repr(C, align(128))]
#[derive(Default)]
struct Stop(AtomicU32);

// SAFETY: nothing but atomics, for which zero is a value.
unsafe impl AllAtomic for Control {}

impl Control {
    /// For a process: reports that it is attached and waits for the start. Returns the window.
    pub fn start(&self) -> Window {
        self.ready.fetch_add(1, SeqCst);
        futex_wake(&self.ready);
        while self.go.load(SeqCst) == 0 {
            futex_wait(&self.go, 0, None);
        }
        Window { begin: self.begin.load(SeqCst), end: self.end.load(SeqCst) }
    }

    /// For the parent: whether that many are attached, waiting a little.
    pub fn all_ready(&self, count: usize, wait: Duration) -> bool {
        let ready = self.ready.load(SeqCst);
        if ready as usize != count {
            futex_wait(&self.ready, ready, Some(wait));
        }
        self.ready.load(SeqCst) as usize == count
    }

    /// For the parent: starts all processes. The window has the given length, and follows a warm-up of a quarter of
    /// it.
    pub fn go(&self, length: Duration) {
        let length = length.as_nanos() as u64;
        let begin = clock::now() + length / 4;
        self.begin.store(begin, SeqCst);
        self.end.store(begin + length, SeqCst);
        self.go.store(1, SeqCst);
        futex_wake(&self.go);
    }

    /// When the window ends; zero before the start.
    pub fn end(&self) -> u64 {
        self.end.load(SeqCst)
    }

    /// Stops the other side of a lower bound. (Readers of messages are stopped by a last message.)
    pub fn stop(&self) {
        self.stop.0.store(1, SeqCst);
    }

    /// Whether the other side of a lower bound must exit.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.stop.0.load(SeqCst) != 0
    }

    /// For a reader that exits.
    pub fn reader_finished(&self) {
        self.finished.fetch_add(1, SeqCst);
    }

    /// For the last writer: how many readers have exited.
    pub fn readers_finished(&self) -> usize {
        self.finished.load(SeqCst) as usize
    }
}

/// The measured window. Everything before it is warm-up, which is not recorded.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The first nanosecond.
    pub begin: u64,
    /// The first nanosecond after it.
    pub end: u64,
}

impl Window {
    /// Whether a point in time belongs to it.
    #[inline]
    pub fn has(&self, at: u64) -> bool {
        at >= self.begin && at < self.end
    }
}
