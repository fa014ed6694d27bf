//! A handle, and the loan or view that is borrowed from it between two calls from C.
//!
//! In Rust a loan borrows its publisher, and a view its subscriber, until they end. In C these are separate calls, so the borrow is
//! stored next to the object that it borrows from.

use std::ptr::NonNull;

/// A `T`, and perhaps an `L` that borrows it.
pub(crate) struct Lender<T, L> {
    /// From a `Box`. A pointer, so that moving the lender moves no reference that `lent` holds.
    owner: NonNull<T>,
    /// Borrows `owner` exclusively while it exists.
    lent: Option<L>,
}

// SAFETY: both are its own, the first as a box would have it.
unsafe impl<T: Send, L: Send> Send for Lender<T, L> {}

impl<T: 'static, L> Lender<T, L> {
    pub fn new(owner: T) -> Lender<T, L> {
        // SAFETY: a box is never null.
        let owner = unsafe { NonNull::new_unchecked(Box::into_raw(Box::new(owner))) };
        Lender { owner, lent: None }
    }

    /// Whether something is borrowed.
    #[inline(always)]
    pub fn is_lent(&self) -> bool {
        self.lent.is_some()
    }

    /// Ends the loan and returns the lent value.
    #[inline(always)]
    pub fn take(&mut self) -> Option<L> {
        self.lent.take()
    }

    /// Returns exclusive access to the owner. Ends a loan first.
    #[inline(always)]
    pub fn owner(&mut self) -> &mut T {
        if self.is_lent() {
            self.give_up();
        }
        // SAFETY: from a box that only `drop` frees; nothing borrows it now, and this borrows the lender.
        unsafe { self.owner.as_mut() }
    }

    /// Ends a loan. Not inlined, because nearly all calls find nothing lent.
    #[cold]
    fn give_up(&mut self) {
        drop(self.take());
    }

    /// Borrows from the owner and keeps the result of `borrow`. Ends an earlier loan first.
    ///
    /// # Safety
    /// `borrow` keeps its argument only in its result.
    #[inline(always)]
    pub unsafe fn lend<E>(
        &mut self,
        borrow: impl FnOnce(&'static mut T) -> Result<Option<L>, E>,
    ) -> Result<Option<&mut L>, E> {
        self.owner(); // ends the loan or view
        // SAFETY: the box lives until `drop`, which ends what is borrowed first; so does each function that gives the owner out again.
        self.lent = borrow(unsafe { &mut *self.owner.as_ptr() })?;
        Ok(self.lent.as_mut())
    }
}

impl<T, L> Drop for Lender<T, L> {
    fn drop(&mut self) {
        drop(self.lent.take());
        // SAFETY: made by `new` from a box, and the borrow has ended.
        drop(unsafe { Box::from_raw(self.owner.as_ptr()) });
    }
}
