//! Helpers for all kinds of channel files.

use saltus_os::file;
use std::fs::File;
use std::os::unix::fs::MetadataExt;

/// Maximum depth to which root removes directories that other users may have made.
pub(crate) const DEEP: u32 = 64;

/// Whether both are the same file.
pub(crate) fn same_file(a: &File, b: &File) -> bool {
    let id = |file: &File| file.metadata().ok().map(|m| (m.dev(), m.ino()));
    id(a).is_some_and(|a| Some(a) == id(b))
}

/// Removes `name`, whatever its type, down to the depth of a channel. Follows no link. Another process may remove the same entry first;
/// only its absence counts.
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
