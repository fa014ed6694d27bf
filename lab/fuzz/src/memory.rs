//! Memory of a decoder, counted for each thread: a limit of the process would not detect a message of two kilobytes that takes a
//! megabyte.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Bytes of memory for each byte of a message, and for each of 1024 more. The largest struct of one byte in the
/// types has 300, in a vector that grows.
const FACTOR: usize = 1024;

struct Counting;

thread_local! {
    /// Below zero in a thread that freed what another one allocated.
    static NOW: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: usize, sign: isize) {
    NOW.set(NOW.get() + sign * bytes.cast_signed());
    MOST.set(MOST.get().max(NOW.get()));
}

// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 1);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 1);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(layout.size(), -1);
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Does `work` on a message of `len` bytes, which may use at most a multiple of them as memory at once.
pub fn bounded<T>(len: usize, work: impl FnOnce() -> T) -> T {
    let before = NOW.get();
    MOST.set(before);
    let done = work();
    let most = MOST.get() - before;
    assert!(most.unsigned_abs() <= FACTOR * (len + 1024), "{most} bytes of memory for {len} bytes");
    done
}
