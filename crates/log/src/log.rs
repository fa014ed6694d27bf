//! Random access to a log file.

use crate::index::{Identity, Index, Summary};
use crate::place::Places;
use crate::{Damage, Error, Event, Format, Result};
use saltus_os::file::FileExt;
use std::fs::File;
use std::path::{Path, PathBuf};

/// A log whose events are accessible in the order of time; events of the same time are in the order of the file.
///
/// Opening reads the log once and builds an index, unless a matching one is next to it ([`Keep`]). Events then have
/// positions from 0 to [`len`](Log::len), in an order that does not depend on their order in the file. It blocks as
/// long as the file does, and keeps a few chunks and a few thousand entries of the index in memory.
///
/// A log that is still being written has the length that it had when it was opened.
///
/// ```no_run
/// # use saltus_log::Log;
/// let mut log = Log::open("robot.mcap".as_ref())?;
/// log.seek_time(1_700_000_000_000_000_000)?; // the first event at or after it
/// while let Some(event) = log.next()? {
///     println!("{} {}", event.log_time, event.data.len());
/// }
/// let last = log.previous()?; // and one step back
/// # drop(last);
/// # Ok::<(), saltus_log::Error>(())
/// ```
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    format: Format,
    identity: Identity,
    index: Index,
    position: u64,
    places: Places,
}

/// Whether the index is stored next to the log, as `NAME.saltus-index`. If that is not allowed, it is built again
/// each time. An existing index is used in any case, if it matches the log's present state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// It is not stored.
    Never,
    /// It is stored if the log has 16 MiB or more; smaller ones are indexed quickly.
    #[default]
    Large,
    /// It is stored.
    Always,
}

impl Keep {
    fn is(self, size: u64) -> bool {
        match self {
            Keep::Never => false,
            Keep::Large => size >= 16 << 20,
            Keep::Always => true,
        }
    }
}

/// The index entry of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// When it was logged, ns since 1970.
    pub time: i64,
    /// Index of its channel in [`Summary::channels`]; beyond the last for a channel that is not listed.
    pub channel: usize,
}

impl Log {
    /// Opens a log.
    ///
    /// # Errors
    /// The file cannot be read, or is not a log; there is no space for the index.
    pub fn open(path: &Path) -> Result<Log> {
        Log::open_with(path, Keep::default(), &mut |_, _| true)
    }

    /// Opens a log. While the index is built, calls `progress` with the number of bytes read and the total; it
    /// returns whether to continue.
    ///
    /// # Errors
    /// Those of [`open`](Log::open), and `progress` returned false.
    pub fn open_with(path: &Path, keep: Keep, progress: &mut dyn FnMut(u64, u64) -> bool) -> Result<Log> {
        let failed = || Error::io(format!("read the log {}", path.display()));
        let not_a_file = || Error::NotALog(format!("{} is not a file", path.display()));
        let file = match File::open(path) {
            Err(_) if path.is_dir() => return Err(not_a_file()), // Windows opens no directories
            file => file.map_err(failed())?,
        };
        if !file.metadata().map_err(failed())?.is_file() {
            return Err(not_a_file());
        }
        let identity = Identity::of(&file).map_err(failed())?;
        let mut probe = vec![0; (Format::PROBE as u64).min(identity.size) as usize];
        file.read_exact_at(&mut probe, 0).map_err(failed())?;
        let format = Format::of_bytes(&probe).ok_or_else(|| {
            let (path, size) = (path.display(), identity.size);
            Error::NotALog(match size {
                0 => format!("{path} is empty"),
                _ => format!("{path} has no event of LCM or MCAP at the start of its {size} bytes"),
            })
        })?;
        let index = match Index::find(path, &identity) {
            Some(index) => index,
            None => Index::build((path, &file), format, &identity, keep.is(identity.size), progress)?,
        };
        let path = path.into();
        Ok(Log { path, file, format, identity, index, position: 0, places: Places::default() })
    }

    /// The path that it was opened by.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }
    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.identity.size
    }
    /// The number of events.
    pub fn len(&self) -> u64 {
        self.index.len()
    }
    /// Whether it has no events.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Its channels, and other properties of the whole log.
    pub fn summary(&self) -> &Summary {
        &self.index.summary
    }
    /// The parts that were unreadable when the index was made.
    pub fn damage(&self) -> Damage {
        self.index.summary.damage
    }
    /// Whether the index existed already.
    pub fn index_was_found(&self) -> bool {
        self.index.found
    }
    /// The times of the first event and the last, ns since 1970; `None` if there is no event.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn times(&mut self) -> Result<Option<(i64, i64)>> {
        let last = self.len().saturating_sub(1);
        Ok(self.mark(0)?.zip(self.mark(last)?).map(|(first, last)| (first.time, last.time)))
    }
    /// The index entry of the event at a position; `None` after the last. The event itself is not read.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn mark(&mut self, position: u64) -> Result<Option<Mark>> {
        let entry = self.index.get(position)?;
        Ok(entry.map(|entry| Mark { time: entry.time, channel: entry.row as usize }))
    }

    /// The position of the next event, which is the number of events before it.
    pub fn position(&self) -> u64 {
        self.position
    }
    /// Goes to a position; beyond the last event means the end.
    pub fn seek(&mut self, position: u64) {
        self.position = position.min(self.len());
    }
    /// Goes to the first event at or after this time, ns since 1970, or to the end; returns the position.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn seek_time(&mut self, time: i64) -> Result<u64> {
        self.position = self.index.at_or_after(time)?;
        Ok(self.position)
    }
    /// Returns the next event and advances; `None` at the end.
    ///
    /// # Errors
    /// The log cannot be read, has changed, or the message cannot be converted back to the published bytes; the
    /// position advances all the same.
    #[allow(clippy::should_implement_trait)] // the event borrows the log
    pub fn next(&mut self) -> Result<Option<Event<'_>>> {
        let position = self.position;
        self.position = (position + 1).min(self.len());
        self.event(position)
    }
    /// Returns the event before and moves back; `None` at the beginning.
    ///
    /// # Errors
    /// Those of [`next`](Log::next).
    pub fn previous(&mut self) -> Result<Option<Event<'_>>> {
        let Some(position) = self.position.checked_sub(1) else { return Ok(None) };
        self.position = position;
        self.event(position)
    }
    /// The event at a position; `None` after the last.
    ///
    /// # Errors
    /// Those of [`next`](Log::next).
    pub fn event(&mut self, position: u64) -> Result<Option<Event<'_>>> {
        if !self.holds(position)? && self.index.found {
            // The index is wrong: it stays on disk, but is built again for this log.
            let log = (self.path.as_path(), &self.file);
            self.places = Places::default();
            self.index = Index::build(log, self.format, &self.identity, true, &mut |_, _| true)?;
        }
        let Some(entry) = self.index.get(position)? else { return Ok(None) };
        let about = self.index.summary.channels.get(entry.row as usize).and_then(|c| c.about.as_ref());
        self.places.event(&self.file, self.identity.size, self.format, entry, about).map(Some)
    }
    /// Whether the index matches the event at a position.
    fn holds(&mut self, position: u64) -> Result<bool> {
        let Some(entry) = self.index.get(position)? else { return Ok(true) };
        let rows = &self.index.summary.channels;
        let about = rows.get(entry.row as usize).and_then(|c| c.about.as_ref());
        match self.places.find(&self.file, self.identity.size, self.format, entry, about.is_some()) {
            Ok(_) => Ok(true),
            Err(Error::Changed) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
