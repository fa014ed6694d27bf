//! Mapped memory.

pub use crate::common::map::*;
use crate::fault::{self, Registered};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::Arc;

/// A mapping of a part of a file, or of anonymous memory; unmapped when dropped.
#[derive(Debug)]
pub struct Map {
    base: *mut u8,
    len: usize,
    prot: libc::c_int,
    /// The only process that has it, if children do not inherit it.
    only: Option<u64>,
    /// Its registration to survive truncation of its file. Dropped before anything is unmapped.
    registered: Option<Registered>,
    /// Keeps the mapping that contains its mark mapped.
    _marks: Option<Arc<Map>>,
}

/// A word that is set when the file behind a mapping is truncated and zeros replace the mapping. The rest of the word's page becomes
/// zeros too.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The mapping that contains the word; `None`: the truncated one.
    pub of: Option<Arc<Map>>,
    /// Its byte offset there, a multiple of eight.
    pub at: usize,
    /// Its new value.
    pub value: u64,
}

// SAFETY: the mapping is plain shared memory; all code accesses it through atomics.
unsafe impl Send for Map {}
// SAFETY: as for Send.
unsafe impl Sync for Map {}

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
        let offset = libc::off64_t::try_from(offset).map_err(|_| io::ErrorKind::InvalidInput)?;
        // SAFETY: a fresh mapping at an address of the kernel's choice aliases nothing.
        let base = unsafe { libc::mmap64(std::ptr::null_mut(), len, prot, flags, file.as_raw_fd(), offset) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Map { base: base.cast(), len, prot, only: None, registered: None, _marks: None })
    }

    /// Maps `len` bytes of `file` at `offset` (a multiple of the page), where other processes may truncate the file.
    ///
    /// On truncation, zeroed memory private to this process replaces the mapping, and `mark` is set; no SIGBUS ends the process. Later
    /// writes to it are lost. With `populate` all pages are mapped now. May block in the kernel; allocates there. The first call
    /// installs a SIGBUS handler.
    ///
    /// The thread that accesses a truncated page must not block SIGBUS. System calls that receive such memory fail with EFAULT.
    pub fn surviving(
        file: &File,
        offset: u64,
        len: usize,
        access: Access,
        populate: bool,
        mark: Option<Mark>,
    ) -> io::Result<Map> {
        let mut map = Map::new(file, offset, len, access, populate)?;
        let place = mark.as_ref().map(|mark| {
            assert!(
                mark.of.is_some() || len <= fault::PAGE,
                "a mark in its own mapping would be cleared with it"
            );
            let of = mark.of.as_deref().unwrap_or(&map);
            assert!(mark.at.is_multiple_of(8) && mark.at < of.len, "a mark is a word of its mapping");
            fault::Mark { at: of.base as usize + mark.at, value: mark.value, prot: of.prot }
        });
        let range = fault::Range { base: map.base as usize, len: map.len, prot: map.prot };
        // SAFETY: the range is the mapping just made, and the registration is dropped before it is unmapped. The mark's mapping lives
        // as long, since it is this one or is kept below. Other processes may change both to any bytes at any time, including zeros.
        map.registered = Some(unsafe { fault::register(range, place)? });
        map._marks = mark.and_then(|mark| mark.of);
        Ok(map)
    }

    /// Whether the file was cut short, so that the mapping is private memory or is being replaced by it. Two loads. A caller that acts on
    /// values it read there issues an acquire fence first.
    pub fn is_cut(&self) -> bool {
        self.registered.as_ref().is_some_and(Registered::is_cut)
    }

    /// Maps `file` again, at `offset`, in the place of a mapping that was cut. Other threads may use the mapping at the same time: they
    /// read the old contents or the file. One system call. `WouldBlock`: another thread is replacing the mapping; try again later.
    pub fn renew(&self, file: &File, offset: u64) -> io::Result<()> {
        let Some(registered) = &self.registered else { return Err(io::ErrorKind::InvalidInput.into()) };
        let offset = libc::off64_t::try_from(offset).map_err(|_| io::ErrorKind::InvalidInput)?;
        // First: a cut that comes between counts.
        let Some(seen) = registered.renewing() else { return Err(io::ErrorKind::WouldBlock.into()) };
        let flags = libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_POPULATE;
        // SAFETY: the range is this mapping, of memory that may change to any bytes at any time.
        let base =
            unsafe { libc::mmap64(self.base.cast(), self.len, self.prot, flags, file.as_raw_fd(), offset) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        registered.renewed(seen);
        Ok(())
    }

    /// Maps `len` bytes of zeroed private memory. Pages are allocated at the first access.
    pub fn anonymous(len: usize) -> io::Result<Map> {
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a fresh mapping at an address of the kernel's choice aliases nothing.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), len, prot, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Map { base: base.cast(), len, prot, only: None, registered: None, _marks: None })
    }

    /// The first byte.
    pub fn base(&self) -> *mut u8 {
        self.base
    }
    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Always false: a mapping has at least one byte.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Hides the mapping from forked children: it does not exist there.
    pub fn keep_from_children(&mut self) -> io::Result<()> {
        self.advise(libc::MADV_DONTFORK)?;
        let generation = crate::fork::generation();
        self.only = Some(generation);
        if let Some(registered) = &self.registered {
            registered.only_for(generation);
        }
        Ok(())
    }

    /// Whether the mapping exists in this process. False in a forked child if the parent kept it from children.
    #[inline(always)]
    pub fn is_ours(&self) -> bool {
        self.only.is_none_or(|only| only == crate::fork::generation())
    }

    /// Gives the kernel advice about the whole mapping (`MADV_…`).
    pub fn advise(&self, advice: libc::c_int) -> io::Result<()> {
        // SAFETY: the range is this mapping; the callers use advice that does not discard shared contents.
        super::check(unsafe { libc::madvise(self.base.cast(), self.len, advice) }).map(drop)
    }

    /// Leaves the mapping out of core dumps.
    pub fn keep_from_dumps(&self) -> io::Result<()> {
        self.advise(libc::MADV_DONTDUMP)
    }

    /// Locks the mapping into memory.
    pub fn lock(&self) -> io::Result<()> {
        // SAFETY: the range is this mapping.
        super::check(unsafe { libc::mlock(self.base.cast(), self.len) }).map(drop)
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // Before all else: another object may use the address as soon as it is unmapped.
        self.registered = None;
        // In a child that has not inherited it, another object may use the address by now.
        if self.is_ours() {
            // SAFETY: the range is this mapping, and no code uses it any more.
            unsafe { libc::munmap(self.base.cast(), self.len) };
        }
    }
}
