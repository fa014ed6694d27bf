//! Errors of the harness: a text for a person. No code distinguishes kinds.

use std::error::Error;
use std::io;

/// A result whose error is a text.
pub type Fallible<T> = Result<T, Box<dyn Error>>;

/// Turns the return value of a system call into a result that names the call.
pub fn check<T: PartialOrd + From<i8>>(call: &str, value: T) -> Fallible<T> {
    if value < T::from(0) {
        return Err(format!("{call}: {}", io::Error::last_os_error()).into());
    }
    Ok(value)
}
