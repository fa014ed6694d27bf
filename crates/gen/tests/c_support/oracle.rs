//! LCM 1.5.3 as it comes from PyPI, for tests only.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory into which LCM's wheel was unpacked, fetched once for all tests.
pub fn lcm() -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lcm-1.5.3");
    if !dir.is_dir() {
        // Unpacked aside and renamed, so that no other test sees half of it.
        let aside = dir.with_extension(std::process::id().to_string());
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]).arg(&aside).arg("lcm==1.5.3");
        super::run(&mut pip);
        if std::fs::rename(&aside, &dir).is_err() {
            std::fs::remove_dir_all(&aside).expect("somebody else was first");
        }
    }
    dir
}

/// The file or directory of that name below `dir`.
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
