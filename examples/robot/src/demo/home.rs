//! The demo's domain: created at the start, and removed at the end, or by the next demo.
//!
//! The directory is locked while its demo runs; the kernel releases the lock however the demo ends. So an unlocked directory has no owner
//! any more.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use saltus_channel::Directory;

use crate::channels::CHANNELS;
use crate::error::{Error, Result};
use crate::sys;

const SHM: &str = "/dev/shm";
const PREFIX: &str = "saltus-demo-";

/// The domain of a running demo.
pub struct Home {
    domain: Directory,
    /// Directories created for it, the innermost first.
    made: Vec<PathBuf>,
    _lock: Option<File>,
}

impl Home {
    /// Creates a domain with all channels of the robot: the given one, or a temporary one.
    pub fn make(url: Option<&str>) -> Result<Home> {
        let mut home = match url {
            Some(url) => Home::named(url)?,
            None => Home::own()?,
        };
        match home.make_channels() {
            Ok(()) => Ok(home),
            Err((made, e)) => {
                home.remove(&made);
                Err(e)
            }
        }
    }

    /// The domain.
    pub fn domain(&self) -> &Directory {
        &self.domain
    }

    /// Removes everything. Returns unexpected contents.
    pub fn leave(mut self) -> Vec<String> {
        let names: Vec<&str> = CHANNELS.iter().map(|place| place.name).collect();
        self.remove(&names)
    }

    fn named(url: &str) -> Result<Home> {
        let domain = Directory::open(url)?;
        // Opening the domain may also create its parent. Existing directories stay at the end.
        let path = domain.path();
        let made = [Some(path), path.parent()].into_iter().flatten();
        let made = made.filter(|dir| !dir.exists()).map(Path::to_owned).collect();
        Ok(Home { domain, made, _lock: None })
    }

    fn own() -> Result<Home> {
        sweep();
        for attempt in 0..100 {
            // A process in another PID namespace may have the same process ID.
            let suffix = if attempt == 0 { String::new() } else { format!("-{attempt}") };
            let path = PathBuf::from(format!("{SHM}/{PREFIX}{}{suffix}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => {}
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(Error::system(format!("make the directory {}", path.display()))(e)),
            }
            // Another demo may have removed it between creation and locking.
            let Some(lock) = lock(&path) else { continue };
            let domain = Directory::open(&format!("shm://{}", path.display()))?;
            return Ok(Home { domain, made: vec![path], _lock: Some(lock) });
        }
        Err(Error::InTheWay(format!("{SHM} is full of directories {PREFIX}*: remove them")))
    }

    /// Creates all channels. An error includes those already created.
    fn make_channels(&mut self) -> Result<(), (Vec<&'static str>, Error)> {
        let mut made = Vec::new();
        for place in CHANNELS {
            match self.domain.create(place.name, &place.attributes()) {
                Ok(_) => made.push(place.name),
                Err(saltus_channel::Error::Exists { .. }) => {
                    let why = self.occupied(place.name, &made);
                    return Err((made, why));
                }
                Err(e) => return Err((made, e.into())),
            }
        }
        Ok(())
    }

    /// The reason why the demo cannot use this domain: channels in it that it did not create.
    fn occupied(&self, name: &str, made: &[&str]) -> Error {
        let url = self.domain.url();
        let there = self.domain.list().unwrap_or_default();
        let is_there = |name: &&str| there.iter().any(|n| n.as_bytes() == name.as_bytes());
        let left =
            CHANNELS.iter().map(|place| place.name).filter(is_there).filter(|name| !made.contains(name));
        Error::InTheWay(format!(
            "{url} already has a channel `{name}`: a demo runs there, or was killed there; remove its leftovers with \
             `saltus --domain {url} rm {}`, or choose another --domain",
            left.collect::<Vec<_>>().join(" ")
        ))
    }

    fn remove(&mut self, channels: &[&str]) -> Vec<String> {
        let mut residue = Vec::new();
        for name in channels {
            if let Err(e) = self.domain.unlink(name) {
                residue.push(e.to_string());
            }
        }
        for (k, dir) in self.made.iter().enumerate() {
            let Err(e) = fs::remove_dir(dir) else { continue };
            if k == 0 && e.kind() != io::ErrorKind::NotFound {
                residue.push(format!(
                    "{} held more than the demo's channels: {}",
                    dir.display(),
                    listing(dir)
                ));
                let _ = fs::remove_dir_all(dir);
            }
        }
        residue
    }
}

/// Removes the directories of demos that were killed.
fn sweep() {
    let Ok(entries) = fs::read_dir(SHM) else { return };
    let ours = entries.flatten().filter(|e| e.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()));
    let me = saltus_os::process::user();
    // Root could remove another user's directory, which may be something else. A running demo's cannot be locked.
    let is_mine = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|there| there.uid() == me);
    for path in ours.map(|e| e.path()).filter(is_mine) {
        if let Some(_lock) = lock(&path) {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

/// Locks a directory, if it is unlocked, and still the one at this path.
fn lock(path: &Path) -> Option<File> {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
    let dir = fs::OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    if !sys::try_lock(&dir).ok()? {
        return None;
    }
    let same = dir.metadata().ok()?.ino() == fs::symlink_metadata(path).ok()?.ino();
    same.then_some(dir)
}

fn listing(dir: &Path) -> String {
    let names = fs::read_dir(dir).into_iter().flatten().flatten();
    let names: Vec<String> = names.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.join(", ")
}
