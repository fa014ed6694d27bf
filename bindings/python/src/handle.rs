//! A Rust object behind a Python object, which any thread may use or close at any time.

use crate::errors::{code, error};
use pyo3::prelude::*;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Belongs to one thread for the time of a call. A call from a second thread, or after it was closed, gets an exception immediately.
pub(crate) struct Handle<T> {
    /// Its name in error messages.
    what: &'static str,
    closed: AtomicBool,
    inner: Mutex<Option<T>>,
}

impl<T: Send> Handle<T> {
    pub fn new(what: &'static str, inner: T) -> Handle<T> {
        Handle { what, closed: AtomicBool::new(false), inner: Mutex::new(Some(inner)) }
    }

    /// The object, locked for the time of a call.
    pub fn lock(&self, py: Python<'_>) -> PyResult<Locked<'_, T>> {
        let guard = match self.inner.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::WouldBlock) => {
                let what = self.what;
                return Err(error(
                    py,
                    code::BUSY,
                    format_args!("this {what} is in use by another thread: open one for each thread"),
                ));
            }
            // A call panicked, so the object's state is unknown.
            Err(TryLockError::Poisoned(_)) => return Err(self.is_closed_error(py)),
        };
        if guard.is_none() || self.is_closed() {
            return Err(self.is_closed_error(py));
        }
        Ok(Locked { handle: self, guard })
    }

    /// The error `Closed` if it was closed during the call; that takes precedence over another error.
    pub fn or_closed<R>(&self, py: Python<'_>, result: PyResult<R>) -> PyResult<R> {
        result.map_err(|error| if self.is_closed() { self.is_closed_error(py) } else { error })
    }

    /// Closes it, or makes the thread that uses it close it at the end of its call; `cancel_waits` ends that thread's wait.
    pub fn close(&self, py: Python<'_>, cancel_waits: impl FnOnce()) {
        // Pairs with the load in `Locked::drop`.
        self.closed.store(true, Ordering::SeqCst);
        cancel_waits();
        if let Ok(mut guard) = self.inner.try_lock() {
            let inner = guard.take();
            drop(guard);
            py.detach(|| drop(inner)); // may wait for threads of its own
        }
    }

    /// Takes the object out, which closes the handle.
    pub fn take(&self, py: Python<'_>) -> PyResult<Option<T>> {
        let mut locked = self.lock(py)?;
        self.closed.store(true, Ordering::SeqCst);
        Ok(locked.guard.take())
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    fn is_closed_error(&self, py: Python<'_>) -> PyErr {
        error(py, code::CLOSED, format_args!("this {} is closed", self.what))
    }
}

/// The object, locked.
pub(crate) struct Locked<'a, T> {
    handle: &'a Handle<T>,
    guard: MutexGuard<'a, Option<T>>,
}

impl<T> Deref for Locked<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        self.guard.as_ref().expect("`lock` found it, and only `take` and the drop take it")
    }
}
impl<T> DerefMut for Locked<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.guard.as_mut().expect("`lock` found it, and only `take` and the drop take it")
    }
}

impl<T> Drop for Locked<'_, T> {
    fn drop(&mut self) {
        if self.handle.closed.load(Ordering::SeqCst) {
            self.guard.take();
        }
    }
}
