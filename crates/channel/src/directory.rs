//! A domain: a directory of channels, and the URL that names it.

mod channels;

use crate::place;
use crate::root::{DEFAULT, check_name};
use crate::{Error, Name, Owners, Result, Root, RootKind};
use saltus_os::file;
use saltus_os::{process, users};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The environment variable that names the accepted owners of channels.
const OWNER: &str = "SALTUS_OWNER";

/// The most names that are read of an untrusted directory.
const LOOKED_AT: usize = 4096;

/// A domain: a directory of channels in shared memory.
///
/// `shm://` is the default domain, `default` in the [`Root`] of domains; `shm://NAME` is `NAME` there. The root is `/dev/shm/saltus` if
/// root made it for all users (`saltus share`). Otherwise it is `/dev/shm/saltus-UID`, which is private to this user.
/// `shm:///run/robot` is that directory, which must be on a tmpfs.
///
/// A domain's directory is made with its first channel. In the root, only its owner can write it, or all users if root makes it in a
/// shared root. Elsewhere it is open to all users like `/tmp`. To keep it private, make it yourself with other permissions.
///
/// `?owner=root` accepts only channels of that user: see [`Owners::parse`]. Without it, the environment variable `SALTUS_OWNER` applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    path: PathBuf,
    /// Root and name; `None` if the URL has a path.
    named: Option<(Root, String)>,
    owners: Owners,
    /// Whether the URL or the program sets the accepted owners. Otherwise the environment may.
    says_owners: bool,
}

impl Directory {
    /// Names a domain. Creates nothing on disk. Reads the owner of `/dev/shm/saltus`, and looks up owners by name.
    ///
    /// ```
    /// use saltus_channel::{Directory, Root};
    /// assert_eq!(Directory::open("shm://")?.path(), Root::find().path().join("default"));
    /// assert_eq!(Directory::open("shm://lab")?.path(), Root::find().path().join("lab"));
    /// assert_eq!(Directory::open("shm:///run/robot")?.path().to_str(), Some("/run/robot"));
    /// assert!(Directory::open("lab").is_err());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn open(url: &str) -> Result<Directory> {
        let bad = |why: &str| {
            Error::invalid(format!("domain `{url}`: {why}; write shm://, shm://NAME or shm:///directory"))
        };
        let rest = url.strip_prefix("shm://").ok_or_else(|| bad("not a shared-memory domain"))?;
        if !cfg!(target_os = "linux") {
            let needs = "shm:// needs Linux: use a network, such as udpm:// or tcpq://";
            return Err(Error::invalid(format!("domain `{url}`: {needs}")));
        }
        let (rest, options) = rest.split_once('?').unwrap_or((rest, ""));
        let (owners, says_owners) = owners(options, &bad)?;
        if rest.starts_with('/') {
            let path = PathBuf::from(rest.trim_end_matches('/'));
            if path.as_os_str().is_empty()
                || path.components().any(|c| c.as_os_str() == "..")
                || rest.contains('\0')
            {
                return Err(bad("not a directory of its own"));
            }
            return Ok(Directory { path, named: None, owners, says_owners });
        }
        let name = if rest.is_empty() { DEFAULT } else { rest };
        check_name(name).map_err(bad)?;
        let root = Root::find();
        Ok(Directory { path: root.path().join(name), named: Some((root, name.into())), owners, says_owners })
    }

    /// This domain, restricted to channels of `owners`. Opening any other channel fails with [`Error::Forbidden`].
    ///
    /// ```
    /// use saltus_channel::{Directory, Owners};
    /// let domain = Directory::open("shm:///run/robot")?.owned_by(Owners::users([0]));
    /// assert_eq!(domain.url(), "shm:///run/robot?owner=root");
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn owned_by(self, owners: Owners) -> Directory {
        Directory { owners, says_owners: true, ..self }
    }

    /// The users whose channels are accepted.
    ///
    /// ```
    /// use saltus_channel::{Directory, Owners};
    /// assert_eq!(Directory::open("shm://?owner=root")?.owners(), &Owners::users([0]));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn owners(&self) -> &Owners {
        &self.owners
    }

    /// The root that contains this domain; `None` if its URL has a path.
    ///
    /// ```
    /// use saltus_channel::{Directory, Root};
    /// assert_eq!(Directory::open("shm://lab")?.root(), Some(&Root::find()));
    /// assert!(Directory::open("shm:///run/robot")?.root().is_none());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn root(&self) -> Option<&Root> {
        self.named.as_ref().map(|(root, _)| root)
    }

    /// The domain of the same name in the other root, if it has channels; programs started at another time may use it. The other root
    /// is this user's private root while the shared one is in use. Otherwise it is `/dev/shm/saltus`, regardless of its owner.
    ///
    /// ```
    /// use saltus_channel::Directory;
    /// assert!(Directory::open("shm:///run/robot")?.elsewhere().is_none());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn elsewhere(&self) -> Option<Directory> {
        let (root, name) = self.named.as_ref()?;
        let other = match root.kind() {
            RootKind::Private => Root::shared(),
            _ => Root::private(process::user()),
        };
        let there = Directory::open(&format!("shm://{}", other.path().join(name).display())).ok()?;
        // It may belong to any user and have any number of names.
        let names = there.dir().ok()??;
        let names = file::names_at_most(&names, LOOKED_AT).ok()?;
        names.iter().any(|name| Name::from_file_name(name).is_some()).then_some(there)
    }

    /// The domain that the environment variable `SALTUS_DOMAIN` names, or else `shm://`.
    ///
    /// ```
    /// use saltus_channel::Directory;
    /// let domain = Directory::from_env()?;
    /// assert!(domain.url().starts_with("shm://"));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn from_env() -> Result<Directory> {
        match process::variable("SALTUS_DOMAIN").map(std::ffi::OsString::into_string) {
            Some(Ok(url)) if !url.is_empty() => Directory::open(&url),
            _ => Directory::open("shm://"),
        }
    }

    /// The URL that names this domain.
    ///
    /// ```
    /// use saltus_channel::Directory;
    /// assert_eq!(Directory::open("shm://default")?.url(), "shm://");
    /// assert_eq!(Directory::open("shm:///run/robot/")?.url(), "shm:///run/robot");
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn url(&self) -> String {
        let domain = match &self.named {
            Some((_, name)) if name == DEFAULT => "shm://".into(),
            Some((_, name)) => format!("shm://{name}"),
            None => format!("shm://{}", self.path.display()),
        };
        if self.says_owners { format!("{domain}?owner={}", self.owners) } else { domain }
    }

    /// The domain's directory.
    ///
    /// ```
    /// use saltus_channel::Directory;
    /// assert_eq!(Directory::open("shm:///run/robot")?.path().to_str(), Some("/run/robot"));
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of all channels, sorted. Empty if the domain does not exist yet.
    ///
    /// ```
    /// use saltus_channel::Attributes;
    /// # mod doc { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/doc.rs")); }
    /// # let domain = doc::domain();
    /// assert!(domain.list()?.is_empty());
    /// domain.create("scan", &Attributes::new())?;
    /// domain.create("imu", &Attributes::new())?;
    /// let names: Vec<String> = domain.list()?.iter().map(|name| name.to_string()).collect();
    /// assert_eq!(names, ["imu", "scan"]);
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn list(&self) -> Result<Vec<Name>> {
        let Some(dir) = self.dir()? else { return Ok(Vec::new()) };
        let names = file::names(&dir).map_err(|e| Error::system(format!("list domain {}", self.url()), e))?;
        let mut names: Vec<Name> = names.iter().filter_map(|n| Name::from_file_name(n)).collect();
        names.sort();
        Ok(names)
    }

    /// The open directory of the domain, checked after opening; `None` if it does not exist yet.
    pub(crate) fn dir(&self) -> Result<Option<File>> {
        let opened = match &self.named {
            None => file::open_dir_no_links(self.path.as_os_str()),
            Some((root, name)) => match root.open()? {
                None => return Ok(None),
                Some(root) => file::open_dir_at(&root, name.as_bytes()),
            },
        };
        let what = || format!("open domain {}", self.url());
        let dir = match opened {
            Ok(dir) => dir,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(place::error(&what(), &self.path, e, place::CLOSED)),
        };
        let there = file::stat(&dir).map_err(|e| Error::system(what(), e))?;
        if self.named.is_some() {
            self.check_owner(&there)?;
        }
        self.check_mode(&there)?;
        Ok(Some(dir))
    }

    /// Refuses a directory of a user who is not trusted: the owner of a domain's directory can replace every channel in it. Root, this user
    /// and users named by `owner=` are trusted.
    fn check_owner(&self, there: &file::Stat) -> Result<()> {
        let (url, path) = (self.url(), self.path.display());
        let is_trusted = there.user == 0 || place::is_me(there.user) || self.owners.names(there.user);
        if !is_trusted && users::is_unknown(there.user) {
            return Err(Error::Forbidden {
                what: format!("domain {url}: {path} is not used: {}", place::UNKNOWN),
            });
        }
        if !is_trusted {
            let owner = users::user_for_people(there.user);
            return Err(Error::Forbidden {
                what: format!(
                    "domain {url}: {path} belongs to {owner}, who could replace every channel in it: open {} to trust that user, choose another name, \
                     or have it removed with `sudo rm -r {path}`",
                    Directory { says_owners: false, ..self.clone() }.url()
                        + &format!("?owner={},me", there.user)
                ),
            });
        }
        Ok(())
    }

    /// Refuses a directory that others may write and that is not sticky: they could replace every channel in it.
    fn check_mode(&self, there: &file::Stat) -> Result<()> {
        let (url, path) = (self.url(), self.path.display());
        // A user who names a path knows its group.
        let writers = if self.named.is_some() { 0o022 } else { 0o002 };
        if there.mode & 0o1000 == 0 && there.mode & writers != 0 {
            return Err(Error::Forbidden {
                what: format!(
                    "domain {url}: others may remove channels in {path} (mode {:o}): its owner can fix that with `chmod +t {path}`",
                    there.mode
                ),
            });
        }
        Ok(())
    }

    /// The open directory of a channel.
    pub(crate) fn channel_dir(&self, name: &Name) -> Result<File> {
        let not_found = || Error::NotFound { channel: name.clone(), domain: self.url() };
        let dir = self.dir()?.ok_or_else(not_found)?;
        file::open_dir_at(&dir, name.file_name().as_bytes()).map_err(|e| match e.raw_os_error() {
            Some(libc::ENOENT) => not_found(),
            Some(libc::ELOOP | libc::ENOTDIR) => {
                let there = file::stat_at(&dir, name.file_name().as_bytes());
                let there = there.map_or("not a directory".into(), |there| place::kind_and_owner(&there));
                Error::Damaged { what: format!("channel `{name}` in {} is {there}", self.url()) }
            }
            _ => Error::system(format!("open channel `{name}`"), e),
        })
    }

    /// The open directory of the domain, created if necessary, and checked to be in memory.
    pub(crate) fn make_dir(&self) -> Result<File> {
        let what = || format!("make domain {} in {}", self.url(), self.path.display());
        let dir = match self.dir()? {
            Some(dir) => dir,
            None => {
                match &self.named {
                    None => {
                        let (parent, name) = place::parent_of(&self.path)?;
                        place::make_dir(&parent, name, 0o1777, None)
                    }
                    Some((root, name)) => {
                        let dir = root.make()?;
                        let (mode, group) = root.domain_mode(&dir, name)?;
                        place::make_dir(&dir, name.as_bytes(), mode, group)
                    }
                }
                .map_err(|e| Error::system(what(), e))?;
                self.dir()?.ok_or_else(|| Error::system(what(), io::ErrorKind::NotFound.into()))?
            }
        };
        let (_, in_memory) = file::file_system(&dir).map_err(|e| Error::system(what(), e))?;
        if !in_memory {
            return Err(Error::invalid(format!(
                "domain {}: {} is not on a tmpfs, and a disk would make publishers wait; use a directory below /dev/shm or /run",
                self.url(),
                self.path.display()
            )));
        }
        Ok(dir)
    }

    /// Removes leftovers of dead makers of domains in the parent directory.
    fn sweep_next_to_it(&self) -> usize {
        let parent = match &self.named {
            Some((root, _)) => root.open().ok().flatten(),
            None => place::parent_of(&self.path).ok().map(|(parent, _)| parent),
        };
        parent.map_or(0, |parent| place::sweep_dirs(&parent))
    }
}

/// The users whose channels a URL with these options, or else the environment, accepts; and whether the URL sets them.
fn owners(options: &str, bad: &dyn Fn(&str) -> Error) -> Result<(Owners, bool)> {
    let mut owners = None;
    for option in options.split(['&', '?']).filter(|option| !option.is_empty()) {
        match option.split_once('=') {
            Some(("owner", users)) => owners = Some(Owners::parse(users)?),
            _ => return Err(bad(&format!("the only option here is `owner`, found `{option}`"))),
        }
    }
    match (owners, process::variable(OWNER).map(std::ffi::OsString::into_string)) {
        (Some(owners), _) => Ok((owners, true)),
        (None, Some(Ok(users))) if !users.is_empty() => match Owners::parse(&users) {
            Ok(owners) => Ok((owners, false)),
            Err(e) => Err(Error::invalid(format!("the environment variable {OWNER}: {e}"))),
        },
        (None, Some(Err(_))) => Err(Error::invalid(format!("the environment variable {OWNER} is not UTF-8"))),
        (None, _) => Ok((Owners::any(), false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_directories() {
        let root = Root::find().path();
        for (url, path) in [
            ("shm://", root.join("default")),
            ("shm://lab", root.join("lab")),
            ("shm:///run/robot", "/run/robot".into()),
            ("shm:///dev/shm/saltus/default", "/dev/shm/saltus/default".into()),
            ("shm://lab?owner=root,60001", root.join("lab")),
        ] {
            let domain = Directory::open(url).unwrap();
            assert_eq!((domain.path(), domain.url()), (path.as_path(), url.to_string()));
        }
        let bad =
            ["", "imu", "udpm://", "shm:///", "shm://a/b", "shm://.x", "shm:///a/../b", "shm://?depth=3"];
        for bad in bad {
            assert!(Directory::open(bad).unwrap_err().to_string().contains("shm://"), "{bad}");
        }
    }
}
