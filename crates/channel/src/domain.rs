//! A domain: a directory of channels.

use crate::create::{self, Plan};
use crate::{Attributes, Channel, Error, Name, Result, Until, Wake};
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
pub struct Domain {
    path: PathBuf,
}

impl Domain {
    /// Names a domain. Makes nothing on disk.
    pub fn open(url: &str) -> Result<Domain> {
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
            return Ok(Domain { path });
        }
        let name = if rest.is_empty() { "default" } else { rest };
        let legal = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        if name.len() > 63 || name.starts_with('.') || !name.chars().all(legal) {
            return Err(bad(
                "its name must have up to 63 letters, digits, `_`, `-`, `.`, not beginning with a dot",
            ));
        }
        Ok(Domain { path: Path::new(ROOT).join(name) })
    }

    /// The domain that the environment variable `SALTUS_DOMAIN` names, or else `shm://`.
    pub fn from_env() -> Result<Domain> {
        match std::env::var("SALTUS_DOMAIN") {
            Ok(url) if !url.is_empty() => Domain::open(&url),
            _ => Domain::open("shm://"),
        }
    }

    /// The URL that names this domain.
    pub fn url(&self) -> String {
        match self.path.strip_prefix(ROOT) {
            Ok(name) if name == Path::new("default") => "shm://".into(),
            Ok(name) => format!("shm://{}", name.display()),
            Err(_) => format!("shm://{}", self.path.display()),
        }
    }

    /// The domain's directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a channel. It appears whole, in one step. [`Error::Exists`] if the name is taken.
    pub fn create(&self, name: impl AsRef<[u8]>, attributes: &Attributes) -> Result<Channel> {
        self.create_named(&Name::new(name)?, attributes, false)
    }

    /// Creates a channel, or puts a new one in the place of the old, whose users are told.
    pub fn replace(&self, name: impl AsRef<[u8]>, attributes: &Attributes) -> Result<Channel> {
        self.create_named(&Name::new(name)?, attributes, true)
    }

    fn create_named(&self, name: &Name, attributes: &Attributes, replace: bool) -> Result<Channel> {
        let plan = Plan::new(attributes)?;
        plan.create(&self.make_dir()?, &self.url(), name, replace)?;
        Channel::open(self, name)
    }

    /// Opens a channel. [`Error::NotFound`] if there is none.
    pub fn open_channel(&self, name: impl AsRef<[u8]>) -> Result<Channel> {
        Channel::open(self, &Name::new(name)?)
    }

    /// Opens a channel; creates it if there is none. An existing one keeps its attributes, whatever `attributes` say.
    pub fn open_or_create(&self, name: impl AsRef<[u8]>, attributes: &Attributes) -> Result<Channel> {
        let name = Name::new(name)?;
        loop {
            match Channel::open(self, &name) {
                Err(Error::NotFound { .. }) => {}
                other => return other,
            }
            match self.create_named(&name, attributes, false) {
                // Somebody was faster: open theirs. Or somebody removed ours at once: once more.
                Err(Error::Exists { .. } | Error::NotFound { .. }) => continue,
                other => return other,
            }
        }
    }

    /// Opens a channel as soon as it exists; `None` if it does not until the time is up. Looks every 10 ms.
    pub fn wait_for(&self, name: impl AsRef<[u8]>, until: impl Into<Until>) -> Result<Option<Channel>> {
        let (name, deadline) = (Name::new(name)?, until.into().deadline());
        loop {
            match Channel::open(self, &name) {
                Err(Error::NotFound { .. }) => {}
                other => return other.map(Some),
            }
            let now = saltus_os::clock::monotonic();
            match deadline {
                Some(deadline) if now < deadline => {
                    saltus_os::process::sleep_until(deadline.min(now + 10_000_000));
                }
                _ => return Ok(None),
            }
        }
    }

    /// Removes a channel. Those who have it open are told.
    pub fn unlink(&self, name: impl AsRef<[u8]>) -> Result<()> {
        let name = Name::new(name)?;
        self.channel_dir(&name)?;
        let dir = self.dir().map_err(|e| Error::system(format!("remove channel `{name}`"), e))?;
        create::unlink(&dir, &self.url(), &name)
    }

    /// Changes who may publish (write) and subscribe (read). Handles that are open stay as they are.
    pub fn chmod(&self, name: impl AsRef<[u8]>, mode: u32) -> Result<()> {
        let name = Name::new(name)?;
        Attributes::new().mode(mode).layout()?;
        let always = Channel::open(self, &name)?.attributes().get_wake() == Wake::Always;
        let dir = self.channel_dir(&name)?;
        let what = || format!("change the mode of channel `{name}`");
        create::set_modes(&dir, mode, None, always).map_err(|e| Error::system(what(), e))
    }

    /// The names of all channels, sorted. A domain that nobody has made yet has none.
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

    /// Removes what dead processes left: half-built channels, and counters of dead subscribers. Returns how many.
    ///
    /// Safe at any time; nothing that lives is touched. Creating a channel does the first by itself, opening a
    /// subscriber the second.
    pub fn sweep(&self) -> Result<usize> {
        let mut swept = self.path.parent().map_or(0, sweep_public_dirs);
        let Ok(dir) = self.dir() else { return Ok(swept) };
        swept += create::sweep(&dir);
        for name in self.list()? {
            if let Ok(dir) = self.channel_dir(&name) {
                swept += crate::counters::sweep(&dir);
            }
        }
        Ok(swept)
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
fn sweep_public_dirs(parent: &Path) -> usize {
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
            let domain = Domain::open(url).unwrap();
            assert_eq!((domain.path(), domain.url()), (Path::new(path), url.to_string()));
        }
        for bad in ["", "imu", "udpm://", "shm:///", "shm://a/b", "shm://.x", "shm:///a/../b"] {
            assert!(Domain::open(bad).unwrap_err().to_string().contains("shm://"), "{bad}");
        }
    }
}
