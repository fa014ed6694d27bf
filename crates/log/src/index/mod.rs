//! The position of each event of a log, in the order of time.
//!
//! An index is a separate file, so that little of it is in memory for a log of any size:
//!
//! ```text
//!  0   "SALTUSIX"
//!  8   version (4) │ CRC-32 of what is from 16 to 64 and of the table (4)
//!  16  the log it is of: size (8) │ modified, ns (8) │ CRC-32 of probes of its content (4) │ nothing (4)
//!  40  number of entries (8) │ length of the table (8) │ nothing (8)
//!  64  entries, sorted: time, ns (8) │ place of the event or its chunk (8) │ number in the chunk (4) │ row of the table (4)
//!      table: channels, damage, metadata                                             all little endian
//! ```
//!
//! It is never trusted: the event at each position is checked against the index.

mod build;
mod entry;
mod file;
mod table;

pub use table::{ChannelSummary, Summary};

use crate::{Error, Result};
use saltus_os::file::FileExt;
use std::fs::File;

pub(crate) use entry::Entry;
pub(crate) use file::Identity;

use entry::HEAD;

/// Entries per read.
const WINDOW: u64 = 1024;

/// The entries of a log, and a summary of the whole log.
#[derive(Debug)]
pub(crate) struct Index {
    file: File,
    count: u64,
    pub summary: Summary,
    /// Whether it existed already, and was not built by this process.
    pub found: bool,
    window: Vec<u8>,
    /// The first entry of the window.
    from: u64,
}

impl Index {
    fn new(file: File, count: u64, summary: Summary, found: bool) -> Index {
        Index { file, count, summary, found, window: Vec::new(), from: 0 }
    }

    pub fn len(&self) -> u64 {
        self.count
    }

    /// The entry with that number; `None` after the last.
    pub fn get(&mut self, number: u64) -> Result<Option<Entry>> {
        if number >= self.count {
            return Ok(None);
        }
        let from = number - number % WINDOW;
        if self.window.is_empty() || self.from != from {
            let entries = WINDOW.min(self.count - from) as usize;
            self.window.resize(entries * Entry::SIZE, 0);
            let at = HEAD + from * Entry::SIZE as u64;
            if let Err(e) = self.file.read_exact_at(&mut self.window, at) {
                self.window.clear();
                return Err(Error::Io("read the index of the log".into(), e));
            }
            self.from = from;
        }
        let at = (number - from) as usize * Entry::SIZE;
        Ok(self.window.get(at..).and_then(Entry::get))
    }

    /// The number of the first entry at or after this time; if there is none, the number of entries.
    pub fn at_or_after(&mut self, time: i64) -> Result<u64> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(middle)? {
                Some(entry) if entry.time < time => low = middle + 1,
                _ => high = middle,
            }
        }
        Ok(low)
    }
}
