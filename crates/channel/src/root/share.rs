//! Creating and removing the root that several users share; for root.

use super::{DEFAULT, Root, SHARED, SHM, check_name};
use crate::files::{DEEP, remove_all};
use crate::place::{self, kind_and_owner};
use crate::{Error, Name, Result};
use saltus_os::file::{self, Kind, Rename};
use saltus_os::process;
use std::fs::File;
use std::io;
use std::path::Path;

impl Root {
    /// Creates the shared root `/dev/shm/saltus` with the given domains and `default`. If root made it before, sets the required
    /// permissions.
    ///
    /// All users may create channels in it, and only a channel's owner may remove that channel. With `group`, only its members may
    /// create channels. The root appears with its permissions and its default domain in one step.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if this is not root, or if another user owns something with one of the names; the message has the command
    /// that removes it. [`Error::Invalid`] for an invalid domain name.
    pub fn share(domains: &[&str], group: Option<u32>) -> Result<()> {
        must_be_root("share channels between users")?;
        for name in domains {
            check_name(name).map_err(|why| Error::invalid(format!("domain `{name}`: {why}")))?;
        }
        let what = || format!("make {SHM}/{SHARED}");
        let shm = File::open(SHM).map_err(|e| Error::system(format!("open {SHM}"), e))?;
        let (mode, gid) = (if group.is_some() { 0o3770 } else { 0o1777 }, group.unwrap_or(0));
        let domains = || std::iter::once(DEFAULT).chain(domains.iter().copied());
        if Root::shared().open_of_root()?.is_none() {
            let aside = place::name_aside();
            file::make_dir_at(&shm, aside.as_bytes()).map_err(|e| Error::system(what(), e))?;
            // A process that finds the root by its name also finds `default` in it, which no other process could have made.
            let made = file::open_dir_at(&shm, aside.as_bytes()).and_then(|root| {
                place::make_dir(&root, DEFAULT.as_bytes(), mode, Some(gid))?;
                file::set_group(&root, gid)?;
                file::set_mode(&root, mode)?;
                file::rename_at(&shm, aside.as_bytes(), SHARED.as_bytes(), Rename::NoReplace)
            });
            if let Err(e) = made {
                remove_all(&shm, aside.as_bytes(), 1);
                if e.kind() != io::ErrorKind::AlreadyExists {
                    return Err(Error::system(what(), e));
                }
            }
        }
        let root = Root::shared().open_of_root()?;
        let root = root.ok_or_else(|| Error::system(what(), io::ErrorKind::NotFound.into()))?;
        let set = |dir: &File| file::set_group(dir, gid).and_then(|()| file::set_mode(dir, mode));
        set(&root).map_err(|e| Error::system(what(), e))?;
        for name in domains() {
            let what = || format!("make {SHM}/{SHARED}/{name}");
            place::make_dir(&root, name.as_bytes(), mode, Some(gid)).map_err(|e| Error::system(what(), e))?;
            let path = Path::new(SHM).join(SHARED).join(name);
            of_root(&root, name, &path)?;
            let dir = file::open_dir_at(&root, name.as_bytes()).map_err(|e| Error::system(what(), e))?;
            set(&dir).map_err(|e| Error::system(what(), e))?;
        }
        Ok(())
    }

    /// Removes the shared root, if root made it. Returns whether it existed.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if this is not root, if it belongs to another user, or while it contains channels, which the message names.
    pub fn unshare() -> Result<bool> {
        must_be_root("stop sharing channels between users")?;
        let Some(root) = Root::shared().open_of_root()? else { return Ok(false) };
        let mut channels = Vec::new();
        for domain in file::names(&root).unwrap_or_default() {
            let Ok(dir) = file::open_dir_at(&root, &domain) else { continue };
            let names = file::names(&dir).unwrap_or_default();
            let of = String::from_utf8_lossy(&domain).escape_debug().to_string();
            channels.extend(
                names.iter().filter_map(|n| Name::from_file_name(n)).map(|n| format!("`{n}` in {of}")),
            );
        }
        if !channels.is_empty() {
            let more = channels.len().saturating_sub(3);
            channels.truncate(3);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            return Err(Error::Forbidden {
                what: format!(
                    "{SHM}/{SHARED} still has channels: {}{more}. Remove them first: `saltus rm`, or `saltus sweep --user NAME` for all of a user",
                    channels.join(", ")
                ),
            });
        }
        let what = || format!("remove {SHM}/{SHARED}");
        let shm = File::open(SHM).map_err(|e| Error::system(format!("open {SHM}"), e))?;
        let aside = place::name_aside();
        file::rename_at(&shm, SHARED.as_bytes(), aside.as_bytes(), Rename::NoReplace)
            .map_err(|e| Error::system(what(), e))?;
        match remove_all(&shm, aside.as_bytes(), DEEP) {
            true => Ok(true),
            false => Err(Error::system(what(), io::ErrorKind::DirectoryNotEmpty.into())),
        }
    }

    /// Opens it, if it exists and belongs to root.
    fn open_of_root(&self) -> Result<Option<File>> {
        let shm = File::open(SHM).map_err(|e| Error::system(format!("open {SHM}"), e))?;
        match file::stat_at(&shm, self.name.as_bytes()) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::system(format!("open {}", self.path().display()), e)),
            Ok(_) => of_root(&shm, &self.name, &self.path())?,
        }
        file::open_dir_at(&shm, self.name.as_bytes())
            .map(Some)
            .map_err(|e| Error::system(format!("open {}", self.path().display()), e))
    }
}

fn must_be_root(what: &str) -> Result<()> {
    match process::user() {
        0 => Ok(()),
        _ => Err(Error::Forbidden { what: format!("only root can {what}: run it with `sudo`") }),
    }
}

/// Refuses `name` in `dir`, whose path is `path`, if it is not a directory that belongs to root.
fn of_root(dir: &File, name: &str, path: &Path) -> Result<()> {
    let what = || format!("open {}", path.display());
    let there = file::stat_at(dir, name.as_bytes()).map_err(|e| Error::system(what(), e))?;
    if there.kind == Kind::Directory && there.user == 0 {
        return Ok(());
    }
    Err(Error::Forbidden {
        what: format!(
            "{} is {}: look what is in it, remove it with `sudo rm -r {}`, and try again",
            path.display(),
            kind_and_owner(&there),
            path.display()
        ),
    })
}
