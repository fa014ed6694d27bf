//! The border between C and Rust: no panic crosses it, and no NULL passes.

use crate::errors::{misused, remember};
use crate::status::*;
use std::any::Any;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of a function's body; `Err` is a status too.
pub(crate) type Result<T = AchStatus> = std::result::Result<T, AchStatus>;

/// Runs the body of a function that C calls.
#[inline(always)]
pub(crate) fn call(body: impl FnOnce() -> Result) -> AchStatus {
    // Unwind-safe: a panic is a bug, which the caller learns of; a slot that it left in use stays so.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(status) | Err(status)) => status,
        Err(panic) => panicked(panic),
    }
}

#[cold]
fn panicked(panic: Box<dyn Any + Send>) -> AchStatus {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    remember(format_args!("a bug in Saltus: {text}"));
    ACH_BUG
}

/// The structure at `p`, unless it is NULL.
pub(crate) unsafe fn structure<'a, T>(p: *mut T) -> Result<&'a mut T> {
    // SAFETY: the header demands NULL or a structure that no other call uses.
    unsafe { p.as_mut() }.ok_or(ACH_EINVAL)
}

/// A channel's name, checked as Ach does: up to 63 letters, digits, `_`, `-` and `.`, the last not at the beginning. NULL is
/// `ACH_EINVAL`. Unlike in Ach, a name has at least one character, and letters are those of ASCII in every locale.
pub(crate) unsafe fn name<'a>(name: *const c_char) -> Result<&'a str> {
    if name.is_null() {
        return Err(misused("the name of the channel is NULL"));
    }
    // SAFETY: not NULL, so it is a string with an end.
    let bytes = unsafe { CStr::from_ptr(name) }.to_bytes();
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    match std::str::from_utf8(bytes) {
        Ok(name) if (1..64).contains(&bytes.len()) && bytes[0] != b'.' && bytes.iter().all(is_part) => {
            Ok(name)
        }
        _ => {
            remember(format_args!(
                "not a name of a channel: expected 1 to 63 letters, digits, `_`, `-` and `.`, and no `.` at the beginning"
            ));
            Err(ACH_INVALID_NAME)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::ach_errstr;

    #[test]
    fn no_panic_crosses_the_border() {
        assert_eq!(call(|| panic!("it was {}", "me")), ACH_BUG);
        // SAFETY: a call just failed, so there is a sentence.
        assert_eq!(unsafe { CStr::from_ptr(ach_errstr()) }, c"a bug in Saltus: it was me");
        assert_eq!(call(|| std::panic::panic_any(7)), ACH_BUG);
    }
}
