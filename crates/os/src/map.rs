//! Mapped memory.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// A mapping of a piece of a file, or of memory alone; unmapped when dropped.
#[derive(Debug)]
pub struct Map {
    base: *mut u8,
    len: usize,
    /// The process that it is for, if children do not inherit it.
    only: Option<u64>,
}

// SAFETY: the mapping is plain shared memory; who touches it does so by atomics.
unsafe impl Send for Map {}
// SAFETY: as for Send.
unsafe impl Sync for Map {}

/// What may be done with a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing at all: it only keeps the open file description alive.
    None,
    /// Reading.
    Read,
    /// Reading and writing.
    Write,
}

impl Map {
    /// Maps `len` bytes of `file` at `offset` (a multiple of the page). May block in the kernel; allocates there.
    ///
    /// With `populate` all pages are mapped now, so that later accesses do not fault.
    pub fn new(file: &File, offset: u64, len: usize, access: Access, populate: bool) -> io::Result<Map> {
        let prot = match access {
            Access::None => libc::PROT_NONE,
            Access::Read => libc::PROT_READ,
            Access::Write => libc::PROT_READ | libc::PROT_WRITE,
        };
        let flags = libc::MAP_SHARED | if populate { libc::MAP_POPULATE } else { 0 };
        let offset = libc::off_t::try_from(offset).map_err(|_| io::ErrorKind::InvalidInput)?;
        // SAFETY: a fresh mapping at an address of the kernel's choice aliases nothing.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), len, prot, flags, file.as_raw_fd(), offset) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Map { base: base.cast(), len, only: None })
    }

    /// Maps `len` bytes of zeroed memory of this process's own. Pages are taken when they are first touched.
    pub fn anonymous(len: usize) -> io::Result<Map> {
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a fresh mapping at an address of the kernel's choice aliases nothing.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), len, prot, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Map { base: base.cast(), len, only: None })
    }

    /// The first byte.
    pub fn base(&self) -> *mut u8 {
        self.base
    }
    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether the mapping has no bytes; it never has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Keeps the mapping from forked children: in them it does not exist.
    pub fn keep_from_children(&mut self) -> io::Result<()> {
        self.advise(libc::MADV_DONTFORK)?;
        self.only = Some(crate::fork::generation());
        Ok(())
    }

    /// Whether the mapping exists in this process, rather than in the parent that kept it to itself.
    #[inline(always)]
    pub fn is_ours(&self) -> bool {
        self.only.is_none_or(|only| only == crate::fork::generation())
    }

    /// Gives the kernel advice about the whole mapping (`MADV_…`).
    pub fn advise(&self, advice: libc::c_int) -> io::Result<()> {
        // SAFETY: the range is this mapping; the callers use advice that does not discard shared contents.
        crate::check(unsafe { libc::madvise(self.base.cast(), self.len, advice) }).map(drop)
    }

    /// Locks the mapping into memory.
    pub fn lock(&self) -> io::Result<()> {
        // SAFETY: the range is this mapping.
        crate::check(unsafe { libc::mlock(self.base.cast(), self.len) }).map(drop)
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // In a child that has not inherited it, the address may by now be somebody else's.
        if self.is_ours() {
            // SAFETY: the range is this mapping and nobody uses it any more.
            unsafe { libc::munmap(self.base.cast(), self.len) };
        }
    }
}
