//! Detecting a fork, and delaying `fork` for a moment.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// The word that the kernel sets to zero in a child; null until the first use.
static WORD: AtomicPtr<AtomicU64> = AtomicPtr::new(std::ptr::null_mut());
/// The last generation issued; copied to children like any memory.
static LAST: AtomicU64 = AtomicU64::new(0);
/// 1 while a thread delays `fork`, or a fork is in progress; a futex.
static FORKING: AtomicU32 = AtomicU32::new(0);

/// A number that differs in every process of a family. A few loads.
///
/// To detect that a resource was inherited by `fork`, store this number with it and compare later.
#[inline]
pub fn generation() -> u64 {
    // Acquire: pairs with the release in `make_word`.
    let word = WORD.load(Ordering::Acquire);
    if !word.is_null() {
        // SAFETY: the page is never unmapped once its address is stored.
        // Relaxed: written once, by the thread that first finds it zero; only the value itself is published.
        let seen = unsafe { (*word).load(Ordering::Relaxed) };
        if seen != 0 {
            return seen;
        }
    }
    renew()
}

#[cold]
fn renew() -> u64 {
    let word = make_word();
    // Relaxed: both only have to issue each number once.
    let fresh = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    word.compare_exchange(0, fresh, Ordering::Relaxed, Ordering::Relaxed).err().unwrap_or(fresh)
}

fn make_word() -> &'static AtomicU64 {
    static ONCE: OnceLock<usize> = OnceLock::new();
    let at = *ONCE.get_or_init(|| {
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a fresh anonymous mapping aliases nothing; the advice is about that page alone.
        let page = unsafe {
            let page = libc::mmap(std::ptr::null_mut(), 4096, prot, flags, -1, 0);
            assert!(page != libc::MAP_FAILED, "no memory for one page");
            assert!(libc::madvise(page, 4096, libc::MADV_WIPEONFORK) == 0, "the kernel cannot wipe on fork");
            page
        };
        // Release: pairs with the acquire in `generation`.
        WORD.store(page.cast(), Ordering::Release);
        page as usize
    });
    // SAFETY: the page is mapped forever, aligned, and only used as an atomic.
    unsafe { &*(at as *const AtomicU64) }
}

/// Delays `fork` while it lives.
#[derive(Debug)]
pub struct HoldOff(());

/// Delays `fork` in all threads of this process until the result is dropped. May block while a fork is in progress.
///
/// Not for signal handlers. Does not delay a raw `clone` system call.
pub fn hold_off() -> HoldOff {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| {
        extern "C" fn prepare() {
            enter();
        }
        extern "C" fn after() {
            leave();
        }
        // SAFETY: the handlers are static and only touch atomics and a futex.
        unsafe { libc::pthread_atfork(Some(prepare), Some(after), Some(after)) };
    });
    enter();
    HoldOff(())
}

impl Drop for HoldOff {
    fn drop(&mut self) {
        leave();
    }
}

/// A lock that the child of a fork may release. Three states would save wake calls, but it is used too rarely to matter.
fn enter() {
    // Acquire: pairs with the release in `leave`.
    while FORKING.swap(1, Ordering::Acquire) != 0 {
        let word = crate::futex::Word { at: FORKING.as_ptr(), value: 1, shared: false };
        // SAFETY: the word is a static.
        unsafe { crate::futex::wait(word, crate::clock::monotonic() + 10_000_000) };
    }
}

fn leave() {
    FORKING.store(0, Ordering::Release); // pairs with the acquire in `enter`
    // SAFETY: the word is a static.
    unsafe { crate::futex::wake(FORKING.as_ptr(), 1, false) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_knows_that_it_is_one() {
        let mine = generation();
        assert_eq!(generation(), mine);
        let held = hold_off();
        drop(held);
        // SAFETY: the child only reads a word and exits.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            let code = if generation() != mine && generation() == generation() { 0 } else { 1 };
            // SAFETY: leaving the child without running the parent's destructors.
            unsafe { libc::_exit(code) };
        }
        let mut status = 0;
        // SAFETY: waits for the child made above.
        unsafe { libc::waitpid(pid, &mut status, 0) };
        assert_eq!(status, 0);
        assert_eq!(generation(), mine);
    }
}
