//! Checks for enough memory and inodes before a channel is created.

use crate::error::NO_MEMORY;
use crate::{Error, Name, Result};
use saltus_os::file;
use std::fs::File;

/// Refuses a channel of `needed` files and directories if its file system has fewer inodes left.
pub(crate) fn check_inodes(name: &Name, dir: &File, needed: u64) -> Result<()> {
    match file::inodes(dir).map_err(|e| Error::system(format!("create channel `{name}`"), e))? {
        Some(free) if free < needed => Err(Error::NoSpace {
            what: format!(
                "channel `{name}` needs {needed} inodes and its file system has {free} (`df -i`): remove files there, or mount it with \
                 more (`nr_inodes=`)"
            ),
        }),
        _ => Ok(()),
    }
}

/// Refuses a size that exceeds the free space of the file system or the memory limit of this process's control group.
pub(crate) fn check_room(name: &Name, bytes: u64, dir: &File) -> Result<()> {
    let (free, _) =
        file::file_system(dir).map_err(|e| Error::system(format!("create channel `{name}`"), e))?;
    if free < bytes {
        let what = format!(
            "channel `{name}` needs {bytes} B of shared memory and its file system has {free} B: {NO_MEMORY}"
        );
        return Err(Error::NoSpace { what });
    }
    match saltus_os::cgroup::room() {
        Some((room, group)) if room < bytes => Err(Error::NoSpace {
            what: format!(
                "channel `{name}` needs {bytes} B and the memory limit of control group {} leaves {room} B: {NO_MEMORY}",
                group.display()
            ),
        }),
        _ => Ok(()),
    }
}
