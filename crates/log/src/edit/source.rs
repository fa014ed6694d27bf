//! A log read from beginning to end.

use crate::{Damage, Event, Format, Reader};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, ErrorKind, Read};

/// Bytes per read.
const PIECE: usize = 256 << 10;

/// An input that may be a log: a file, a pipe.
#[derive(Debug)]
pub struct Source<R> {
    input: R,
    /// The bytes read to detect the format.
    beginning: Vec<u8>,
    format: Option<Format>,
}

/// The contents of a log other than events.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// The unreadable parts.
    pub damage: Damage,
    /// Metadata of the file.
    pub metadata: Vec<(String, BTreeMap<String, String>)>,
}

/// Why a log was not read to its end.
#[derive(Debug)]
pub enum ReadError<E> {
    /// Its format is unknown.
    NotALog,
    /// The input cannot be read.
    Read(io::Error),
    /// Processing an event failed.
    Take(E),
}

impl<E: fmt::Display> fmt::Display for ReadError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::NotALog => f.write_str("it does not begin with an event of LCM or MCAP"),
            ReadError::Read(error) => write!(f, "cannot read the log: {error}"),
            ReadError::Take(error) => error.fmt(f),
        }
    }
}
impl<E: fmt::Debug + fmt::Display> std::error::Error for ReadError<E> {}

impl<R: Read> Source<R> {
    /// Reads enough to detect the format.
    ///
    /// # Errors
    /// The input cannot be read.
    pub fn new(mut input: R) -> io::Result<Source<R>> {
        let mut beginning = Vec::new();
        (&mut input).take(Format::PROBE as u64).read_to_end(&mut beginning)?;
        let format = Format::of_bytes(&beginning);
        Ok(Source { input, beginning, format })
    }

    /// The format; `None` if it is unknown.
    pub fn format(&self) -> Option<Format> {
        self.format
    }
    /// Its first bytes, up to [`Format::PROBE`].
    pub fn beginning(&self) -> &[u8] {
        &self.beginning
    }
    /// Its bytes from the beginning.
    pub fn into_bytes(self) -> impl Read + use<R> {
        io::Cursor::new(self.beginning).chain(self.input)
    }

    /// Passes each event to `take` until it returns `false`. Calls `progress` with the number of bytes read; it may
    /// stop too.
    ///
    /// # Errors
    /// The format is unknown, the input cannot be read, or `take` failed.
    pub fn each<E>(
        mut self,
        mut progress: impl FnMut(u64) -> bool,
        mut take: impl FnMut(&Event<'_>) -> Result<bool, E>,
    ) -> Result<Rest, ReadError<E>> {
        let mut reader = Reader::new(self.format.ok_or(ReadError::NotALog)?);
        let mut buffer = vec![0; PIECE];
        let mut done = self.beginning.len() as u64;
        reader.feed(&self.beginning);
        while drain(&mut reader, &mut take)? && progress(done) {
            let n = match self.input.read(&mut buffer) {
                Ok(n) => n,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(ReadError::Read(e)),
            };
            if n == 0 {
                reader.end();
                drain(&mut reader, &mut take)?;
                break;
            }
            reader.feed(&buffer[..n]);
            done += n as u64;
        }
        Ok(Rest { damage: reader.damage(), metadata: reader.metadata().to_vec() })
    }
}

fn drain<E>(
    reader: &mut Reader,
    take: &mut impl FnMut(&Event<'_>) -> Result<bool, E>,
) -> Result<bool, ReadError<E>> {
    while let Some(event) = reader.event() {
        if !take(&event).map_err(ReadError::Take)? {
            return Ok(false);
        }
    }
    Ok(true)
}
