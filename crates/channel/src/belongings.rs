//! Finding and removing the files of a user in shared memory.

use crate::files::{DEEP, remove_all};
use crate::place;
use crate::{Error, Name, Result};
use saltus_os::file::{self, Kind};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The directory to search.
const SHM: &str = "/dev/shm";
/// Depth of the search: root of domains, domain, channel, directory of counters, and its entries.
const DEPTH: u32 = 5;

/// A directory or a file of a user that belongs to Saltus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Belonging {
    path: PathBuf,
    user: u32,
    channels: usize,
    memory: u64,
}

impl Belonging {
    /// Finds all that user `id` owns in `/dev/shm` under names that begin with `saltus`: the private root, domains, channels in domains of
    /// other users, and leftovers. Skips directories that this process may not read. Reads many directories.
    pub fn of_user(id: u32) -> Result<Vec<Belonging>> {
        let shm = File::open(SHM).map_err(|e| Error::system(format!("open {SHM}"), e))?;
        let names = file::names(&shm).map_err(|e| Error::system(format!("list {SHM}"), e))?;
        let mut found = Vec::new();
        for name in names.iter().filter(|n| n.starts_with(b"saltus") || place::is_aside(n)) {
            look(&shm, name, Path::new(SHM), id, DEPTH, &mut found);
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of channels in it; 1 if it is a channel.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The memory of all its files, in bytes.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Removes it with all its contents, if it still belongs to that user, and returns whether it existed. Follows no link. Processes
    /// that have a channel in it open notice that its files are gone.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if an entry belongs to another user and this process is not root's, so that the entry cannot be removed.
    pub fn remove(&self) -> Result<bool> {
        let (parent, name) = place::parent_of(&self.path)?;
        if !file::stat_at(&parent, name).is_ok_and(|there| there.user == self.user) {
            return Ok(false);
        }
        if remove_all(&parent, name, DEEP) {
            return Ok(true);
        }
        Err(Error::Forbidden {
            what: format!(
                "remove {}: something in it belongs to another user; root can remove it, with `sudo`",
                self.path.display()
            ),
        })
    }
}

/// Adds entry `name` of `dir`, whose path is `at`, if it belongs to user `id`; otherwise searches inside it.
fn look(dir: &File, name: &[u8], at: &Path, id: u32, depth: u32, found: &mut Vec<Belonging>) {
    let Ok(there) = file::stat_at(dir, name) else { return };
    let path = at.join(OsStr::from_bytes(name));
    if there.user == id {
        let mut one = Belonging { path, user: id, channels: 0, memory: 0 };
        measure(dir, name, DEEP, &mut one);
        return found.push(one);
    }
    if there.kind == Kind::Directory
        && depth > 1
        && let Ok(inner) = file::open_dir_at(dir, name)
    {
        for each in file::names(&inner).unwrap_or_default() {
            look(&inner, &each, &path, id, depth - 1, found);
        }
    }
}

/// Adds up the memory and the channels of `name` in `dir`.
fn measure(dir: &File, name: &[u8], depth: u32, one: &mut Belonging) {
    let Ok(there) = file::stat_at(dir, name) else { return };
    if there.kind == Kind::File {
        // Only an ordinary file is opened, since opening any other could block.
        let file = file::open_at(dir, name, file::Mode::Read);
        let blocks = file.and_then(|file| file.metadata()).map_or(0, |m| m.blocks());
        one.memory = one.memory.saturating_add(blocks.saturating_mul(512));
    }
    if there.kind == Kind::Directory
        && depth > 0
        && let Ok(inner) = file::open_dir_at(dir, name)
    {
        let is_channel =
            Name::from_file_name(name).is_some() && file::stat_at(&inner, crate::geometry::DATA).is_ok();
        one.channels += usize::from(is_channel);
        for each in file::names(&inner).unwrap_or_default() {
            measure(&inner, &each, depth - 1, one);
        }
    }
}
