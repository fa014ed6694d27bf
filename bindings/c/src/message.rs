//! Words: what codes mean, and what went wrong last.

use crate::code::*;
use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_int};
use std::fmt::{self, Write};

/// What a code means, in a few words and for ever. saltus_last_error() knows more.
///
/// Blocks: never. Allocates: no. Kernel: no. Async-signal-safe. An unknown code gets a text that says so.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_strerror(code: c_int) -> *const c_char {
    text(code).as_ptr()
}

pub(crate) fn text(code: c_int) -> &'static CStr {
    match code {
        SALTUS_OK => c"done",
        SALTUS_NOTHING => c"nothing new",
        SALTUS_NOT_FOUND => c"there is none of that name",
        SALTUS_EXISTS => c"it exists already",
        SALTUS_TOO_SMALL => c"the buffer is too small",
        SALTUS_TOO_LONG => c"the message is too long",
        SALTUS_OVERRUN => c"overtaken by publishers",
        SALTUS_CANCELED => c"the wait was canceled",
        SALTUS_RETIRED => c"the channel is no more",
        SALTUS_DENIED => c"permission denied",
        SALTUS_NO_SPACE => c"no room for it",
        SALTUS_NO_LANE => c"no room for another publisher",
        SALTUS_DAMAGED => c"not a channel, or a damaged one",
        SALTUS_INVALID => c"an argument makes no sense",
        SALTUS_SYSTEM => c"the system refused",
        SALTUS_BUG => c"a bug in Saltus",
        SALTUS_UNSUPPORTED => c"the transport cannot do this",
        SALTUS_WRONG_TYPE => c"messages of another type",
        SALTUS_UNENCODABLE => c"the message cannot be encoded",
        SALTUS_UNDECODABLE => c"the message cannot be decoded",
        SALTUS_ENDED => c"there is nothing more to come",
        SALTUS_NETWORK => c"the network",
        SALTUS_NO_PROVIDER => c"no such provider",
        SALTUS_NO_LOG => c"not a log",
        SALTUS_UNWRITABLE => c"it cannot be in such a log",
        SALTUS_CHANGED => c"the log was changed",
        _ => c"not a code of Saltus",
    }
}

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
                return Err(fmt::Error); // it is cut here; nothing may follow
            }
            c.encode_utf8(&mut self.text[self.len..]);
            self.len += c.len_utf8();
        }
        Ok(())
    }
}

/// Keeps what went wrong, for who asks.
pub(crate) fn remember(text: fmt::Arguments<'_>) {
    LAST.with(|last| {
        // SAFETY: only this thread has the cell, and formatting an error calls nothing that comes here again.
        let last = unsafe { &mut *last.get() };
        last.len = 0;
        let _ = last.write_fmt(text); // what does not fit is cut
        last.text[last.len] = 0;
    });
}

/// What went wrong in this thread's last call that failed: a sentence that names the thing, the place and the
/// remedy, for people to read. Empty if nothing has failed yet. SALTUS_NOTHING is no failure and leaves it alone.
///
/// Blocks: never. Allocates: no. Kernel: no. Ownership: Saltus keeps the string; it is valid until the next call
/// that fails in the same thread, and for no longer than the thread.
#[unsafe(no_mangle)]
pub extern "C" fn saltus_last_error() -> *const c_char {
    // SAFETY: only the address of the text is taken.
    LAST.with(|last| unsafe { (&raw const (*last.get()).text).cast() })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn last() -> String {
        // SAFETY: the function gives a string with an end.
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
        remember(format_args!("a\0b"));
        assert_eq!(last(), "a?b");
        assert_eq!(std::thread::spawn(last).join().unwrap(), "");
    }
}
