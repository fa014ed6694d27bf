//! Shared words through which the processes of the chaos campaign report: every process writes only its own.

use crate::shared::Words;
use saltus_channel::MAX_LANES;
use std::io;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed; // each word is a separate counter; the last ones are read after the writers' deaths

/// Words per process.
const EACH: usize = 8;
const PROGRESS: usize = 0;
const MISSED: usize = 1;
const OVERRUNS: usize = 2;
/// 1 while a process opens its handles.
const READY: usize = 3;

/// The shared words.
pub struct Board {
    words: Words,
    processes: usize,
}

impl Board {
    pub fn new(processes: usize) -> io::Result<Board> {
        Ok(Board { words: Words::new(processes * EACH + MAX_LANES + 1)?, processes })
    }

    fn word(&self, process: usize, what: usize) -> &AtomicU64 {
        &self.words[process * EACH + what]
    }
    /// How often process `i` has published or received.
    pub fn progress(&self, i: usize) -> u64 {
        self.word(i, PROGRESS).load(Relaxed)
    }
    pub fn count(&self, i: usize) {
        self.word(i, PROGRESS).fetch_add(1, Relaxed);
    }
    pub fn missed(&self, i: usize) -> u64 {
        self.word(i, MISSED).load(Relaxed)
    }
    pub fn count_missed(&self, i: usize, n: u64) {
        self.word(i, MISSED).fetch_add(n, Relaxed);
    }
    pub fn overruns(&self, i: usize) -> u64 {
        self.word(i, OVERRUNS).load(Relaxed)
    }
    pub fn count_overrun(&self, i: usize) {
        self.word(i, OVERRUNS).fetch_add(1, Relaxed);
    }
    pub fn is_ready(&self, i: usize) -> bool {
        self.word(i, READY).load(Relaxed) == 1
    }
    pub fn set_ready(&self, i: usize, ready: bool) {
        self.word(i, READY).store(ready.into(), Relaxed);
    }
    /// The last message that a writer of `lane` has found there or got back from `publish`.
    pub fn published(&self, lane: u32) -> &AtomicU64 {
        &self.words[self.processes * EACH + lane as usize]
    }
    /// Set when the readers must receive the remaining messages and exit.
    pub fn ending(&self) -> &AtomicU64 {
        &self.words[self.processes * EACH + MAX_LANES]
    }
}
