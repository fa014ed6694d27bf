//! Finding and removing the files of a user in shared memory.

use crate::files::{DEEP, remove_all_of};
use crate::place;
use crate::{Error, Name, Result};
use saltus_os::file::{self, Kind, Rename};
use saltus_os::process;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The directory to search.
const SHM: &str = "/dev/shm";
/// The root that several users share.
const SHARED: &str = "/dev/shm/saltus";
/// The depth to search: root of domains, domain, channel, directory of counters, and its files.
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
    /// Everything of user `id` in `/dev/shm` below a name that begins with `saltus`: the private root, domains, channels in those of
    /// others, and leftovers of creating them. It does not include a directory that contains a channel of another user, but the user's files
    /// in it. It does not include the shared root and its domains for root: [`crate::Root::unshare`] removes them. It finds only what this process
    /// may read. Reads many directories.
    pub fn of_user(id: u32) -> Result<Vec<Belonging>> {
        let shm = File::open(SHM).map_err(|e| Error::system(format!("open {SHM}"), e))?;
        let mut found = Vec::new();
        for name in file::each_name(&shm).filter(|n| n.starts_with(b"saltus") || place::is_aside(n)) {
            look(&shm, &name, Path::new(SHM), id, DEPTH, &mut found);
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

    /// The last part of the path, by which a channel is known.
    fn name(&self) -> &[u8] {
        self.path.file_name().unwrap_or_default().as_encoded_bytes()
    }

    /// Whether `name` in `parent`, which is this under its own name or set aside, belongs to the user; an error if a channel of another
    /// user is in it.
    fn check(&self, parent: &File, name: &[u8]) -> Result<bool> {
        if !file::stat_at(parent, name).is_ok_and(|there| there.user == self.user) {
            return Ok(false);
        }
        let mut now = Belonging { path: self.path.clone(), user: self.user, channels: 0, memory: 0 };
        if measure(parent, name, self.name(), DEEP, false, &mut now) > 0 {
            return Err(Error::Forbidden {
                what: format!(
                    "remove {}: another user has made a channel in it meanwhile, and it stays: list what is there again",
                    self.path.display()
                ),
            });
        }
        Ok(true)
    }

    /// Removes it with all its contents, if it still belongs to that user, and returns whether it existed. Follows no link. Processes
    /// that have a channel in it open notice that its files are gone.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if something in it cannot be removed, because it belongs to somebody else, and this is not root; or if another
    /// user has made a channel in it since: nothing is removed then.
    pub fn remove(&self) -> Result<bool> {
        let (parent, name) = place::parent_of(&self.path)?;
        if !self.check(&parent, name)? {
            return Ok(false);
        }
        // What this moves may be another directory than was checked: it is checked again. Who owns the parent can read the new name and
        // put another directory there too: the owner of the one that is then opened counts.
        let aside = place::name_aside();
        let aside = aside.as_bytes();
        match file::rename_at(&parent, name, aside, Rename::NoReplace) {
            Ok(()) => {}
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(e) if e.kind() == io::ErrorKind::PermissionDenied => return Err(self.refused()),
            Err(e) => return Err(Error::system(format!("remove {}", self.path.display()), e)),
        }
        let checked = self.check(&parent, aside);
        if !matches!(checked, Ok(true)) {
            // If the name was taken meanwhile, it stays aside: it belongs to somebody, and is never removed here.
            let _ = file::rename_at(&parent, aside, name, Rename::NoReplace);
            return checked;
        }
        if remove_all_of(self.user, &parent, aside, DEEP) {
            return Ok(true);
        }
        let _ = file::rename_at(&parent, aside, name, Rename::NoReplace); // for its owner, under its name
        Err(self.refused())
    }

    fn refused(&self) -> Error {
        let why = if process::user() == 0 {
            "something was made in it meanwhile, or cannot be removed: try again"
        } else {
            "it or something in it belongs to another user; root can remove it, with `sudo`"
        };
        Error::Forbidden { what: format!("remove {}: {why}", self.path.display()) }
    }
}

/// Adds `name` of `dir`, which is `at`, if it belongs to user `id` and has no channel of another user in it; otherwise looks into it.
fn look(dir: &File, name: &[u8], at: &Path, id: u32, depth: u32, found: &mut Vec<Belonging>) {
    let Ok(there) = file::stat_at(dir, name) else { return };
    let path = at.join(file::os_str(name));
    if there.user == id && !serves_all(dir, name, &path, id) {
        let mut one = Belonging { path: path.clone(), user: id, channels: 0, memory: 0 };
        if measure(dir, name, name, DEEP, false, &mut one) == 0 {
            return found.push(one);
        }
    }
    if there.kind == Kind::Directory
        && depth > 1
        && let Ok(inner) = file::open_dir_at(dir, name)
    {
        for each in file::each_name(&inner) {
            look(&inner, &each, &path, id, depth - 1, found);
        }
    }
}

/// Whether it is the root that several users share, or a domain in it that root made for them.
fn serves_all(dir: &File, name: &[u8], path: &Path, id: u32) -> bool {
    let is_one = path == Path::new(SHARED) || path.parent() == Some(Path::new(SHARED));
    id == 0 && is_one && file::open_dir_at(dir, name).is_ok_and(|inner| data_owner(name, &inner) != Some(0))
}

/// If directory `inner`, which is called `name`, looks like a channel: who owns its data. Anybody may have put that into a domain that all
/// may write. A channel called `data` makes its domain no channel.
fn data_owner(name: &[u8], inner: &File) -> Option<u32> {
    Name::from_file_name(name)?;
    let data = file::stat_at(inner, crate::geometry::DATA).ok()?;
    (data.kind != Kind::Directory).then_some(data.user)
}

/// Counts the memory and the channels of `name` in `dir`, which is known as `known` and may be part of a channel. Returns the number of other users' channels.
/// Directories that other users put into a channel do not count.
fn measure(
    dir: &File,
    name: &[u8],
    known: &[u8],
    depth: u32,
    in_channel: bool,
    one: &mut Belonging,
) -> usize {
    let Ok(there) = file::stat_at(dir, name) else { return 0 };
    let mut foreign = 0;
    if there.kind == Kind::File {
        // Only an ordinary file is opened, since opening any other could block.
        let file = file::open_at(dir, name, file::Mode::Read);
        let space = file.and_then(|file| file::inode(&file)).map_or(0, |m| m.space);
        one.memory = one.memory.saturating_add(space);
    }
    if there.kind == Kind::Directory
        && depth > 0
        && let Ok(inner) = file::open_dir_at(dir, name)
    {
        let data_owner = data_owner(known, &inner).filter(|_| !in_channel);
        let is_channel = data_owner.is_some();
        let in_channel = in_channel || data_owner == Some(one.user) && there.user == one.user;
        one.channels += usize::from(is_channel);
        foreign += usize::from(is_channel && there.user != one.user);
        for each in file::each_name(&inner) {
            foreign += measure(&inner, &each, &each, depth - 1, in_channel, one);
        }
    }
    foreign
}
