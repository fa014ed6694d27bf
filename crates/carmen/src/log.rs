//! A log, read message by message.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use crate::line::{LINE, Lines, Next};
use crate::message::{Laser, Malformed, Message, Scan, kind};

/// Most kinds of lines counted separately.
const KINDS: usize = 32;

/// Counts of a log's lines, as far as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Scans returned.
    pub scans: u64,
    /// Odometry messages returned.
    pub odometry: u64,
    /// Lines of other kinds, by their first word; `#` stands for comments.
    pub others: BTreeMap<String, u64>,
    /// Malformed lines.
    pub broken: u64,
    /// Lines longer than [`LINE`].
    pub too_long: u64,
    /// Why the file is incomplete, if it is.
    pub cut_short: Option<String>,
}

/// A line of a known kind.
#[derive(Debug)]
pub struct Entry<'a> {
    /// The number of the line, from 1.
    pub number: u64,
    /// The line, verbatim and without its newline.
    pub line: &'a [u8],
    /// The message, or why the line is malformed.
    pub message: Result<Message, Malformed>,
}

/// A log, open for reading.
pub struct Log {
    lines: Lines,
    counts: Counts,
}

impl Log {
    /// Opens a file. Its first bytes, not its name, show whether it is compressed.
    pub fn open(path: &Path) -> io::Result<Log> {
        Log::read(BufReader::with_capacity(1 << 16, File::open(path)?))
    }

    /// Whether a file that begins with these bytes may be a CARMEN log: text or gzip.
    pub fn looks_like(beginning: &[u8]) -> bool {
        let text = beginning.iter().all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace());
        beginning.starts_with(b"\x1f\x8b") || (text && !beginning.is_empty())
    }

    /// Reads from anything.
    pub fn read(bytes: impl BufRead + Send + 'static) -> io::Result<Log> {
        Ok(Log { lines: Lines::new(bytes)?, counts: Counts::default() })
    }

    /// The next line of a known kind, valid or not. `None`: the end of the log.
    pub fn next_entry(&mut self) -> Option<Entry<'_>> {
        let message = loop {
            if !self.next_line() {
                return None;
            }
            match Message::parse(&self.lines.text) {
                Some(message) => break message,
                None => self.skip(),
            }
        };
        match &message {
            Ok(Message::Scan(_)) => self.counts.scans += 1,
            Ok(Message::Odometry(_)) => self.counts.odometry += 1,
            Err(_) => self.counts.broken += 1,
        }
        Some(Entry { number: self.lines.number, line: &self.lines.text, message })
    }

    /// The next valid scan of the front laser, with its line. All other lines count as skipped. `None`: the end of
    /// the log.
    pub fn next_scan(&mut self) -> Option<(Scan, &[u8])> {
        let scan = loop {
            if !self.next_line() {
                return None;
            }
            if kind(&self.lines.text) != b"FLASER" {
                self.skip();
                continue;
            }
            match Scan::parse(&self.lines.text) {
                Ok(scan) => break scan,
                Err(_) => self.counts.broken += 1,
            }
        };
        debug_assert_eq!(scan.laser, Laser::Front);
        self.counts.scans += 1;
        Some((scan, &self.lines.text))
    }

    /// Counts of the lines read so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Goes to the next line. `false`: the end of the log.
    fn next_line(&mut self) -> bool {
        loop {
            match self.lines.next() {
                Next::Line => return true,
                Next::TooLong => self.counts.too_long += 1,
                Next::End => return false,
                Next::CutShort(why) => {
                    self.counts.cut_short = Some(why);
                    return false;
                }
            }
        }
    }

    /// Counts a line of another kind.
    fn skip(&mut self) {
        let mut words = self.lines.text.split(u8::is_ascii_whitespace);
        let word = words.find(|w| !w.is_empty()).unwrap_or(b"(blank)");
        // Text from a file may be shown on a terminal, so it is always escaped.
        let kind = match word[0] {
            b'#' => "#".to_owned(),
            _ => word[..word.len().min(24)].escape_ascii().to_string(),
        };
        let others = &mut self.counts.others;
        let known = others.len() < KINDS || others.contains_key(&kind);
        *others.entry(if known { kind } else { "(others)".into() }).or_default() += 1;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} scans", self.scans)?;
        if self.odometry > 0 {
            write!(f, ", {} odometry", self.odometry)?;
        }
        if !self.others.is_empty() {
            let kinds: Vec<String> = self.others.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
            write!(f, "; skipped {}", kinds.join(", "))?;
        }
        if self.broken > 0 {
            write!(f, "; {} malformed lines", self.broken)?;
        }
        if self.too_long > 0 {
            write!(f, "; {} lines over {LINE} bytes", self.too_long)?;
        }
        if let Some(why) = &self.cut_short {
            write!(f, "; the file ends too early ({why})")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
