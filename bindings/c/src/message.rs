//! The message of the last error.

use saltus_text::words::{SYSTEM_NUMBER, plain};
use std::cell::UnsafeCell;
use std::ffi::c_char;
use std::fmt::{self, Display, Write};

/// Bytes of the longest message kept; what is longer is cut.
const LONGEST: usize = 1024;

/// The last message of a thread. It has no destructor and its room is fixed, so that errors allocate nothing either.
struct Message {
    text: [u8; LONGEST],
    len: usize,
}

thread_local! {
    static LAST: UnsafeCell<Message> = const { UnsafeCell::new(Message { text: [0; LONGEST], len: 0 }) };
}

impl Write for Message {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars().map(|c| if c == '\0' { '?' } else { c }) {
            // One byte stays zero: the end of a C string.
            if self.len + c.len_utf8() >= LONGEST {
                return Err(fmt::Error); // the text is cut here; nothing may follow
            }
            c.encode_utf8(&mut self.text[self.len..]);
            self.len += c.len_utf8();
        }
        Ok(())
    }
}

/// Stores the message of an error for `saltus_last_error`.
pub(crate) fn remember(text: fmt::Arguments<'_>) {
    let _ = keep(text);
}

/// Keeps an error of the crates below, without the numbers of system errors. Only one with such a number, or one that is cut,
/// allocates, as formatting the system's words does anyway.
pub(crate) fn remember_error(error: &impl Display) {
    if keep(format_args!("{error}")) {
        remember(format_args!("{}", plain(&error.to_string())));
    }
}

/// Keeps a text. Whether it has the number of a system error, or was cut, perhaps within one.
fn keep(text: fmt::Arguments<'_>) -> bool {
    LAST.with(|last| {
        // SAFETY: only this thread has the cell, and formatting an error never calls this function again.
        let last = unsafe { &mut *last.get() };
        last.len = 0;
        let cut = last.write_fmt(text).is_err();
        last.text[last.len] = 0;
        let mut ends = last.text[..last.len].windows(SYSTEM_NUMBER.len());
        cut || ends.any(|text| text == SYSTEM_NUMBER.as_bytes())
    })
}

/// saltus_last_error returns the message of this thread's last call that failed: a sentence for people that says what failed, where, and
/// how to fix it. It is empty before the first failure. SALTUS_NOTHING is not a failure and leaves the message alone.
///
/// Blocks: never. Allocates: no. Kernel: no. Ownership: Saltus keeps the string; it is valid until the next call that fails in the same
/// thread, and no longer than the thread.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_last_error() -> *const c_char {
    // SAFETY: only the address of the text is taken.
    LAST.with(|last| unsafe { (&raw const (*last.get()).text).cast() })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::ffi::CStr;

    pub(crate) fn last() -> String {
        // SAFETY: the function returns a string with an end.
        unsafe { CStr::from_ptr(saltus_last_error()) }.to_str().unwrap().to_string()
    }

    #[test]
    fn messages_are_cut_between_characters_and_belong_to_their_thread() {
        for len in [0, 1, LONGEST - 2, LONGEST - 1, LONGEST, LONGEST * 3] {
            remember(format_args!("{}", "x".repeat(len)));
            assert_eq!(last(), "x".repeat(len.min(LONGEST - 1)));
            remember(format_args!("x{}", "ä".repeat(len)));
            assert_eq!(last(), format!("x{}", "ä".repeat(len.min(LONGEST / 2 - 1))));
        }
        let long = std::path::PathBuf::from("/").join("x".repeat(LONGEST - 30));
        let error = std::io::Error::from_raw_os_error(libc::ENOENT);
        remember_error(&format_args!("cannot read {}: {error}", long.display()));
        assert!(last().ends_with("xxx: no such file o"), "{}", last());
        remember_error(&format_args!("cannot read a: {error}; wait"));
        assert_eq!(last(), "cannot read a: no such file or directory; wait");
        remember(format_args!("a\0b"));
        assert_eq!(last(), "a?b");
        assert_eq!(std::thread::spawn(last).join().unwrap(), "");
    }
}
