//! Limits of this process.

use super::own;
use std::fs::File;
use std::io;

pub use own::raise_open_files;

/// Descriptors in reserve, for operations that must work when the process has no other left.
#[derive(Debug, Default)]
pub struct Reserve(Vec<File>);

impl Reserve {
    /// Reserves this number of descriptors, or as many as are available. Makes one system call for each new one.
    pub fn hold(&mut self, count: usize) {
        while self.0.len() < count {
            let Ok(file) = File::open(own::NOWHERE) else { return };
            self.0.push(file);
        }
    }
    /// Releases them, for the next files to open.
    pub fn release(&mut self) {
        self.0.clear();
    }
}

/// `None`: no limit is known.
pub fn file_size() -> Option<u64> {
    None
}

/// Nothing to do: no limit is known.
pub fn report_file_size() -> io::Result<()> {
    Ok(())
}
