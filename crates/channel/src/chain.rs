//! Links from a replaced channel to its successor, so that readers miss nothing.
//!
//! The directory of the new channel contains a directory `old`. It has one subdirectory for each recent channel of the same name, with
//! hard links to that channel's files. The subdirectory's name is the time at which that channel ended. A reader of the first of
//! several channels therefore finds the second even if a third has the name. A late reader finds the messages published before. All
//! links appear together with the new channel, in one step.
//!
//! ```text
//! <domain>/<name>/old/<time>/data, bell, lease, types
//! ```

use crate::files::{remove_all, same_file};
use crate::geometry::{BELL, DATA, LEASE, TYPES};
use crate::mapping::Mapping;
use crate::{Directory, Name};
use saltus_os::clock;
use saltus_os::file::{self, Mode};
use std::fs::File;
use std::io;
use std::sync::Arc;

/// The directory of the predecessors.
const OLD: &[u8] = b"old";
/// How long a predecessor other than the last is kept, in ns. Its readers are woken when it ends, and have this time to follow.
const KEPT: u64 = 10_000_000_000;
/// The most predecessors that are kept.
const MOST: usize = 16;
/// The most entries of [`OLD`] that are read: another user's channel may have any number.
const LOOKED_AT: usize = 4 * MOST;
/// The most directories that [`carry`] makes.
pub(crate) const INODES: u64 = MOST as u64 + 1;
/// The memory allowed for predecessors other than the last, in bytes. The size of the new channel counts instead if it is larger.
const MEMORY: u64 = 64 << 20;

/// A predecessor.
struct Former {
    /// Its directory, and the name of that directory in `old`.
    dir: File,
    name: Vec<u8>,
    /// When it ended, in boot time.
    ended: u64,
}

impl Former {
    fn data(&self) -> io::Result<File> {
        file::open_at(&self.dir, DATA, Mode::Read)
    }
}

/// The predecessors of the channel in `dir`, oldest first.
fn read(dir: &File) -> Vec<Former> {
    let Ok(old) = file::open_dir_at(dir, OLD) else { return Vec::new() };
    let mut names = file::names_at_most(&old, LOOKED_AT).unwrap_or_default();
    names.sort();
    let former = |name: Vec<u8>| {
        let ended = u64::from_str_radix(str::from_utf8(&name).ok()?, 16).ok()?;
        Some(Former { dir: file::open_dir_at(&old, &name).ok()?, name, ended })
    };
    names.into_iter().take(2 * MOST).filter_map(former).collect()
}

/// Adds to `new`, which is being built and has `size` bytes, the links to `old` and its predecessors. `mode` and `group` are the channel's.
pub(crate) fn carry(old: &Mapping, new: &File, size: u64, mode: u32, group: u32) -> io::Result<()> {
    let now = clock::boottime();
    let mut formers = read(&old.dir);
    let most = size.max(MEMORY);
    let mut memory = 0u64;
    let mut kept: Vec<Former> = Vec::new();
    while let Some(former) = formers.pop() {
        let len = former.data().and_then(|data| file::inode(&data)).map_or(u64::MAX, |m| m.len);
        memory = memory.saturating_add(len);
        if now.saturating_sub(former.ended) >= KEPT || memory > most || kept.len() + 1 >= MOST {
            break;
        }
        kept.push(former);
    }
    file::make_dir_at(new, OLD)?;
    let all = file::open_dir_at(new, OLD)?;
    let mut last = 0;
    for former in kept.iter().rev() {
        link(&former.dir, &all, &former.name, mode, group)?;
        last = former.ended;
    }
    link(&old.dir, &all, format!("{:016x}", now.max(last.saturating_add(1))).as_bytes(), mode, group)?;
    set_permissions(&all, mode, group)
}

/// Links the files of the channel in `from` into a new directory `name` in `to`.
fn link(from: &File, to: &File, name: &[u8], mode: u32, group: u32) -> io::Result<()> {
    file::make_dir_at(to, name)?;
    let dir = file::open_dir_at(to, name)?;
    for file in [DATA, BELL, LEASE] {
        file::link_at(from, file, &dir, file)?;
    }
    match file::link_at(from, TYPES, &dir, TYPES) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {} // made by a version without this file
        other => other?,
    }
    set_permissions(&dir, mode, group)
}

/// Sets the permissions of a directory so that every user who may read the channel can enter it.
fn set_permissions(dir: &File, mode: u32, group: u32) -> io::Result<()> {
    let read = mode & 0o444;
    file::set_group(dir, group)?;
    file::set_mode(dir, read | read >> 2 | 0o200)
}

/// Changes the owner of all that [`carry`] made.
pub(crate) fn set_owner(channel: &File, owner: u32) -> io::Result<()> {
    for former in read(channel) {
        file::set_owner(&former.dir, owner)?;
    }
    file::set_owner(&file::open_dir_at(channel, OLD)?, owner)
}

/// Removes the predecessors whose readers had the time to follow; with `keep_last`, all but the last. Returns how many.
pub(crate) fn trim(channel: &File, keep_last: bool) -> usize {
    let mut formers = read(channel);
    if keep_last {
        formers.pop();
    }
    let Ok(old) = file::open_dir_at(channel, OLD) else { return 0 };
    let now = clock::boottime();
    let is_over = |former: &&Former| now.saturating_sub(former.ended) >= KEPT;
    formers.iter().filter(is_over).filter(|former| remove_all(&old, &former.name, 1)).count()
}

/// The directories of the predecessors of the channel in `channel`, as far as they belong to user `owner`.
pub(crate) fn dirs_of(channel: &File, owner: u32) -> Vec<File> {
    let is_owners =
        |former: &Former| former.data().and_then(|data| file::inode(&data)).is_ok_and(|m| m.user == owner);
    read(channel).into_iter().filter(is_owners).map(|former| former.dir).collect()
}

/// The predecessors of `channel`, oldest first. Each is opened when the iterator reaches it.
pub(crate) fn before(channel: &Mapping) -> impl DoubleEndedIterator<Item = Arc<Mapping>> {
    let open = |former: Former| Mapping::open_dir(&channel.domain, &channel.name, former.dir).ok();
    read(&channel.dir).into_iter().filter_map(open)
}

/// The successor of `old`, if `now` has a link to `old`: the first later channel that still exists. Also whether it
/// followed `old` directly, as [`carry`] recorded it.
pub(crate) fn after(
    domain: &Directory,
    name: &Name,
    old: &Mapping,
    now: Arc<Mapping>,
) -> (Arc<Mapping>, bool) {
    let formers = read(&now.dir);
    let is_old = |former: &Former| former.data().is_ok_and(|data| same_file(&data, &old.data));
    let next = formers.iter().position(is_old).map(|at| at + 1);
    for former in formers.into_iter().skip(next.unwrap_or(0)) {
        if let Ok(found) = Mapping::open_dir(domain, name, former.dir)
            && (next.is_some() || found.geometry.created > old.geometry.created)
        {
            return (found, next.is_some());
        }
    }
    (now, next.is_some())
}
