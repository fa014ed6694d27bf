//! Memory that parent and children share, and private pages.

use std::io;
use std::ops::{Deref, DerefMut};

/// A run of whole pages, unmapped when dropped. In a forked child shared pages are the same memory.
pub struct Pages {
    start: *mut u8,
    len: usize,
}

impl Pages {
    /// Pages that children share with their parent.
    pub fn shared(len: usize) -> io::Result<Pages> {
        Pages::map(len, libc::MAP_SHARED)
    }

    /// Pages of this process only.
    pub fn private(len: usize) -> io::Result<Pages> {
        Pages::map(len, libc::MAP_PRIVATE)
    }

    fn map(len: usize, kind: libc::c_int) -> io::Result<Pages> {
        let prot = libc::PROT_READ | libc::PROT_WRITE;
        let flags = kind | libc::MAP_ANONYMOUS | libc::MAP_POPULATE;
        // SAFETY: a fresh anonymous mapping at an address the kernel chooses; nothing else is touched.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), len, prot, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Pages { start: start.cast(), len })
    }

    /// Fills this process's page table for the mapping: a fork does not copy it for shared memory.
    pub fn prefault(&self) {
        // SAFETY: the range is ours. A kernel that does not know the advice (before 5.14) refuses it, and
        // the pages come with the warm-up instead.
        unsafe { libc::madvise(self.start.cast(), self.len, libc::MADV_POPULATE_WRITE) };
    }

    /// Its size in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The first byte.
    pub fn start(&self) -> *mut u8 {
        self.start
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `map` and nothing borrowed from it outlives `self`.
        unsafe { libc::munmap(self.start.cast(), self.len) };
    }
}

/// Private memory for one message: page aligned, so that no contender copies from a luckier address, and
/// touched, so that none pays for its page faults.
pub struct Buffer(Pages);

impl Buffer {
    /// `len` bytes of filler.
    pub fn new(len: usize) -> io::Result<Buffer> {
        let mut buffer = Buffer(Pages::private(len)?);
        buffer.fill(0x5a);
        Ok(buffer)
    }
}

impl Deref for Buffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: mapped private, zeroed by the kernel, and as long as `self`.
        unsafe { std::slice::from_raw_parts(self.0.start, self.0.len) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `deref`; `self` is borrowed mutably, and the pages are of this process only.
        unsafe { std::slice::from_raw_parts_mut(self.0.start, self.0.len) }
    }
}

/// One value of type `T` in shared pages; `T` is made of atomics, for which all-zero is a value.
pub struct Shared<T> {
    pages: Pages,
    kind: std::marker::PhantomData<T>,
}

/// Types made of atomics only: every bit pattern is a value and shared access is defined.
///
/// # Safety
/// All-zero bytes must be a valid value, and every field must allow access from several processes.
pub unsafe trait AllAtomic {}

impl<T: AllAtomic> Shared<T> {
    /// A zeroed value.
    pub fn new() -> io::Result<Shared<T>> {
        let pages = Pages::shared(std::mem::size_of::<T>())?;
        Ok(Shared { pages, kind: std::marker::PhantomData })
    }
}

impl<T: AllAtomic> Deref for Shared<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: page aligned, long enough, zeroed, and `AllAtomic` promises that this is a value.
        unsafe { &*self.pages.start().cast::<T>() }
    }
}
