//! Files. Those of shared memory cannot be opened here.

use super::absent::absent;
pub use super::own::{FileExt, free_space, identity, inode, os_str, symlink};
pub use crate::common::file::*;
use std::ffi::OsStr;
use std::fs::File;
use std::io;

absent! {
    open_at(&File, &[u8], Mode) -> File;
    open_dir_at(&File, &[u8]) -> File;
    open_dir(&OsStr) -> File;
    open_dir_no_links(&OsStr) -> File;
    stat_at(&File, &[u8]) -> Stat;
    stat_path(&OsStr) -> Stat;
    stat(&File) -> Stat;
    make_dir_at(&File, &[u8]) -> ();
    remove_at(&File, &[u8], bool) -> ();
    rename_at(&File, &[u8], &[u8], Rename) -> ();
    move_at(&File, &[u8], &File, &[u8]) -> ();
    link_at(&File, &[u8], &File, &[u8]) -> ();
    set_mode(&File, u32) -> ();
    set_group(&File, u32) -> ();
    set_owner(&File, u32) -> ();
    reserve(&File, u64, u64) -> ();
    file_system(&File) -> (u64, bool);
    room(&File) -> (u64, u64);
    inodes(&File) -> Option<u64>;
    names(&File) -> Vec<Vec<u8>>;
    names_at_most(&File, usize) -> Vec<Vec<u8>>;
}

/// The number of links to an open file: 0 after it was removed. One system call.
pub fn links(file: &File) -> io::Result<u64> {
    Ok(inode(file)?.links)
}

/// Whether an open file or directory has not been changed for more than two seconds.
pub fn is_old(file: &File) -> bool {
    let changed = file.metadata().and_then(|about| about.modified());
    changed.is_ok_and(|time| time.elapsed().is_ok_and(|age| age.as_secs() > 2))
}

/// No names: no directory is open.
pub fn first_names(_: &File) -> Vec<Vec<u8>> {
    Vec::new()
}

/// No names: no directory is open.
pub fn each_name(_: &File) -> impl Iterator<Item = Vec<u8>> + use<> {
    std::iter::empty()
}
