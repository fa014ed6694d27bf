//! Directories of a campaign, all below one that is removed at the end in any case.

use saltus_channel::Directory;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The directory of this whole run. The guardian removes it.
pub fn root(guardian: u32) -> PathBuf {
    PathBuf::from(format!("/dev/shm/saltus-campaigns-{guardian}"))
}

/// A directory for domains; removed when dropped.
pub struct Place {
    path: PathBuf,
}

impl Place {
    pub fn new(root: &Path, name: &str) -> io::Result<Place> {
        let path = root.join(name);
        fs::create_dir(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(Place { path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The domain `name` in this directory.
    pub fn domain(&self, name: &str) -> saltus_channel::Result<Directory> {
        Directory::open(&format!("shm://{}", self.path.join(name).display()))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        clear(&self.path);
    }
}

/// Removes `path` and everything in it, even if a check has removed the owner's permission. Follows no link.
pub fn clear(path: &Path) {
    if fs::symlink_metadata(path).is_ok_and(|m| m.is_dir()) {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
        for name in fs::read_dir(path).into_iter().flatten().flatten() {
            clear(&name.path());
        }
        let _ = fs::remove_dir(path); // leftovers stay visible
    } else {
        let _ = fs::remove_file(path); // as above
    }
}

/// The names in a directory, sorted; none if it does not exist.
pub fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
