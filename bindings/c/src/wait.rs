//! Waiting for several, descriptors and canceling: the same for channels, domains and dispatchers.

use crate::border::{Fail, Result, call, put};
use crate::code::{SALTUS_INVALID, SALTUS_NOTHING, SALTUS_OK, SaltusError};
use crate::handle::{Guarded, Handle, used};
use saltus_channel::CancelHandle;
use std::cell::UnsafeCell;
use std::ffi::c_int;

/// An object whose waits can be canceled.
pub(crate) struct Cancelable<T> {
    /// The part that threads must not share.
    own: UnsafeCell<T>,
    /// The part that threads and signal handlers may share. It is next to `own`, not inside, because it is used at the same time.
    cancel: Option<CancelHandle>,
}

impl<T> Cancelable<T> {
    pub(crate) fn new(own: T, cancel: Option<CancelHandle>) -> Self {
        Cancelable { own: UnsafeCell::new(own), cancel }
    }
}
impl<T: Send + 'static> Guarded for Cancelable<T> {
    type Own = T;
    #[inline(always)]
    fn own(&self) -> &UnsafeCell<T> {
        &self.own
    }
}

/// Cancels waits. May be called in a signal handler: what that interrupted finds errno and the last error as they were.
pub(crate) fn cancel<T, H: Handle<Object = Cancelable<T>>>(handle: H) -> SaltusError {
    let Ok(object) = used(handle) else { return SALTUS_INVALID };
    let Some(cancel) = &object.cancel else { return SALTUS_INVALID };
    // SAFETY: each thread has its errno, always.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *errno };
    cancel.cancel();
    // SAFETY: as above.
    unsafe { *errno = before };
    SALTUS_OK
}

/// Lets canceled waits wait again.
pub(crate) fn reset<T, H: Handle<Object = Cancelable<T>>>(handle: H) -> SaltusError {
    call(|| {
        let object = used(handle)?;
        let cancel = object.cancel.as_ref();
        cancel.ok_or(Fail::Misuse("this subscriber was opened as not cancelable"))?.reset();
        Ok(SALTUS_OK)
    })
}

/// Gives C a descriptor, or -1.
pub(crate) unsafe fn descriptor(out: *mut c_int, get: impl FnOnce() -> Result<c_int>) -> SaltusError {
    const NO_FD: &str = "the place for the descriptor is NULL";
    call(|| {
        // SAFETY: the header demands room for a number.
        unsafe { put(out, -1, NO_FD)? };
        let raw = get()?;
        // SAFETY: not NULL, as was just seen.
        unsafe { put(out, raw, NO_FD)? };
        Ok(SALTUS_OK)
    })
}

/// Gives C the index of the one of `count` handles, at most `most`, that `wait` finds.
pub(crate) unsafe fn any<H>(
    (handles, count): (*const H, usize),
    (most, too_many): (usize, &'static str),
    index: *mut usize,
    wait: impl FnOnce(&[H]) -> Result<Option<usize>>,
) -> SaltusError {
    const NO_INDEX: &str = "the place for the index is NULL";
    call(|| {
        // SAFETY: the header demands room for a number.
        unsafe { put(index, 0, NO_INDEX)? };
        if handles.is_null() || count == 0 {
            return Err(Fail::Misuse("there are no subscribers to wait for"));
        }
        if count > most {
            return Err(Fail::Misuse(too_many));
        }
        // SAFETY: the header demands `count` handles there.
        let Some(found) = wait(unsafe { std::slice::from_raw_parts(handles, count) })? else {
            return Ok(SALTUS_NOTHING);
        };
        // SAFETY: not NULL, as was seen above.
        unsafe { put(index, found, NO_INDEX)? };
        Ok(SALTUS_OK)
    })
}
