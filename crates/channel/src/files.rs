//! What is asked of files of channels, whatever they are.

use saltus_os::file;
use std::fs::File;
use std::os::unix::fs::MetadataExt;

/// How deep directories are removed that others may have made, by root.
pub(crate) const DEEP: u32 = 64;

/// Whether both are one file.
pub(crate) fn same_file(a: &File, b: &File) -> bool {
    let id = |file: &File| file.metadata().ok().map(|m| (m.dev(), m.ino()));
    id(a).is_some_and(|a| Some(a) == id(b))
}

/// Removes whatever `name` is, to a depth that a channel has. Follows no link. Whoever else removes the same may be
/// ahead of us; what counts is that it is gone.
pub(crate) fn remove_all(dir: &File, name: &[u8], depth: u32) -> bool {
    if file::remove_at(dir, name, false).is_ok() {
        return true;
    }
    let Ok(inner) = file::open_dir_at(dir, name) else { return false };
    if depth > 0 {
        for each in file::names(&inner).unwrap_or_default() {
            remove_all(&inner, &each, depth - 1);
        }
    }
    file::remove_at(dir, name, true).is_ok()
}
