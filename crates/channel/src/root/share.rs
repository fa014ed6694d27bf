//! Making the root that several users share, and removing it: for root.

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
    /// Makes the shared root `/dev/shm/saltus`, with these domains in it besides `default`, or gives what root made before the permissions
    /// that it must have. All users may create channels in it and only a channel's owner may remove one; with `group`, only its members.
    /// It appears with its permissions and its default domain in one step.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if this is not root, or if something of another user has one of the names, with the command that
    /// removes it; [`Error::Invalid`] for a name that no domain can have.
    pub fn share(domains: &[&str], group: Option<u32>) -> Result<()> {
        must_be_root("share channels between users")?;
        for name in domains {
            check_name(name).map_err(|why| Error::invalid(format!("domain `{name}`: {why}")))?;
        }
        // To the kernel it means that the group is left as it is.
        if group == Some(u32::MAX) {
            return Err(Error::invalid(format!("{} is not the number of a group", u32::MAX)));
        }
        let what = || format!("make {SHM}/{SHARED}");
        let shm = File::open(SHM).map_err(|e| Error::system(format!("open {SHM}"), e))?;
        let (mode, gid) = (if group.is_some() { 0o3770 } else { 0o1777 }, group.unwrap_or(0));
        let domains = || std::iter::once(DEFAULT).chain(domains.iter().copied());
        if Root::shared().open_of_root()?.is_none() {
            let aside = place::name_aside();
            file::make_dir_at(&shm, aside.as_bytes()).map_err(|e| Error::system(what(), e))?;
            // Whoever finds it by its name finds `default` in it, which nobody else could have made.
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

    /// Removes the shared root, if root made it. Whether there was one.
    ///
    /// # Errors
    /// [`Error::Forbidden`] if this is not root, or if it belongs to another user, or while there are channels in it, which are
    /// named.
    pub fn unshare() -> Result<bool> {
        must_be_root("stop sharing channels between users")?;
        let Some(root) = Root::shared().open_of_root()? else { return Ok(false) };
        refuse_channels(&root)?;
        let what = || format!("remove {SHM}/{SHARED}");
        let shm = File::open(SHM).map_err(|e| Error::system(format!("open {SHM}"), e))?;
        let aside = place::name_aside();
        file::rename_at(&shm, SHARED.as_bytes(), aside.as_bytes(), Rename::NoReplace)
            .map_err(|e| Error::system(what(), e))?;
        // Nobody finds it by its name any more; a channel may have been made until then.
        if let Err(e) = refuse_channels(&root) {
            file::rename_at(&shm, aside.as_bytes(), SHARED.as_bytes(), Rename::NoReplace).map_err(
                |back| Error::system(format!("{e}; rename {SHM}/{aside} back to {SHM}/{SHARED}"), back),
            )?;
            return Err(e);
        }
        match remove_all(&shm, aside.as_bytes(), DEEP) {
            true => Ok(true),
            false => Err(Error::Forbidden {
                what: format!(
                    "{SHM}/{SHARED} is gone, but not all that was in it: look what is in {SHM}/{aside}, and remove it with \
                     `sudo rm -r --one-file-system {SHM}/{aside}`"
                ),
            }),
        }
    }

    /// Opens it, if it is there and root's.
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

/// [`Error::Forbidden`] if there are channels in the domains of `root`; an error too if one cannot be read.
fn refuse_channels(root: &File) -> Result<()> {
    let failed = |e| Error::system(format!("list {SHM}/{SHARED}"), e);
    let mut channels = Vec::new();
    for domain in file::names(root).map_err(failed)? {
        let of = String::from_utf8_lossy(&domain).escape_debug().to_string();
        let failed = |e| Error::system(format!("list {SHM}/{SHARED}/{of}"), e);
        let dir = match file::open_dir_at(root, &domain) {
            Ok(dir) => dir,
            // Not a directory, or removed meanwhile.
            Err(e) if matches!(e.raw_os_error(), Some(libc::ENOTDIR | libc::ELOOP | libc::ENOENT)) => {
                continue;
            }
            Err(e) => return Err(failed(e)),
        };
        let names = file::names(&dir).map_err(failed)?;
        channels
            .extend(names.iter().filter_map(|n| Name::from_file_name(n)).map(|n| format!("`{n}` in {of}")));
    }
    if channels.is_empty() {
        return Ok(());
    }
    let more = channels.len().saturating_sub(3);
    channels.truncate(3);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Err(Error::Forbidden {
        what: format!(
            "{SHM}/{SHARED} still has channels: {}{more}. Remove them first: `saltus rm`, or `saltus sweep --user NAME` for all of a user",
            channels.join(", ")
        ),
    })
}

fn must_be_root(what: &str) -> Result<()> {
    match process::user() {
        0 => Ok(()),
        _ => Err(Error::Forbidden { what: format!("only root can {what}: run it with `sudo`") }),
    }
}

/// Refuses `name` in `dir`, which is `path`, if it is not a directory of root's.
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
