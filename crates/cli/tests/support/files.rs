//! A directory of files for a test, removed at its end.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A unique directory.
pub struct Files {
    directory: PathBuf,
}

impl Files {
    /// An empty one.
    pub fn new() -> Files {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        // Relaxed: only the number's own uniqueness counts.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory =
            std::env::temp_dir().join(format!("saltus-test-{}-files-{number}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("make a directory");
        Files { directory }
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.directory
    }

    /// The path of a file in it, as text.
    pub fn at(&self, name: &str) -> String {
        self.directory.join(name).to_str().expect("a path of a test is text").to_owned()
    }

    /// Writes a file with its directories, and returns its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.directory.join(name);
        std::fs::create_dir_all(path.parent().expect("a file lies in a directory"))
            .expect("make directories");
        std::fs::write(&path, content).expect("write a file");
        self.at(name)
    }

    /// The contents of a file.
    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.directory.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// All files, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.directory).expect("list a directory");
        let mut names: Vec<String> =
            entries.map(|e| e.expect("an entry").file_name().into_string().expect("text")).collect();
        names.sort();
        names
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
