//! A value that one call at a time uses. A second call does not wait: it learns that the value is in use.

use saltus_os::fork;
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering::*};

/// A place for a value.
pub(crate) struct Slot<T> {
    /// The generation (see [`fork::generation`]) of the process that uses the value; 0 if none does.
    user: AtomicU64,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: `user` admits one thread at a time, so that sharing a slot only moves the value between threads.
unsafe impl<T: Send> Sync for Slot<T> {}

impl<T> Slot<T> {
    pub const fn new() -> Slot<T> {
        Slot { user: AtomicU64::new(0), value: UnsafeCell::new(None) }
    }

    /// The value, unless another call uses it.
    ///
    /// A forked child inherits the slots that other threads of its parent used at that moment. Their values may be half changed, so it
    /// forgets them: the result then is empty.
    #[inline(always)]
    pub fn enter(&self) -> Option<Entered<'_, T>> {
        let me = fork::generation();
        // SeqCst: pairs with the state of a handle, see `handle::empty`.
        match self.user.compare_exchange(0, me, SeqCst, Relaxed) {
            Ok(_) => Some(Entered(self)),
            Err(user) if user == me => None,
            Err(other) => self.inherit(other, me),
        }
    }

    #[cold]
    fn inherit(&self, other: u64, me: u64) -> Option<Entered<'_, T>> {
        self.user.compare_exchange(other, me, SeqCst, Relaxed).ok()?;
        // SAFETY: the exchange made this thread the only user. The old value is not dropped.
        unsafe { self.value.get().write(None) };
        Some(Entered(self))
    }
}

/// A value in use.
pub(crate) struct Entered<'a, T>(&'a Slot<T>);

impl<T> Deref for Entered<'_, T> {
    type Target = Option<T>;
    fn deref(&self) -> &Option<T> {
        // SAFETY: only one `Entered` of a slot exists at a time.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Entered<'_, T> {
    fn deref_mut(&mut self) -> &mut Option<T> {
        // SAFETY: as above, and it is borrowed exclusively.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Entered<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.0.user.store(0, Release); // pairs with the exchange in `enter`
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_at_a_time_has_the_value() {
        let slot = Slot::new();
        let mut first = slot.enter().unwrap();
        *first = Some(7);
        assert!(slot.enter().is_none());
        drop(first);
        assert_eq!(*slot.enter().unwrap(), Some(7));
    }

    #[test]
    fn a_forked_child_forgets_what_was_in_use() {
        let slot = Slot::new();
        *slot.enter().unwrap() = Some(7);
        slot.user.store(fork::generation() + 1, SeqCst); // as a child finds what its parent used
        assert_eq!(*slot.enter().unwrap(), None);
        assert_eq!(slot.user.load(SeqCst), 0);
    }
}
