//! Memory by pages. Files are not mapped here.

use super::absent::absent;
pub use crate::common::map::*;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::fs::File;
use std::io;

/// A mark in a mapping of a file. No file is mapped, so that none is of use.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The mapping that contains the word.
    pub of: Option<std::sync::Arc<Map>>,
    /// Its byte offset there.
    pub at: usize,
    /// Its new value.
    pub value: u64,
}

/// Pages have at least this many bytes.
const PAGE: usize = 4096;

/// Zeroed memory of this process; released when dropped.
#[derive(Debug)]
pub struct Map {
    base: *mut u8,
    layout: Layout,
}

// SAFETY: plain memory; all code accesses it through atomics.
unsafe impl Send for Map {}
// SAFETY: as for Send.
unsafe impl Sync for Map {}

impl Map {
    absent! {
        new(&File, u64, usize, Access, bool) -> Map;
        surviving(&File, u64, usize, Access, bool, Option<Mark>) -> Map;
    }

    /// Allocates `len` bytes of zeroed memory, at a multiple of the page.
    pub fn anonymous(len: usize) -> io::Result<Map> {
        let layout = Layout::from_size_align(len, PAGE).map_err(|_| io::ErrorKind::OutOfMemory)?;
        if len == 0 {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // SAFETY: the layout has at least one byte.
        let base = unsafe { alloc_zeroed(layout) };
        if base.is_null() { Err(io::ErrorKind::OutOfMemory.into()) } else { Ok(Map { base, layout }) }
    }

    /// Fails: no file is mapped.
    pub fn renew(&self, _: &File, _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
    /// Always false: no file is mapped.
    pub fn is_cut(&self) -> bool {
        false
    }
    /// The first byte.
    pub fn base(&self) -> *mut u8 {
        self.base
    }
    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.layout.size()
    }
    /// Always false: there is at least one byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Nothing to do: the memory is not shared.
    pub fn keep_from_children(&mut self) -> io::Result<()> {
        Ok(())
    }
    /// Nothing to do: dumps do not contain it as a file.
    pub fn keep_from_dumps(&self) -> io::Result<()> {
        Ok(())
    }
    /// Always true: the memory is this process's own.
    pub fn is_ours(&self) -> bool {
        true
    }
    /// Fails: memory is not locked here.
    pub fn lock(&self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and no code uses it any more.
        unsafe { dealloc(self.base, self.layout) };
    }
}
