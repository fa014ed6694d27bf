//! What a user has left in shared memory, to be shown and then removed.

use crate::files::{DEEP, remove_all};
use crate::place;
use crate::{Error, Name, Result};
use saltus_os::file::{self, Kind};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Where it is looked for.
const SHM: &str = "/dev/shm";
/// How deep: root of domains, domain, channel, directory of counters, and what is in that.
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
    /// All that belongs to user `id` in `/dev/shm` below a name that begins with `saltus`: the private root, domains, channels in those of
    /// others, and leftovers of their making. As far as this process may look. Reads many directories.
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

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Channels in it: 1 if it is one.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The memory of all files in it, in bytes.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Removes it, with all in it, if it still belongs to that user; whether it was there. No link is followed. Processes that have a channel in it
    /// open notice that its files are gone.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if something in it cannot be removed: it belongs to somebody else, and this is not root.
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

/// Adds `name` of `dir`, which is `at`, if it belongs to user `id`; otherwise looks into it.
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

/// Counts the memory and the channels of `name` in `dir`.
fn measure(dir: &File, name: &[u8], depth: u32, one: &mut Belonging) {
    let Ok(there) = file::stat_at(dir, name) else { return };
    if there.kind == Kind::File {
        // Opened only if it is an ordinary file: never to wait.
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
