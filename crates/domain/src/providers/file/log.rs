//! Reading a log file, event by event.

use crate::{Error, Result};
use saltus_channel::Name;
use saltus_log::lcm::Reader;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes per read.
const PIECE: usize = 256 << 10;

/// An event that is kept until it is delivered.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub name: Name,
    /// µs since 1970, as far as the log can be trusted.
    pub time: i64,
    pub number: i64,
    pub payload: Arc<[u8]>,
    /// Whether the log is damaged between this event and the previous one returned.
    pub damaged: bool,
}

/// The result of reading on.
#[derive(Debug)]
pub(super) enum Next {
    /// An event.
    Event(Event),
    /// Enough was read; other work should proceed first.
    More,
    /// The end of the log.
    End,
}

#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: File,
    reader: Reader,
    buffer: Box<[u8]>,
    ended: bool,
    /// Bytes skipped when the last event was returned.
    skipped: u64,
}

impl Log {
    pub fn open(path: &Path) -> Result<Log> {
        let failed = |e| Error::system(format!("open the log `{}`", path.display()), e);
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Err(Error::NotALog {
                what: format!("`{}` is not a log: it is a directory", path.display()),
            });
        }
        let (path, buffer) = (path.into(), vec![0; PIECE].into());
        Ok(Log { path, file, reader: Reader::new(), buffer, ended: false, skipped: 0 })
    }

    /// The next event for which `wanted` returns true, after reading at most `most` bytes. Events whose channel
    /// names are too long to subscribe to (more than 63 bytes) are skipped.
    pub fn next(&mut self, most: usize, mut wanted: impl FnMut(&[u8], i64) -> bool) -> io::Result<Next> {
        let mut looked = 0;
        loop {
            while let Some(event) = self.reader.event() {
                let (number, time) = (event.number, event.time);
                let found = match Name::new(event.channel) {
                    Ok(name) if wanted(event.channel, time) => Some((name, Arc::from(event.data))),
                    _ => None,
                };
                if let Some((name, payload)) = found {
                    let skipped = self.reader.skipped();
                    let damaged = std::mem::replace(&mut self.skipped, skipped) < skipped;
                    return Ok(Next::Event(Event { name, time, number, payload, damaged }));
                }
            }
            if self.ended {
                return Ok(Next::End);
            }
            if looked >= most {
                return Ok(Next::More);
            }
            match self.file.read(&mut self.buffer) {
                Ok(0) => {
                    self.ended = true;
                    self.reader.end();
                }
                Ok(n) => {
                    looked += n;
                    self.reader.feed(&self.buffer[..n]);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => {
                    self.ended = true;
                    return Err(e);
                }
            }
        }
    }
    /// A failed read as an error; each subscriber receives it.
    pub fn failure(&self, e: &io::Error) -> Error {
        let again = io::Error::new(e.kind(), e.to_string());
        Error::system(format!("read the log `{}`", self.path.display()), again)
    }
    /// The number of events, and the number of bytes that did not belong to any.
    pub fn seen(&self) -> (u64, u64) {
        (self.reader.events(), self.reader.skipped())
    }
}
