//! A domain: a directory of channels, and the URL that names it.

mod channels;

use crate::{Error, Name, Result};
use saltus_os::file::{self, Rename};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where domains without a path of their own lie.
const ROOT: &str = "/dev/shm/saltus";

/// A directory of channels in shared memory.
///
/// `shm://` is the default domain, `/dev/shm/saltus/default`; `shm://NAME` is `/dev/shm/saltus/NAME`;
/// `shm:///run/robot` is that directory, which must lie on a tmpfs. A domain's directory is made with its first channel,
/// open to all users like `/tmp`; make it yourself, with other permissions, to keep it private.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Names a domain. Makes nothing on disk.
    ///
    /// ```
    /// use saltus_channel::Directory;
    /// assert_eq!(Directory::open("shm://")?.path().to_str(), Some("/dev/shm/saltus/default"));
    /// assert_eq!(Directory::open("shm://lab")?.path().to_str(), Some("/dev/shm/saltus/lab"));
    /// assert!(Directory::open("lab").is_err());
    /// # Ok::<(), saltus_channel::Error>(())
    /// ```
    pub fn open(url: &str) -> Result<Directory> {
        let bad = |why: &str| {
            Error::invalid(format!("domain `{url}`: {why}; write shm://, shm://NAME or shm:///directory"))
        };
        let rest = url.strip_prefix("shm://").ok_or_else(|| bad("not a shared-memory domain"))?;
        if rest.starts_with('/') {
            let path = PathBuf::from(rest.trim_end_matches('/'));
            if path.as_os_str().is_empty()
                || path.components().any(|c| c.as_os_str() == "..")
                || rest.contains('\0')
            {
                return Err(bad("not a directory of its own"));
            }
            return Ok(Directory { path });
        }
        let name = if rest.is_empty() { "default" } else { rest };
        let legal = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if name.len() > 63 || name.starts_with('.') || !name.chars().all(legal) {
            return Err(bad(
                "its name must have up to 63 letters, digits, `_`, `-`, `.`, not beginning with a dot",
            ));
        }
        Ok(Directory { path: Path::new(ROOT).join(name) })
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
        match std::env::var("SALTUS_DOMAIN") {
            Ok(url) if !url.is_empty() => Directory::open(&url),
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
        match self.path.strip_prefix(ROOT) {
            Ok(name) if name == Path::new("default") => "shm://".into(),
            Ok(name) => format!("shm://{}", name.display()),
            Err(_) => format!("shm://{}", self.path.display()),
        }
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

    /// The names of all channels, sorted. A domain that nobody has made yet has none.
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
        let what = || format!("list domain {}", self.url());
        let names = match self.dir().and_then(|dir| file::names(&dir)) {
            Ok(names) => names,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(Error::system(what(), e)),
        };
        let mut names: Vec<Name> = names.iter().filter_map(|n| Name::from_file_name(n)).collect();
        names.sort();
        Ok(names)
    }

    /// The open directory of the domain.
    pub(crate) fn dir(&self) -> io::Result<File> {
        file::open_dir(self.path.as_os_str())
    }

    /// The open directory of a channel.
    pub(crate) fn channel_dir(&self, name: &Name) -> Result<File> {
        let open = || file::open_dir_at(&self.dir()?, name.file_name().as_bytes());
        open().map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => Error::NotFound { channel: name.clone(), domain: self.url() },
            _ => Error::system(format!("open channel `{name}`"), e),
        })
    }

    /// The open directory of the domain, made if need be, and checked to be in memory.
    pub(crate) fn make_dir(&self) -> Result<File> {
        let what = || format!("make domain {} in {}", self.url(), self.path.display());
        if let Some(root) = self.path.parent().filter(|p| *p == Path::new(ROOT)) {
            make_public_dir(root).map_err(|e| Error::system(what(), e))?;
        }
        make_public_dir(&self.path).map_err(|e| Error::system(what(), e))?;
        let dir = self.dir().map_err(|e| Error::system(what(), e))?;
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
}

/// What the directory of a domain is called while it is made.
const ASIDE: &str = ".saltus-new-";

/// Removes directories of domains whose makers died before they had their names. Returns how many.
pub(crate) fn sweep_public_dirs(parent: &Path) -> usize {
    let Ok(parent) = file::open_dir(parent.as_os_str()) else { return 0 };
    let names = file::names(&parent).unwrap_or_default();
    let is_old = |name: &[u8]| file::open_dir_at(&parent, name).is_ok_and(|dir| file::is_old(&dir));
    // They are empty, and nothing else can be removed this way.
    let gone = |name: &[u8]| is_old(name) && file::remove_at(&parent, name, true).is_ok();
    names.iter().filter(|name| name.starts_with(ASIDE.as_bytes()) && gone(name)).count()
}

/// Makes a directory for everybody, like `/tmp`, unless it is there. It appears with its permissions.
fn make_public_dir(path: &Path) -> io::Result<()> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => return Ok(()),
    };
    let name = path.file_name().unwrap_or(OsStr::new("/")).as_bytes();
    let parent = file::open_dir(parent.as_os_str())?;
    match file::open_dir_at(&parent, name) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        other => return other.map(drop),
    }
    sweep_public_dirs(path.parent().unwrap_or(path));
    let mut made = name_public_dir(&parent, name);
    for _ in 0..3 {
        match made {
            // Somebody took us for dead and swept what was not named yet.
            Err(e) if e.kind() == io::ErrorKind::NotFound => made = name_public_dir(&parent, name),
            other => return other,
        }
    }
    made
}

/// Makes one under a name aside, and gives it its own, unless that was taken meanwhile.
fn name_public_dir(parent: &File, name: &[u8]) -> io::Result<()> {
    let aside = format!("{ASIDE}{:016x}", saltus_os::process::random());
    file::make_dir_at(parent, aside.as_bytes())?;
    let made = file::open_dir_at(parent, aside.as_bytes())
        .and_then(|dir| file::set_mode(&dir, 0o1777))
        .and_then(|()| file::rename_at(parent, aside.as_bytes(), name, Rename::NoReplace));
    if let Err(e) = made {
        let _ = file::remove_at(parent, aside.as_bytes(), true);
        if e.kind() != io::ErrorKind::AlreadyExists {
            return Err(e);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_directories() {
        for (url, path) in [
            ("shm://", "/dev/shm/saltus/default"),
            ("shm://lab", "/dev/shm/saltus/lab"),
            ("shm:///run/robot", "/run/robot"),
        ] {
            let domain = Directory::open(url).unwrap();
            assert_eq!((domain.path(), domain.url()), (Path::new(path), url.to_string()));
        }
        for bad in ["", "imu", "udpm://", "shm:///", "shm://a/b", "shm://.x", "shm:///a/../b"] {
            assert!(Directory::open(bad).unwrap_err().to_string().contains("shm://"), "{bad}");
        }
    }
}
