//! Handles as Java holds them: numbers that are looked up. A number is never used again after it was closed, so a call with a
//! closed or invented number fails and has no other effect.

use crate::fail::{Fail, Result, code};
use saltus_domain::CancelHandle;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};

/// The open handles of one kind.
pub(crate) struct Table<T> {
    /// Its name in error messages.
    what: &'static str,
    open: RwLock<BTreeMap<i64, Arc<Entry<T>>>>,
}

/// The object behind a handle. It lives until it is closed and no call uses it any more.
pub(crate) struct Entry<T> {
    what: &'static str,
    closed: AtomicBool,
    /// Cancels its waits.
    pub cancel: Option<CancelHandle>,
    own: Mutex<T>,
}

impl<T> Table<T> {
    pub const fn new(what: &'static str) -> Table<T> {
        Table { what, open: RwLock::new(BTreeMap::new()) }
    }

    /// A new handle, above 0.
    pub fn give(&self, own: T, cancel: Option<CancelHandle>) -> i64 {
        /// For all kinds, so that handles of different kinds never have the same number.
        static NEXT: AtomicI64 = AtomicI64::new(1);
        let handle = NEXT.fetch_add(1, Ordering::Relaxed);
        let entry = Entry { what: self.what, closed: AtomicBool::new(false), cancel, own: Mutex::new(own) };
        self.open.write().unwrap_or_else(PoisonError::into_inner).insert(handle, Arc::new(entry));
        handle
    }

    /// The object of an open handle.
    pub fn find(&self, handle: i64) -> Result<Arc<Entry<T>>> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        open.get(&handle).cloned().ok_or_else(|| closed(self.what))
    }

    /// Closes a handle and cancels the wait of a call that uses it. The object is dropped here, or at the end of that call.
    pub fn close(&self, handle: i64) -> Option<Arc<Entry<T>>> {
        let entry = self.open.write().unwrap_or_else(PoisonError::into_inner).remove(&handle)?;
        entry.closed.store(true, Ordering::SeqCst);
        if let Some(cancel) = &entry.cancel {
            cancel.cancel();
        }
        Some(entry)
    }
}

#[cold]
fn closed(what: &str) -> Fail {
    Fail::Told(code::CLOSED, format!("this {what} is closed"))
}

impl<T> Entry<T> {
    /// The object, for this call alone.
    pub fn lock(&self) -> Result<MutexGuard<'_, T>> {
        let guard = match self.own.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::WouldBlock) => {
                let what = self.what;
                let text = format!("this {what} is in use by another thread: open one for each thread");
                return Err(Fail::Told(code::BUSY, text));
            }
            // A call panicked, so the object's state is unknown.
            Err(TryLockError::Poisoned(_)) => return Err(closed(self.what)),
        };
        if self.is_closed() { Err(closed(self.what)) } else { Ok(guard) }
    }

    /// A clone of the object, for kinds that several threads may use at the same time.
    pub fn share(&self) -> T
    where
        T: Clone,
    {
        self.own.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// The error for a handle that was closed during the call; it takes precedence over another error.
    pub fn or_closed<R>(&self, result: Result<R>) -> Result<R> {
        result.map_err(|error| if self.is_closed() { closed(self.what) } else { error })
    }
}
