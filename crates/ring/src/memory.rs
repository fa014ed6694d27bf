//! The [`Memory`] trait: lane memory as the algorithm uses it.
//!
//! All shared words are 64-bit atomics at a multiple of eight bytes. Message bytes are copied by routines that are
//! relaxed accesses in some order. Shared memory is accessed in no other way.

use crate::copy;
use core::mem::MaybeUninit;
use core::ops::Deref;
use core::sync::atomic::{AtomicU64, Ordering, fence};

/// Shared memory: 64-bit words by byte offset, and message bytes.
///
/// Offsets are in bytes, and multiples of eight for words. An offset outside the memory panics. The algorithm uses
/// only offsets from a checked [`crate::LaneLayout`], or offsets that it has bounded itself.
pub trait Memory {
    /// Loads the word at byte offset `at`.
    fn load(&self, at: usize, order: Ordering) -> u64;
    /// Stores the word at byte offset `at`.
    fn store(&self, at: usize, value: u64, order: Ordering);
    /// Adds to the word and returns its previous value.
    fn fetch_add(&self, at: usize, value: u64, order: Ordering) -> u64;
    /// Raises the word to at least `value` and returns its previous value.
    fn fetch_max(&self, at: usize, value: u64, order: Ordering) -> u64;
    /// Replaces `current` by `new`; if the word was not `current`, nothing happens.
    fn replace(&self, at: usize, current: u64, new: u64);
    /// Copies `bytes` to byte offset `at` (a multiple of eight) with relaxed stores; the last word may be
    /// padded with zeros.
    fn copy_in(&self, at: usize, bytes: &[u8]);
    /// Copies from byte offset `at` (a multiple of eight) with relaxed loads; fills all of `out`.
    fn copy_out(&self, at: usize, out: &mut [MaybeUninit<u8>]);
    /// A memory fence.
    fn fence(&self, order: Ordering) {
        fence(order);
    }
    /// Orders non-temporal stores with the ordinary stores around them.
    ///
    /// A loan may be filled with streaming stores, which an x86 release store does not order.
    fn drain(&self) {}
    /// Hints that the line at `at` will be read soon. Any offset is allowed.
    fn prefetch(&self, _at: usize) {}
}

/// Memory at an address, shared with other processes.
///
/// Cheap to copy. Sound to use from several threads: all accesses are atomic or opaque to the compiler.
#[derive(Clone, Copy, Debug)]
pub struct Shm {
    base: *mut u8,
    len: usize,
}

// SAFETY: every access to the memory is atomic (or an assembly copy that the algorithm validates), and the
// pointer itself carries no ownership.
unsafe impl Send for Shm {}
// SAFETY: as for Send.
unsafe impl Sync for Shm {}

impl Shm {
    /// Describes `len` bytes of memory at `base`.
    ///
    /// # Safety
    ///
    /// `base` must be aligned to eight bytes, and readable for `len` bytes as long as the value or a copy
    /// is used; it must be writable too if any writing method is called.
    pub unsafe fn new(base: *mut u8, len: usize) -> Shm {
        assert!((base as usize).is_multiple_of(8), "shared words need an alignment of eight bytes");
        Shm { base, len }
    }

    /// The address of byte offset `at`, for a reservation in a lane or the futex word of a bell.
    #[inline]
    pub fn address(&self, at: usize, len: usize) -> *mut u8 {
        assert!(at <= self.len && len <= self.len - at, "outside the mapped memory");
        // SAFETY: checked above to be inside the memory, which is valid by the contract of `new`.
        unsafe { self.base.add(at) }
    }

    #[inline(always)]
    fn word(&self, at: usize) -> &AtomicU64 {
        assert!(at.is_multiple_of(8) && at < self.len && self.len - at >= 8, "outside the mapped memory");
        // SAFETY: inside the memory and aligned (checked above; `new` requires an aligned base). All other accesses
        // to words, in this process and by protocol in others, are atomic as well.
        unsafe { AtomicU64::from_ptr(self.base.add(at).cast()) }
    }
}

impl Memory for Shm {
    #[inline(always)]
    fn load(&self, at: usize, order: Ordering) -> u64 {
        // Most mappings are read-only. There, only a relaxed load is guaranteed to be a plain load; a relaxed load
        // and an acquire fence are at least as strong as an acquire load.
        if cfg!(tsan) {
            return self.word(at).load(order); // thread sanitizer does not support fences; on x86, where we use it, this is a load
        }
        let value = self.word(at).load(Ordering::Relaxed);
        if order != Ordering::Relaxed {
            fence(Ordering::Acquire);
        }
        value
    }
    #[inline(always)]
    fn store(&self, at: usize, value: u64, order: Ordering) {
        self.word(at).store(value, order);
    }
    fn fetch_add(&self, at: usize, value: u64, order: Ordering) -> u64 {
        self.word(at).fetch_add(value, order)
    }
    fn fetch_max(&self, at: usize, value: u64, order: Ordering) -> u64 {
        self.word(at).fetch_max(value, order)
    }
    fn replace(&self, at: usize, current: u64, new: u64) {
        // Relaxed: a repair, which publishes nothing. A process that retires a channel issues a release fence
        // before it.
        let _ = self.word(at).compare_exchange(current, new, Ordering::Relaxed, Ordering::Relaxed);
    }
    #[inline(always)]
    fn copy_in(&self, at: usize, bytes: &[u8]) {
        let to = self.address(at, bytes.len().next_multiple_of(8));
        // SAFETY: `address` has checked the bounds, padded to whole words; the source is a slice.
        unsafe { copy::into_shared(to, bytes.as_ptr(), bytes.len()) }
    }
    #[inline(always)]
    fn copy_out(&self, at: usize, out: &mut [MaybeUninit<u8>]) {
        let from = self.address(at, out.len().next_multiple_of(8));
        // SAFETY: `address` has checked the source, padded to whole words; the destination is a slice.
        unsafe { copy::out_of_shared(out.as_mut_ptr().cast(), from, out.len()) }
    }
    #[inline(always)]
    fn drain(&self) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        // SAFETY: SSE is part of x86-64; the instruction touches no memory.
        unsafe {
            core::arch::x86_64::_mm_sfence();
        }
    }
    #[inline(always)]
    fn prefetch(&self, at: usize) {
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        if at < self.len {
            // SAFETY: a prefetch never faults; the address is inside the memory anyway.
            unsafe {
                use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
                _mm_prefetch::<_MM_HINT_T0>(self.base.add(at).cast());
            }
        }
        let _ = at;
    }
}

/// Memory on the heap, for channels inside one process and for tests; the portable copy, clean under Miri.
#[derive(Debug)]
pub struct Heap {
    words: Box<[AtomicU64]>,
}

impl Heap {
    /// `bytes` of zeroed memory, rounded up to whole words.
    pub fn zeroed(bytes: usize) -> Heap {
        Heap { words: (0..bytes.div_ceil(8)).map(|_| AtomicU64::new(0)).collect() }
    }
}

impl Memory for Heap {
    fn load(&self, at: usize, order: Ordering) -> u64 {
        self.words[at / 8].load(order)
    }
    fn store(&self, at: usize, value: u64, order: Ordering) {
        self.words[at / 8].store(value, order);
    }
    fn fetch_add(&self, at: usize, value: u64, order: Ordering) -> u64 {
        self.words[at / 8].fetch_add(value, order)
    }
    fn fetch_max(&self, at: usize, value: u64, order: Ordering) -> u64 {
        self.words[at / 8].fetch_max(value, order)
    }
    fn replace(&self, at: usize, current: u64, new: u64) {
        // Relaxed: a repair, which publishes nothing. A process that retires a channel issues a release fence
        // before it.
        let _ = self.words[at / 8].compare_exchange(current, new, Ordering::Relaxed, Ordering::Relaxed);
    }
    fn copy_in(&self, at: usize, bytes: &[u8]) {
        copy::words_in(&self.words[at / 8..], bytes);
    }
    fn copy_out(&self, at: usize, out: &mut [MaybeUninit<u8>]) {
        copy::words_out(&self.words[at / 8..], out);
    }
}

/// References and counted pointers to memory.
impl<T: Deref<Target: Memory>> Memory for T {
    fn load(&self, at: usize, order: Ordering) -> u64 {
        (**self).load(at, order)
    }
    fn store(&self, at: usize, value: u64, order: Ordering) {
        (**self).store(at, value, order);
    }
    fn fetch_add(&self, at: usize, value: u64, order: Ordering) -> u64 {
        (**self).fetch_add(at, value, order)
    }
    fn fetch_max(&self, at: usize, value: u64, order: Ordering) -> u64 {
        (**self).fetch_max(at, value, order)
    }
    fn replace(&self, at: usize, current: u64, new: u64) {
        (**self).replace(at, current, new);
    }
    fn copy_in(&self, at: usize, bytes: &[u8]) {
        (**self).copy_in(at, bytes);
    }
    fn copy_out(&self, at: usize, out: &mut [MaybeUninit<u8>]) {
        (**self).copy_out(at, out);
    }
    fn fence(&self, order: Ordering) {
        (**self).fence(order);
    }
    fn drain(&self) {
        (**self).drain();
    }
    fn prefetch(&self, at: usize) {
        (**self).prefetch(at);
    }
}
