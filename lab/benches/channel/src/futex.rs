//! The two futex calls, bare.
//!
//! The reference and the floors wait without a deadline and so without arming a timer, which costs about 50 ns per
//! wait. Saltus' own wrapper always has a deadline (its waits have a wake-up interval), so it cannot be used here.

use std::sync::atomic::AtomicU32;
use std::time::Duration;

/// Waits while `word` is `value`, until woken, or for at most `wait` if it is given. Check the word afterwards.
#[inline]
pub fn wait(word: &AtomicU32, value: u32, wait: Option<Duration>) {
    let time = wait.map(|w| libc::timespec { tv_sec: w.as_secs() as _, tv_nsec: w.subsec_nanos() as _ });
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the word and the time live through the call; the caller looks at the word whatever comes back.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, value, time) };
}

/// Wakes everything that waits on `word`, with one system call.
#[inline]
pub fn wake_all(word: &AtomicU32) {
    // SAFETY: the kernel only uses the address.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
