//! Writing a log.

use crate::backend::BackendPublisher;
use crate::{Error, Result};
use saltus_channel::Name;
use saltus_log::lcm::{Reader, Writer};
use saltus_os::clock::{self, Clock};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A log that is being written.
#[derive(Debug)]
pub(crate) struct Logbook {
    path: PathBuf,
    file: File,
    writer: Writer,
    /// Up to this offset, the log is written and whole.
    whole: u64,
    /// The encoded event.
    event: Vec<u8>,
}

impl Logbook {
    /// Creates a log, replacing an existing file.
    pub fn create(path: &Path) -> Result<Logbook> {
        Logbook::open(path, OpenOptions::new().write(true).create(true).truncate(true))
    }

    /// Appends to a log, or creates it. An incomplete last event of a killed writer is cut off, because no reader
    /// could find the start of the next one. To find it, the log is read from its beginning.
    pub fn append(path: &Path) -> Result<Logbook> {
        let mut logbook =
            Logbook::open(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))?;
        let cut = |e| Error::system(format!("read the log `{}` to append to it", path.display()), e);
        let (mut reader, mut buffer) = (Reader::new(), vec![0; 1 << 20]);
        loop {
            match logbook.file.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => reader.feed(&buffer[..n]),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(cut(e)),
            }
            while reader.event().is_some() {}
        }
        let end = logbook.file.stream_position().map_err(cut)? - reader.pending() as u64;
        logbook.file.set_len(end).map_err(cut)?;
        logbook.whole = logbook.file.seek(SeekFrom::Start(end)).map_err(cut)?;
        Ok(logbook)
    }

    fn open(path: &Path, options: &OpenOptions) -> Result<Logbook> {
        let file = options
            .open(path)
            .map_err(|e| Error::system(format!("open the log `{}` to write it", path.display()), e))?;
        Ok(Logbook { path: path.into(), file, writer: Writer::new(), whole: 0, event: Vec::new() })
    }

    /// Writes an event with this time, µs since 1970. The system has it when this returns.
    fn write(&mut self, time: i64, name: &Name, payload: &[u8]) -> Result<()> {
        self.event.clear();
        self.writer
            .event(&mut self.event, time, name.as_bytes(), payload)
            .map_err(|e| Error::invalid(e.to_string()))?;
        if let Err(e) = self.file.write_all(&self.event) {
            // For instance, the disk is full. A partial event would cost a reader the next one: it is removed.
            let _ = self.file.set_len(self.whole).and_then(|()| self.file.seek(SeekFrom::Start(self.whole)));
            return Err(Error::system(format!("write to the log `{}`", self.path.display()), e));
        }
        self.whole += self.event.len() as u64;
        Ok(())
    }
}

/// Publishes into a log.
pub(crate) struct FilePublisher {
    /// `None`: the log is played.
    pub logbook: Option<Arc<Mutex<Logbook>>>,
    pub name: Name,
}

impl FilePublisher {
    fn write(&self, time: i64, payload: &[u8]) -> Result<()> {
        let Some(logbook) = &self.logbook else {
            return Err(Error::unsupported(
                "cannot publish to a log that is played; open it with ?mode=a to append to it, or ?mode=w to replace it",
            ));
        };
        // A panic between two lines leaves at worst a partial event.
        logbook.lock().unwrap_or_else(PoisonError::into_inner).write(time, &self.name, payload)
    }
}

impl BackendPublisher for FilePublisher {
    fn publish(&mut self, payload: &[u8]) -> Result<()> {
        self.write((clock::now(Clock::Realtime) / 1000) as i64, payload)
    }
    fn publish_with_timestamp(&mut self, payload: &[u8], timestamp: i64) -> Result<i64> {
        let time = timestamp.div_euclid(1000);
        self.write(time, payload)?;
        Ok(time * 1000)
    }
    fn sender(&self) -> Option<u64> {
        None
    }
}
