//! Clocks, and waiting in slices.

use crate::errors::{Coded, OrRaise, code, error};
use pyo3::prelude::*;
use saltus_channel::{Until, clock};

/// The longest time between two checks for signals, in ns. Waiting subscribers check for changes at the same interval.
const SLICE: u64 = 100_000_000;

/// Boot time in ns: the clock of timestamps.
#[pyfunction]
pub(crate) fn now_ns() -> u64 {
    clock::boottime()
}

/// Monotonic time in ns: the clock of waiting.
#[pyfunction]
pub(crate) fn monotonic_ns() -> u64 {
    clock::monotonic()
}

/// The end of a wait: monotonic ns; `None` means no wait. `timeout` is in s; `None` means no timeout.
pub(crate) fn deadline(py: Python<'_>, timeout: Option<f64>) -> PyResult<Option<u64>> {
    match timeout {
        None => Ok(Some(u64::MAX)),
        Some(0.0) => Ok(None),
        Some(seconds) if seconds > 0.0 => Ok(Some(clock::monotonic().saturating_add((seconds * 1e9) as u64))),
        Some(bad) => {
            Err(error(py, code::INVALID, format_args!("a timeout of {bad} s: give 0 or more, or None")))
        }
    }
}

/// Calls `ready` until it succeeds or the timeout expires, without the interpreter's lock, and checks for signals.
pub(crate) fn wait<E: Coded + Send>(
    py: Python<'_>,
    deadline: Option<u64>,
    mut ready: impl FnMut(Until) -> Result<bool, E> + Send,
) -> PyResult<bool> {
    let Some(deadline) = deadline else {
        let found = py.detach(|| ready(Until::Poll)).or_raise(py)?;
        if !found {
            py.check_signals()?; // keeps the result: Python itself checks for signals after the call
        }
        return Ok(found);
    };
    loop {
        let end = clock::monotonic().saturating_add(SLICE).min(deadline);
        if py.detach(|| ready(Until::At(end))).or_raise(py)? {
            return Ok(true);
        }
        py.check_signals()?;
        if end == deadline {
            return Ok(false);
        }
    }
}
