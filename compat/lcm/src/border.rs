//! The border between C and Rust: no NULL passes, what fails prints one line, and no panic crosses it. The functions that call handlers are
//! outside of it while they do: what a handler throws in C++ leaves them, and so would a panic of ours between two handlers.

use saltus_lcm_core::report;
use std::any::Any;
use std::ffi::{CStr, c_char};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of a function that C calls. `failed`: its result after a panic, and of an error, which is printed unless it
/// is empty.
pub(crate) fn call<T, E: Display>(failed: T, body: impl FnOnce() -> Result<T, E>) -> T {
    // Unwind-safe: a panic is a bug, which is printed; locks ignore that they were poisoned.
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => return value,
        Ok(Err(error)) => {
            let error = error.to_string();
            if !error.is_empty() {
                report(error);
            }
        }
        Err(panic) => panicked(&*panic),
    }
    failed
}

#[cold]
fn panicked(panic: &(dyn Any + Send)) {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    report(format_args!("a bug in Saltus: {text}"));
}

/// The string at `p`, unless it is NULL.
pub(crate) unsafe fn string<'a>(p: *const c_char, null: &'static str) -> Result<&'a CStr, &'static str> {
    if p.is_null() {
        return Err(null);
    }
    // SAFETY: not NULL, so it is a string with an end, as the header demands.
    Ok(unsafe { CStr::from_ptr(p) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_panic_crosses_the_border() {
        assert_eq!(call(-1, || -> Result<i32, String> { panic!("it was {}", "me") }), -1);
        assert_eq!(call(-1, || -> Result<i32, String> { std::panic::panic_any(7) }), -1);
        assert_eq!(call(-1, || Err::<i32, _>("an error")), -1);
        assert_eq!(call(-1, || Ok::<_, String>(3)), 3);
    }
}
