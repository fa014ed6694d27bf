//! A granted real-time setting allocates nothing: a child may request it between fork and exec.

use saltus_os::rt;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts the allocations of this thread.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: forwards every call to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that is ending is not counted.
        let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        // SAFETY: our caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: our caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The number of allocations of `work`.
fn allocations(work: impl FnOnce()) -> usize {
    let before = COUNT.with(Cell::get);
    work();
    COUNT.with(Cell::get) - before
}

#[test]
fn a_setting_that_is_granted_allocates_nothing_and_a_refusal_its_words() {
    let all = rt::affinity();
    assert_eq!(allocations(|| assert!(rt::set_affinity(&all).is_ok())), 0);
    assert_eq!(allocations(|| assert!(rt::set_other().is_ok())), 0);
    assert_eq!(allocations(|| assert!(rt::set_timer_slack(50_000).is_ok())), 0);
    assert!(allocations(|| assert!(rt::set_affinity(&[]).is_err())) > 0, "they are counted");
}
