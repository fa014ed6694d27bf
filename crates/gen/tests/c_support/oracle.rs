//! LCM 1.5.3 from PyPI, for tests only.

use std::path::{Path, PathBuf};

/// The directory with LCM's headers, library and programs, in the environment that all tests of types share.
pub fn lcm() -> PathBuf {
    let environment = saltus_peers::python().ancestors().nth(2).expect("…/bin/python");
    find(environment, "site-packages").expect("what pip installed")
}

/// The file or directory with that name below `dir`.
pub fn find(dir: &Path, name: &str) -> Option<PathBuf> {
    for entry in std::fs::read_dir(dir).ok()?.flatten() {
        let path = entry.path();
        if path.file_name().is_some_and(|n| n == name) {
            return Some(path);
        }
        if let Some(found) = path.is_dir().then(|| find(&path, name)).flatten() {
            return Some(found);
        }
    }
    None
}
