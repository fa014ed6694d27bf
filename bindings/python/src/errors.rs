//! Converts errors of Rust to exceptions of Python.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use saltus_text::words::plain;
use std::fmt::Display;

/// The codes that this crate returns itself; the others are from the crates below.
pub(crate) mod code {
    pub const INVALID: i32 = 12;
    pub const UNSUPPORTED: i32 = 101;
    pub const ENCODE: i32 = 104;
    pub const DECODE: i32 = 105;
    /// Not codes of Rust: errors of a handle, see `_errors.py`.
    pub const CLOSED: i32 = -12;
    pub const BUSY: i32 = -13;
}

/// Makes the exception of a code; see `_errors.py`.
#[cold]
pub(crate) fn error(py: Python<'_>, code: i32, text: impl Display) -> PyErr {
    static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let made = MAKE
        .import(py, "saltus._errors", "make")
        .and_then(|make| make.call1((code, plain(&text.to_string()))));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// An error with a stable number.
pub(crate) trait Coded: Display {
    fn number(&self) -> i32;
}

impl Coded for saltus_domain::Error {
    fn number(&self) -> i32 {
        self.code()
    }
}
impl Coded for saltus_channel::Error {
    fn number(&self) -> i32 {
        self.code()
    }
}
impl Coded for saltus_types::Diagnostics {
    fn number(&self) -> i32 {
        code::INVALID
    }
}
impl Coded for saltus_log::Error {
    fn number(&self) -> i32 {
        self.code()
    }
}

/// Turns a Rust error into a Python exception.
pub(crate) trait OrRaise<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Coded> OrRaise<T> for Result<T, E> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|e| error(py, e.number(), e))
    }
}
