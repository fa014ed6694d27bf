//! An allocator that counts, for tests of calls that must allocate nothing. Also read by the test of `compat/ach`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what each thread asks for.
struct Counting;

thread_local! {
    /// How often this thread asked for memory or gave it back.
    pub static ASKED: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: hands everything on to the system's allocator; the counter needs no memory of its own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.set(ASKED.get() + 1);
        // SAFETY: as the caller has it.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        ASKED.set(ASKED.get() + 1);
        // SAFETY: as the caller has it.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;
