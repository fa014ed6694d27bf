//! A log as it is read from beginning to end.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use saltus_log::{Damage, Event, Format, Reader};

use crate::escape::harmless;
use crate::failure::{Code, Failure, Outcome, say};
use crate::progress::Progress;
use crate::stop;

/// Bytes that are read together.
const PIECE: usize = 256 << 10;

/// A log, or standard input.
pub struct Input {
    /// Its name, harmless to print.
    pub name: String,
    file: File,
    /// What was read to see what it is.
    probe: Vec<u8>,
    size: u64,
    format: Option<Format>,
}

/// What there was besides events.
pub struct Rest {
    /// What could not be read.
    pub damage: Damage,
    /// Metadata of the file.
    pub metadata: Vec<(String, std::collections::BTreeMap<String, String>)>,
}

impl Input {
    /// Opens a log; `-` is standard input.
    pub fn open(path: &Path) -> Outcome<Input> {
        let stdin = path == Path::new("-");
        let name = if stdin { "standard input".into() } else { harmless(&path.display().to_string()) };
        let failed = |e: io::Error| unreadable(&name, e);
        let mut file =
            if stdin { stop::input().map_err(failed)? } else { File::open(path).map_err(failed)? };
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(unreadable(&name, ErrorKind::IsADirectory.into()));
        }
        let mut probe = Vec::new();
        (&mut file).take(Format::PROBE as u64).read_to_end(&mut probe).map_err(failed)?;
        let format = Format::of_bytes(&probe);
        Ok(Input { name, file, probe, size: metadata.len(), format })
    }

    /// The format, unless it is none that is known.
    pub fn format(&self) -> Option<Format> {
        self.format
    }
    /// Whether it may be a CARMEN log: text or gzip.
    pub fn is_carmen(&self) -> bool {
        let text = self.probe.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace());
        self.format.is_none() && (self.probe.starts_with(b"\x1f\x8b") || (text && !self.probe.is_empty()))
    }
    /// Its bytes from the beginning.
    pub fn into_bytes(self) -> impl Read + Send + 'static {
        io::Cursor::new(self.probe).chain(self.file)
    }

    /// Gives each event to `take` until that has enough or the end is asked for. Says whether it came to the end, and what else
    /// there was.
    pub fn each(
        mut self,
        quiet: bool,
        mut take: impl FnMut(&Event<'_>) -> Outcome<bool>,
    ) -> Outcome<(bool, Rest)> {
        let Some(format) = self.format else { return Err(self.no_log()) };
        let mut progress = Progress::new(self.size, quiet);
        let mut reader = Reader::new(format);
        let mut buffer = vec![0; PIECE];
        let mut done = self.probe.len() as u64;
        reader.feed(&self.probe);
        let whole = loop {
            if !drain(&mut reader, &mut take)? || stop::requested() {
                break false;
            }
            let n = match self.file.read(&mut buffer) {
                Ok(n) => n,
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                Err(e) => return Err(unreadable(&self.name, e)),
            };
            if n == 0 {
                reader.end();
                break drain(&mut reader, &mut take)?;
            }
            reader.feed(&buffer[..n]);
            done += n as u64;
            progress.draw(done);
        };
        progress.clear();
        let rest = Rest { damage: reader.damage(), metadata: reader.metadata().to_vec() };
        Ok((whole, rest))
    }

    /// Why it cannot be read.
    pub fn no_log(&self) -> Failure {
        let words = match self.probe.len() {
            0 => format!("{} is empty", self.name),
            _ => format!("{} is no log: there is no event of LCM or MCAP at its beginning", self.name),
        };
        Failure::new(Code::Failed, words)
    }
}

fn drain(reader: &mut Reader, take: &mut impl FnMut(&Event<'_>) -> Outcome<bool>) -> Outcome<bool> {
    while let Some(event) = reader.event() {
        if !take(&event)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Says what was wrong with a log, if something was.
pub fn tell(name: &str, damage: &Damage) {
    if *damage != Damage::default() {
        say(format_args!("{name}: {damage}; all else was read"));
    }
}

fn unreadable(name: &str, error: io::Error) -> Failure {
    Failure::new(Code::Failed, format!("cannot read {name}: {error}; name a log"))
}
