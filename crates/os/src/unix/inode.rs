//! The identity of a file.

use crate::common::file::Inode;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
pub use std::os::unix::fs::FileExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The identity of an open file. One system call.
pub fn inode(file: &File) -> io::Result<Inode> {
    let about = file.metadata()?;
    Ok(Inode {
        device: about.dev(),
        number: about.ino(),
        user: about.uid(),
        group: about.gid(),
        mode: about.mode(),
        links: about.nlink(),
        is_file: about.is_file(),
        len: about.len(),
        space: about.blocks().saturating_mul(512),
    })
}

/// Makes a symbolic link.
pub fn symlink(to: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, link)
}

/// The file system and the number of the file that a path names; of a symbolic link, those of the link itself. One system call.
pub fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let about = std::fs::symlink_metadata(path)?;
    Ok((about.dev(), about.ino()))
}

/// A name in a directory, from its bytes.
pub fn os_str(name: &[u8]) -> Cow<'_, OsStr> {
    OsStr::from_bytes(name).into()
}
