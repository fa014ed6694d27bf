//! Finding files.

use crate::tools::Result;
use std::path::{Path, PathBuf};

/// All files with that extension below `dir`, sorted.
pub fn all(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in std::fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(all(&path, extension));
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The file with that name below `dir`.
pub fn find(dir: &Path, name: &str) -> Result<PathBuf> {
    let extension = name.rsplit('.').next().unwrap_or_default();
    let found = all(dir, extension).into_iter().find(|path| path.ends_with(name));
    found.ok_or_else(|| format!("no {name} below {}", dir.display()))
}
