//! Words shared by a campaign's processes: anonymous memory inherited through `fork`.

use std::io;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;

/// A row of zeroed 64-bit words, shared by this process and all that are later forked from it.
pub struct Words {
    at: *const AtomicU64,
    len: usize,
}

impl Words {
    pub fn new(len: usize) -> io::Result<Words> {
        let (prot, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        // SAFETY: a new anonymous mapping aliases nothing.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), len * 8, prot, flags, -1, 0) };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Words { at: at.cast(), len })
    }
}

impl Deref for Words {
    type Target = [AtomicU64];
    fn deref(&self) -> &[AtomicU64] {
        // SAFETY: mapped, zeroed and page-aligned for `len` words until dropped, and only used as atomics.
        unsafe { std::slice::from_raw_parts(self.at, self.len) }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        // SAFETY: this process's mapping, which is no longer used; other processes keep theirs.
        unsafe { libc::munmap(self.at as *mut _, self.len * 8) };
    }
}
