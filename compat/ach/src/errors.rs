//! Errors of channels as statuses, and the sentence of the last one.

use crate::status::*;
use saltus_channel::Error;
use std::cell::{Cell, UnsafeCell};
use std::ffi::{c_char, c_int};
use std::fmt::{self, Write};
use std::ptr::null;

/// The longest sentence in bytes, with its end.
const LONGEST: usize = 1024;

thread_local! {
    /// The sentence of this thread's last failure. Constant at first and without a destructor: using it allocates nothing.
    static SENTENCE: UnsafeCell<[u8; LONGEST]> = const { UnsafeCell::new([0; LONGEST]) };
    /// Whether there is one.
    static FAILED: Cell<bool> = const { Cell::new(false) };
}

/// Writes text up to a limit, in whole characters.
struct Bounded<'a> {
    bytes: &'a mut [u8],
    len: usize,
}

impl Write for Bounded<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.len() - 1 - self.len;
        let mut end = text.len().min(room);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.bytes[self.len..self.len + end].copy_from_slice(&text.as_bytes()[..end]);
        self.len += end;
        if end < text.len() { Err(fmt::Error) } else { Ok(()) }
    }
}

/// Stores the sentence that `ach_errstr` returns.
#[cold]
pub(crate) fn remember(text: fmt::Arguments<'_>) {
    SENTENCE.with(|sentence| {
        // SAFETY: only this thread uses it, and formatting calls nothing that does.
        let bytes = unsafe { &mut *sentence.get() };
        let mut out = Bounded { bytes, len: 0 };
        let _ = out.write_fmt(text); // a sentence that is too long is cut
        let len = out.len;
        bytes[len] = 0;
    });
    FAILED.set(true);
}

/// The sentence of this thread's last failure, until its next one; NULL if there was none.
#[unsafe(no_mangle)]
pub extern "C" fn ach_errstr() -> *const c_char {
    if FAILED.get() { SENTENCE.with(|sentence| sentence.get() as *const c_char) } else { null() }
}

/// Runs `body`, and restores errno.
pub(crate) fn keep_errno<T>(body: impl FnOnce() -> T) -> T {
    // SAFETY: each thread has its errno, always.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *errno };
    let result = body();
    // SAFETY: as above.
    unsafe { *errno = before };
    result
}

fn set_errno(number: c_int) {
    // SAFETY: each thread has its errno, always.
    unsafe { *libc::__errno_location() = number };
}

/// A failure without an error of a channel.
#[cold]
pub(crate) fn refused(status: AchStatus, errno: c_int, text: fmt::Arguments<'_>) -> AchStatus {
    remember(text);
    set_errno(errno);
    status
}

/// [`ACH_EINVAL`] for an argument that cannot be used.
#[cold]
pub(crate) fn misused(text: &str) -> AchStatus {
    refused(ACH_EINVAL, libc::EINVAL, format_args!("{text}"))
}

/// The status of an error. Programs of Ach print `strerror(errno)` after `ACH_FAILED_SYSCALL`, so errno is set too.
#[cold]
pub(crate) fn status(error: &Error) -> AchStatus {
    let (status, errno) = match error {
        Error::NotFound { .. } | Error::Retired { .. } => (ACH_ENOENT, libc::ENOENT),
        Error::Exists { .. } => (ACH_EEXIST, libc::EEXIST),
        Error::TooSmall { .. } | Error::TooLong { .. } => (ACH_OVERFLOW, libc::EMSGSIZE),
        Error::Overrun { .. } => (ACH_EAGAIN, libc::EAGAIN),
        Error::Canceled => (ACH_CANCELED, libc::ECANCELED),
        Error::Denied { .. } | Error::Forbidden { .. } => (ACH_EACCES, libc::EACCES),
        Error::NoSpace { .. } => (ACH_FAILED_SYSCALL, libc::ENOSPC),
        Error::TooManyPublishers { .. } => (ACH_FAILED_SYSCALL, libc::EUSERS),
        Error::Damaged { .. } => (ACH_CORRUPT, libc::EUCLEAN),
        Error::Invalid { .. } => (ACH_EINVAL, libc::EINVAL),
        Error::System { source, .. } => (ACH_FAILED_SYSCALL, source.raw_os_error().unwrap_or(libc::EIO)),
        _ => (ACH_FAILED_SYSCALL, libc::EIO),
    };
    refused(status, errno, format_args!("{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn last() -> Option<String> {
        let text = ach_errstr();
        // SAFETY: not NULL, so it is this thread's sentence, which has an end.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_string())
    }

    #[test]
    fn a_sentence_is_kept_for_its_thread_and_cut_at_a_character() {
        std::thread::spawn(|| assert_eq!(last(), None)).join().unwrap();
        remember(format_args!("no {}", "room"));
        assert_eq!(last().unwrap(), "no room");
        remember(format_args!("{}", "é".repeat(LONGEST)));
        assert_eq!(last().unwrap(), "é".repeat((LONGEST - 1) / 2));
        remember(format_args!(""));
        assert_eq!(last().unwrap(), "");
    }
}
