//! What stands between C and Rust: no panic crosses it, and no NULL passes.

use crate::code::{SALTUS_BUG, SALTUS_INVALID, SALTUS_NO_SPACE, SALTUS_NOT_FOUND};
use crate::handle::{self, Kind};
use crate::message::remember;
use saltus_channel::Error;
use std::any::Any;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a function fails.
pub(crate) enum Fail {
    /// As Rust has it: channels,
    Saltus(Error),
    /// domains,
    Domain(saltus_domain::Error),
    /// logs.
    Log(saltus_log::Error),
    /// A call that Rust's types would not allow.
    Misuse(&'static str),
    /// Something that is not there.
    NotFound(&'static str),
    /// The process has as many handles as it can have.
    NoHandle,
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

/// What the bodies of functions give: the code to return.
pub(crate) type Result<T = c_int> = std::result::Result<T, Fail>;

/// Runs the body of a function that C calls.
#[inline(always)]
pub(crate) fn call(body: impl FnOnce() -> Result) -> c_int {
    // Unwind-safe: after a panic the caller knows that there is a bug, and the handle can still be closed.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(code)) => code,
        Ok(Err(fail)) => failed(fail),
        Err(panic) => panicked(panic),
    }
}

#[cold]
fn failed(fail: Fail) -> c_int {
    match fail {
        Fail::Saltus(error) => {
            remember(format_args!("{error}"));
            error.code()
        }
        Fail::Domain(error) => {
            remember(format_args!("{error}"));
            error.code()
        }
        Fail::Log(error) => {
            remember(format_args!("{error}"));
            error.code()
        }
        Fail::Misuse(what) => {
            remember(format_args!("{what}"));
            SALTUS_INVALID
        }
        Fail::NotFound(what) => {
            remember(format_args!("{what}"));
            SALTUS_NOT_FOUND
        }
        Fail::NoHandle => {
            remember(format_args!("{} handles are open in this process: close some", handle::MOST));
            SALTUS_NO_SPACE
        }
    }
}

#[cold]
fn panicked(panic: Box<dyn Any + Send>) -> c_int {
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

/// The string at `p`, unless it is NULL.
pub(crate) unsafe fn string<'a>(p: *const c_char, null: &'static str) -> Result<&'a CStr> {
    if p.is_null() {
        return Err(Fail::Misuse(null));
    }
    // SAFETY: not NULL, so it is a string with an end, as the header demands.
    Ok(unsafe { CStr::from_ptr(p) })
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
    // A slice may not be longer than half the address space, which such a length cannot mean honestly.
    if len > isize::MAX as usize {
        return Err(saltus_domain::Error::TooLong { len, most: isize::MAX as usize }.into());
    }
    // SAFETY: not NULL, so there are `len` bytes, as the header demands.
    Ok(unsafe { std::slice::from_raw_parts(at.cast(), len) })
}

/// Gives a new handle to C, through `out`.
pub(crate) unsafe fn hand_out<T: Kind>(out: *mut *mut T, make: impl FnOnce() -> Result<Option<T>>) -> Result {
    const NULL: &str = "the place for the new handle is NULL";
    // SAFETY: as the caller has it. NULL until there is a handle, so that closing what failed to open does nothing.
    unsafe { put(out, std::ptr::null_mut(), NULL)? };
    let Some(made) = make()? else { return Ok(crate::SALTUS_NOTHING) };
    // SAFETY: not NULL, as was just seen.
    unsafe { put(out, handle::give(made)?, NULL)? };
    Ok(crate::SALTUS_OK)
}

/// Takes a handle back from C and drops what it stands for, or lets the call do it that still uses it.
pub(crate) fn take_back<T: Kind>(handle: *mut T) {
    call(|| {
        handle::close(handle);
        Ok(crate::SALTUS_OK)
    });
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
