//! A directory on a tmpfs, for logs and for a domain; removed when dropped.

use crate::error::Fallible;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The directory.
pub struct Place(PathBuf);

static MADE: AtomicU64 = AtomicU64::new(0);

impl Place {
    /// A new one.
    pub fn new() -> Fallible<Place> {
        let number = MADE.fetch_add(1, Relaxed); // only has to differ
        let path = PathBuf::from(format!("/dev/shm/saltus-bench-{}-{number}", std::process::id()));
        std::fs::create_dir(&path).map_err(|e| format!("cannot make {}: {e}", path.display()))?;
        Ok(Place(path))
    }
    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
    /// A domain in it whose channels keep `depth` messages of at most `size` bytes.
    pub fn shm(&self, depth: usize, size: usize) -> String {
        format!("shm://{}?depth={depth}&max_message_size={size}", self.file("domain").display())
    }
    /// An LCM group. The run has a separate network, so no other program uses it.
    pub fn udpm(&self) -> String {
        let number = MADE.fetch_add(1, Relaxed) % 20_000; // as above
        format!("udpm://239.255.77.{}:{}?ttl=0", number % 250 + 1, 7667 + number)
    }
}

impl AsRef<Path> for Place {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A directory that cannot be removed stays visible in /dev/shm; nothing else can be done here.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
