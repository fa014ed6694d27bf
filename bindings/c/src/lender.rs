//! A handle, and what is borrowed from it between two calls of C.
//!
//! In Rust a loan borrows its publisher, and a view its subscriber, until they are used up. In C both are steps of
//! their own, so that the borrow has to be kept beside what it borrows from.

use std::cell::UnsafeCell;
use std::ptr::NonNull;

/// A `T`, and perhaps an `L` that borrows it.
///
/// Not `Sync`, as its pointer says: one thread at a time calls any of this.
pub(crate) struct Lender<T, L> {
    /// From a `Box`. A pointer, so that moving the lender moves no reference that `lent` holds.
    owner: NonNull<T>,
    /// Borrows `owner` for itself alone, as long as it is there.
    lent: UnsafeCell<Option<L>>,
}

impl<T, L> Lender<T, L> {
    pub fn new(owner: T) -> Lender<T, L> {
        // SAFETY: a box is never null.
        let owner = unsafe { NonNull::new_unchecked(Box::into_raw(Box::new(owner))) };
        Lender { owner, lent: UnsafeCell::new(None) }
    }

    /// Whether something is borrowed.
    #[inline(always)]
    pub fn is_lent(&self) -> bool {
        // SAFETY: one thread at a time, and no reference into the cell outlives a function here.
        unsafe { (*self.lent.get()).is_some() }
    }

    /// Ends the borrowing, and gives what was borrowed.
    #[inline(always)]
    pub fn take(&self) -> Option<L> {
        // SAFETY: as for `is_lent`.
        unsafe { (*self.lent.get()).take() }
    }

    /// Keeps what was borrowed.
    pub fn keep(&self, lent: L) {
        // SAFETY: as for `is_lent`. What was there was given up by `owner`, which is where `lent` comes from.
        unsafe { *self.lent.get() = Some(lent) };
    }

    /// The owner, for itself alone; what was borrowed is given up.
    ///
    /// # Safety
    ///
    /// No other reference from this function is alive. `'a` ends before the lender does, and before the next call
    /// of this function, unless it is handed to `keep`.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn owner<'a>(&self) -> &'a mut T {
        if self.is_lent() {
            drop(self.take());
        }
        // SAFETY: from a box that only `drop` frees; nothing borrows it now, as the caller vouches.
        unsafe { &mut *self.owner.as_ptr() }
    }
}

impl<T, L> Drop for Lender<T, L> {
    fn drop(&mut self) {
        drop(self.take());
        // SAFETY: made by `new` from a box, and what borrowed it is gone.
        drop(unsafe { Box::from_raw(self.owner.as_ptr()) });
    }
}
