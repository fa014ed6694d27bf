//! Asymmetric fences: the side in every call costs almost nothing, and the rare side pays for both.
//!
//! Of two threads that each store, then look at what the other stored, at least one sees the other's store if one has [`light`]
//! between the two, and the other [`heavy`]: `membarrier(2)` lets every thread of the process that is running pass a fence, and those
//! that are not have passed one. (D. Vyukov's asymmetric Dekker synchronisation.)

use std::sync::atomic::{AtomicU8, Ordering::*, compiler_fence};

const EXPEDITED: libc::c_int = 1 << 3;
const REGISTER: libc::c_int = 1 << 4;

/// Whether [`heavy`] works, once that is known.
static WORKS: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const YES: u8 = 1;
const NO: u8 = 2;

fn membarrier(command: libc::c_int) -> bool {
    // SAFETY: all arguments are numbers.
    unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) == 0 }
}

/// Whether there is such a fence: not on Linux before 4.14, nor where a filter forbids the call. The first time is a system call.
pub(crate) fn available() -> bool {
    if WORKS.load(Relaxed) == UNKNOWN {
        WORKS.store(if membarrier(REGISTER) { YES } else { NO }, Relaxed); // registering twice has no further effect
    }
    WORKS.load(Relaxed) == YES
}

/// The side that costs nothing.
#[inline(always)]
pub(crate) fn light() {
    compiler_fence(SeqCst);
}

/// The side that costs a system call, and an interruption of every processor that runs a thread of this process. False if it was
/// refused, and nothing can be said of others.
#[cold]
pub(crate) fn heavy() -> bool {
    membarrier(EXPEDITED) || membarrier(REGISTER) && membarrier(EXPEDITED)
}

/// A number, even and never 0, that no other living thread of this process has: an address of something aligned.
#[inline(always)]
pub(crate) fn thread() -> usize {
    #[cfg(all(target_arch = "x86_64", target_pointer_width = "64"))]
    {
        let own: usize;
        // SAFETY: the ABI keeps the thread's own address there; it is only read, and never changes.
        unsafe {
            std::arch::asm!("mov {}, fs:[0]", out(reg) own, options(pure, readonly, nostack, preserves_flags))
        };
        own
    }
    #[cfg(not(all(target_arch = "x86_64", target_pointer_width = "64")))]
    {
        // SAFETY: it cannot fail.
        unsafe { libc::pthread_self() as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn threads_that_live_together_have_different_numbers() {
        let mine = thread();
        assert!(mine != 0 && mine == thread() && mine.is_multiple_of(2));
        assert!(
            std::thread::spawn(thread)
                .join()
                .is_ok_and(|theirs| ![0, mine].contains(&theirs) && theirs.is_multiple_of(2))
        );
    }

    #[test]
    fn one_of_two_sees_the_other() {
        if !available() {
            return eprintln!("not tested: this kernel has no membarrier(2) for us");
        }
        // Each round both store the round's number, then look.
        let (light_side, heavy_side) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let (light_saw, heavy_saw) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let start = std::sync::Barrier::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in 1..=3000 {
                    start.wait();
                    light_side.store(round, Relaxed);
                    light();
                    light_saw.store(heavy_side.load(Relaxed), Relaxed);
                    start.wait();
                }
            });
            for round in 1..=3000 {
                start.wait();
                heavy_side.store(round, Relaxed);
                assert!(heavy());
                heavy_saw.store(light_side.load(Relaxed), Relaxed);
                start.wait();
                assert!(
                    light_saw.load(Relaxed) == round || heavy_saw.load(Relaxed) == round,
                    "round {round}"
                );
            }
        });
    }
}
