//! The border between C and Rust: no panic crosses it, and no NULL passes.

use crate::code::{SALTUS_BUG, SALTUS_INVALID, SALTUS_NO_SPACE, SALTUS_NOT_FOUND, SaltusError};
use crate::message::{remember, remember_error};
use saltus_channel::Error;
use std::any::Any;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a function fails.
pub(crate) enum Fail {
    /// An error of a channel,
    Saltus(Error),
    /// of a domain,
    Domain(saltus_domain::Error),
    /// of a log.
    Log(saltus_log::Error),
    /// A call that Rust's types would not allow.
    Misuse(&'static str),
    /// Something that does not exist.
    NotFound(&'static str),
    /// The process has as many handles as it can have.
    NoHandle {
        /// How many.
        most: usize,
    },
}

impl From<Error> for Fail {
    fn from(error: Error) -> Fail {
        Fail::Saltus(error)
    }
}
impl From<saltus_domain::Error> for Fail {
    fn from(error: saltus_domain::Error) -> Fail {
        Fail::Domain(error)
    }
}
impl From<saltus_log::Error> for Fail {
    fn from(error: saltus_log::Error) -> Fail {
        Fail::Log(error)
    }
}

/// The result of a function's body: the error to return.
pub(crate) type Result<T = SaltusError> = std::result::Result<T, Fail>;

/// Runs the body of a function that C calls.
#[inline(always)]
pub(crate) fn call(body: impl FnOnce() -> Result) -> SaltusError {
    // Unwind-safe: after a panic the caller knows that there is a bug, and the handle can still be closed.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(code)) => code,
        Ok(Err(fail)) => failed(fail),
        Err(panic) => panicked(panic),
    }
}

#[cold]
fn failed(fail: Fail) -> SaltusError {
    match fail {
        Fail::Saltus(error) => {
            remember_error(&error);
            SaltusError::of_rust(error.code())
        }
        Fail::Domain(error) => {
            remember_error(&error);
            SaltusError::of_rust(error.code())
        }
        Fail::Log(error) => {
            remember_error(&error);
            SaltusError::of_rust(error.code())
        }
        Fail::Misuse(what) => {
            remember(format_args!("{what}"));
            SALTUS_INVALID
        }
        Fail::NotFound(what) => {
            remember(format_args!("{what}"));
            SALTUS_NOT_FOUND
        }
        Fail::NoHandle { most } => {
            remember(format_args!("{most} handles are open in this process: close some"));
            SALTUS_NO_SPACE
        }
    }
}

#[cold]
fn panicked(panic: Box<dyn Any + Send>) -> SaltusError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    remember(format_args!("a bug in Saltus: {text}"));
    SALTUS_BUG
}

/// Writes through `p`, unless it is NULL.
pub(crate) unsafe fn put<T>(p: *mut T, value: T, null: &'static str) -> Result<()> {
    if p.is_null() {
        return Err(Fail::Misuse(null));
    }
    // SAFETY: not NULL, so it is room for a `T`, as the header demands; it need not be initialised.
    unsafe { p.write(value) };
    Ok(())
}

/// Writes through `p`, which may be NULL if the caller does not need the value.
#[inline(always)]
pub(crate) unsafe fn write_unless_null<T>(p: *mut T, value: T) {
    if !p.is_null() {
        // SAFETY: not NULL, so it is room for a `T`, as the header demands.
        unsafe { p.write(value) };
    }
}

/// The string at `p`, unless it is NULL.
pub(crate) unsafe fn string<'a>(p: *const c_char, null: &'static str) -> Result<&'a CStr> {
    if p.is_null() {
        return Err(Fail::Misuse(null));
    }
    // SAFETY: not NULL, so it is a string with an end, as the header demands.
    Ok(unsafe { CStr::from_ptr(p) })
}

/// A string that must be text.
pub(crate) fn text<'a>(c: &'a CStr, not: &'static str) -> Result<&'a str> {
    c.to_str().map_err(|_| Fail::Misuse(not))
}

/// The bytes of a channel's name.
pub(crate) unsafe fn name<'a>(channel: *const c_char) -> Result<&'a [u8]> {
    // SAFETY: the header demands a string.
    Ok(unsafe { string(channel, "the channel's name is NULL")? }.to_bytes())
}

/// `len` bytes at `at`, which may be NULL if there are none.
#[inline(always)]
pub(crate) unsafe fn slice<'a>(at: *const c_void, len: usize) -> Result<&'a [u8]> {
    if len == 0 {
        return Ok(&[]);
    }
    if at.is_null() {
        return Err(Fail::Misuse("the message is NULL, but its length is not 0"));
    }
    // A slice must not be longer than half the address space; such a length is always an error of the caller.
    if len > isize::MAX as usize {
        return Err(saltus_domain::Error::TooLong { len, most: isize::MAX as usize }.into());
    }
    // SAFETY: not NULL, so there are `len` bytes, as the header demands.
    Ok(unsafe { std::slice::from_raw_parts(at.cast(), len) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::tests::last;

    #[test]
    fn no_panic_crosses_the_border() {
        assert_eq!(call(|| panic!("it was {}", "me")), SALTUS_BUG);
        assert_eq!(last(), "a bug in Saltus: it was me");
        assert_eq!(call(|| panic!("plain")), SALTUS_BUG);
        assert_eq!(last(), "a bug in Saltus: plain");
        assert_eq!(call(|| std::panic::panic_any(7)), SALTUS_BUG);
        assert_eq!(last(), "a bug in Saltus: no reason given");
    }
}
