//! Sleeping on a word of shared memory, and waking the threads that sleep on it.
//!
//! Words are 32 bits, at addresses that may be mapped read-only: the kernel only compares them. Deadlines are absolute, on
//! CLOCK_MONOTONIC. All functions are async-signal-safe and allocate nothing. [`crate::several`] sleeps on several words.

use super::Time64;
pub use crate::common::futex::*;
use std::io;

/// The call, with times of 64 bits: `futex_time64` has the same number on every 32-bit processor. The crate `libc` lacks it.
pub(crate) const FUTEX: libc::c_long = if cfg!(target_pointer_width = "64") { libc::SYS_futex } else { 422 };

/// Which waiting threads a wake is for: a set of bits that the kernel keeps with each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind(u32);

impl Kind {
    /// Threads in [`wait`].
    const ORDINARY: Kind = Kind(u32::MAX >> 2);
    /// Threads that sleep on the first of several words.
    pub const FIRST: Kind = Kind(1 << 31);
    /// Threads that sleep on another word for one of those.
    pub const HELPER: Kind = Kind(1 << 30);
}

/// How a sleep on one word ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// A wake ended it.
    Woken,
    /// The word had another value, or a signal arrived.
    Other,
    /// The deadline passed.
    TimedOut,
}

/// Sleeps while `word` has its value, until woken or until `deadline` (monotonic ns). Blocks.
///
/// # Safety
///
/// The address must be mapped and readable for four bytes, and aligned.
pub unsafe fn wait(word: Word, deadline: u64) -> Woken {
    // SAFETY: the caller's promise.
    match unsafe { sleep(word, deadline, Kind::ORDINARY) } {
        End::TimedOut => Woken::TimedOut,
        End::Woken | End::Other => Woken::Look,
    }
}

/// [`wait`], as a thread of that kind. [`wake`] wakes every kind.
///
/// # Safety
///
/// The address must be aligned. The system call fails if it is not mapped.
pub(crate) unsafe fn sleep(word: Word, deadline: u64, kind: Kind) -> End {
    let time = Time64::new(deadline);
    let op = libc::FUTEX_WAIT_BITSET | if word.shared { 0 } else { libc::FUTEX_PRIVATE_FLAG };
    // SAFETY: the kernel checks the address of the word, and only reads it and the time.
    let result =
        unsafe { libc::syscall(FUTEX, word.at, op, word.value, &time, std::ptr::null::<u32>(), kind.0) };
    match result {
        0.. => End::Woken,
        _ if errno() == libc::ETIMEDOUT => End::TimedOut,
        _ => End::Other,
    }
}

/// Wakes all waiting threads of one kind only. Does not block.
pub(crate) fn wake_kind(word: Word, kind: Kind) {
    let op = libc::FUTEX_WAKE_BITSET | if word.shared { 0 } else { libc::FUTEX_PRIVATE_FLAG };
    // SAFETY: waking reads nothing; the kernel checks the address.
    unsafe { libc::syscall(FUTEX, word.at, op, i32::MAX, 0usize, 0usize, kind.0) };
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

pub(crate) fn errno() -> i32 {
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
        let a = AtomicU32::new(1);
        let deadline = crate::clock::monotonic() + 10_000_000;
        // SAFETY: the word lives on this stack.
        assert_eq!(unsafe { wait(word(&a, 1), deadline) }, Woken::TimedOut);
        assert!(crate::clock::monotonic() >= deadline);
    }

    #[test]
    fn waking_nobody_finds_nobody() {
        let a = AtomicU32::new(1);
        // SAFETY: the word lives on this stack.
        assert_eq!(unsafe { wake(a.as_ptr(), 8, true) }, 0);
    }
}
