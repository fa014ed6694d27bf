//! Sleeping on a word of shared memory, and waking the threads that sleep on it.
//!
//! Words are 32 bits, at addresses that may be mapped read-only: the kernel only compares them. Deadlines are absolute, on
//! CLOCK_MONOTONIC. All functions are async-signal-safe and allocate nothing.

use crate::Time64;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// The call, with times of 64 bits: `futex_time64` has the same number on every 32-bit processor. The crate `libc` lacks it.
const FUTEX: libc::c_long = if cfg!(target_pointer_width = "64") { libc::SYS_futex } else { 422 };

/// The most words that one [`wait_many`] can sleep on.
pub const MOST_WORDS: usize = 128;

/// Why a wait returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Woken {
    /// It was woken, the word had changed, or a signal arrived: check again.
    Look,
    /// The deadline has passed.
    TimedOut,
}

/// A word to sleep on.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// Address of the word.
    pub at: *const u32,
    /// Sleep only while the word has this value.
    pub value: u32,
    /// Whether other processes also wake it.
    pub shared: bool,
}

/// Sleeps while `word` has its value, until woken or until `deadline` (monotonic ns). Blocks.
///
/// # Safety
///
/// The address must be mapped and readable for four bytes, and aligned.
pub unsafe fn wait(word: Word, deadline: u64) -> Woken {
    let time = Time64::new(deadline);
    let op = libc::FUTEX_WAIT_BITSET | if word.shared { 0 } else { libc::FUTEX_PRIVATE_FLAG };
    // SAFETY: the caller vouches for the word; the kernel only reads it and the time.
    let result =
        unsafe { libc::syscall(FUTEX, word.at, op, word.value, &time, std::ptr::null::<u32>(), u32::MAX) };
    if result < 0 && errno() == libc::ETIMEDOUT { Woken::TimedOut } else { Woken::Look }
}

/// Sleeps while all `words` have their values. At most [`MOST_WORDS`]. Blocks.
///
/// The kernel or a sandbox may refuse to wait on several words at once (before 5.16, old seccomp profiles). It then sleeps on the first
/// word only, for at most 2 ms, so that the caller then checks the others.
///
/// # Safety
///
/// The address of each word must be mapped and readable for four bytes, and aligned.
pub unsafe fn wait_many(words: &[Word], deadline: u64) -> Woken {
    static REFUSED: AtomicBool = AtomicBool::new(false);
    assert!(!words.is_empty() && words.len() <= MOST_WORDS, "from 1 to {MOST_WORDS} words");
    if words.len() == 1 {
        // SAFETY: the caller's promise.
        return unsafe { wait(words[0], deadline) };
    }
    // Relaxed: only caches the kernel's answer.
    if !REFUSED.load(Ordering::Relaxed) {
        // SAFETY: the caller's promise. A short table is cheaper to fill.
        let answer = unsafe {
            if words.len() <= 4 { waitv::<4>(words, deadline) } else { waitv::<MOST_WORDS>(words, deadline) }
        };
        match answer {
            Some(woken) => return woken,
            None => REFUSED.store(true, Ordering::Relaxed),
        }
    }
    const SHORT: u64 = 2_000_000;
    let soon = crate::clock::monotonic().saturating_add(SHORT);
    // SAFETY: the caller's promise.
    match unsafe { wait(words[0], soon.min(deadline)) } {
        Woken::TimedOut if soon < deadline => Woken::Look,
        other => other,
    }
}

/// The system call. `None`: it does not exist or is forbidden.
///
/// # Safety
///
/// The address of each word must be mapped and readable for four bytes, and aligned.
unsafe fn waitv<const N: usize>(words: &[Word], deadline: u64) -> Option<Woken> {
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Waiter {
        value: u64,
        at: u64,
        flags: u32,
        reserved: u32,
    }
    const FUTEX_32: u32 = 2;
    let mut waiters = [Waiter { value: 0, at: 0, flags: 0, reserved: 0 }; N];
    for (waiter, word) in waiters.iter_mut().zip(words) {
        let private = if word.shared { 0 } else { libc::FUTEX_PRIVATE_FLAG as u32 };
        *waiter =
            Waiter { value: word.value.into(), at: word.at as u64, flags: FUTEX_32 | private, reserved: 0 };
    }
    let (time, clock) = (Time64::new(deadline), libc::CLOCK_MONOTONIC);
    // SAFETY: the waiters and the time live across the call; the caller vouches for the words.
    let result =
        unsafe { libc::syscall(libc::SYS_futex_waitv, waiters.as_ptr(), words.len(), 0, &time, clock) };
    match errno() {
        _ if result >= 0 => Some(Woken::Look),
        libc::ETIMEDOUT => Some(Woken::TimedOut),
        libc::ENOSYS | libc::EPERM => None,
        _ => Some(Woken::Look),
    }
}

/// Wakes up to `most` waiting threads and returns how many it found. Does not block.
///
/// # Safety
///
/// The address must be mapped for four bytes and aligned.
pub unsafe fn wake(at: *const u32, most: u32, shared: bool) -> u32 {
    let op = libc::FUTEX_WAKE | if shared { 0 } else { libc::FUTEX_PRIVATE_FLAG };
    let most = most.min(i32::MAX as u32);
    // SAFETY: waking reads nothing; the caller vouches for the address.
    let found = unsafe { libc::syscall(FUTEX, at, op, most, 0usize, 0usize, 0usize) };
    found.max(0) as u32
}

fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    fn word(word: &AtomicU32, value: u32) -> Word {
        Word { at: word.as_ptr(), value, shared: true }
    }

    #[test]
    fn a_wait_ends_at_its_deadline() {
        let (a, b) = (AtomicU32::new(1), AtomicU32::new(1));
        let deadline = crate::clock::monotonic() + 10_000_000;
        // SAFETY: the words live on this stack.
        let (one, two) = unsafe {
            (wait(word(&a, 1), deadline), wait_many(&[word(&a, 1), word(&b, 1)], deadline + 10_000_000))
        };
        assert_eq!((one, two), (Woken::TimedOut, Woken::TimedOut));
        assert!(crate::clock::monotonic() >= deadline + 10_000_000);
    }

    #[test]
    fn a_changed_word_ends_a_wait_at_once() {
        let (a, b) = (AtomicU32::new(1), AtomicU32::new(2));
        // SAFETY: the words live on this stack.
        let woken = unsafe { wait_many(&[word(&a, 1), word(&b, 1)], u64::MAX) };
        assert_eq!(woken, Woken::Look);
    }

    #[test]
    fn waking_nobody_finds_nobody() {
        let a = AtomicU32::new(1);
        // SAFETY: the word lives on this stack.
        assert_eq!(unsafe { wake(a.as_ptr(), 8, true) }, 0);
    }
}
