//! Reads the scans of a CARMEN log, plain or gzip, line by line.
//!
//! ```text
//! FLASER n r_1 … r_n x y theta odom_x odom_y odom_theta stamp host log_stamp
//! ```
//!
//! Such logs come from everywhere. Whatever is not a front-laser scan is passed over and counted by its kind.
//! A line that calls itself a scan and is none, a line that does not end, a file that was cut short: counted
//! too, never an error. The memory it takes does not grow with the file.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use flate2::bufread::MultiGzDecoder;

/// Longer lines are passed over.
pub const LINE: usize = 8000;
/// More kinds of line than this are counted together.
const KINDS: usize = 32;
/// A gap between two stamps counts as this much at most, s. Clocks of robots jump.
const GAP: f64 = 10.0;

/// A front-laser scan.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// The ranges, m, from the right to the left over 180 degrees.
    pub ranges: Vec<f64>,
    /// Where the robot thought it was: x, y, heading.
    pub pose: [f64; 3],
    /// Seconds since the log began, as far as the log is to be trusted.
    pub stamp: f64,
}

impl Scan {
    /// Reads a line. `None`: not a whole and sound front-laser scan.
    pub fn parse(line: &[u8]) -> Option<Scan> {
        let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
        if words.next()? != "FLASER" {
            return None;
        }
        let number = |word: &str| word.parse::<f64>().ok().filter(|n| n.is_finite());
        let beams: usize = words.next()?.parse().ok()?;
        if beams > LINE {
            return None;
        }
        let ranges = (0..beams).map(|_| number(words.next()?)).collect::<Option<Vec<f64>>>()?;
        let mut rest = || number(words.next()?);
        let pose = [rest()?, rest()?, rest()?];
        let _odometry = [rest()?, rest()?, rest()?];
        let _stamp = rest()?;
        let _host = words.next()?;
        let stamp = number(words.next()?)?;
        if words.next().is_some() {
            return None;
        }
        Some(Scan { ranges, pose, stamp })
    }
}

/// How long to wait between two scans with these stamps: never backwards, never for ever.
pub fn pace(before: f64, now: f64, speed: f64) -> Duration {
    // What is no number, or too long to be told, becomes no wait at all.
    let gap = (now - before).clamp(0.0, GAP) / speed;
    Duration::try_from_secs_f64(gap).unwrap_or(Duration::ZERO)
}

/// What was in a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Scans given out.
    pub scans: u64,
    /// Lines of other kinds, by their first word; `#` are the comments.
    pub others: BTreeMap<String, u64>,
    /// Lines that call themselves `FLASER` and are not a scan.
    pub broken: u64,
    /// Lines longer than [`LINE`].
    pub too_long: u64,
    /// Why the file ended before its end.
    pub cut_short: Option<String>,
}

/// A log, open for reading.
pub struct Log {
    text: Box<dyn BufRead + Send>,
    line: Vec<u8>,
    counts: Counts,
}

impl Log {
    /// Opens a file. Whether it is compressed is seen from its first bytes, not from its name.
    pub fn open(path: &Path) -> io::Result<Log> {
        Log::read(BufReader::with_capacity(1 << 16, File::open(path)?))
    }

    /// Reads from anything.
    pub fn read(mut bytes: impl BufRead + Send + 'static) -> io::Result<Log> {
        let text: Box<dyn BufRead + Send> = if bytes.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
            Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(bytes)))
        } else {
            Box::new(bytes)
        };
        Ok(Log { text, line: Vec::with_capacity(LINE), counts: Counts::default() })
    }

    /// The next scan with its line, word for word and without the line's end. `None`: the log is over.
    pub fn next_scan(&mut self) -> Option<(Scan, &[u8])> {
        let scan = loop {
            if !self.next_line() {
                return None;
            }
            if self.line.split(u8::is_ascii_whitespace).next() == Some(b"FLASER") {
                match Scan::parse(&self.line) {
                    Some(scan) => break scan,
                    None => self.counts.broken += 1,
                }
            } else {
                self.pass_over();
            }
        };
        self.counts.scans += 1;
        Some((scan, &self.line))
    }

    /// What was read so far.
    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Brings the next line into `self.line`. False: there is none.
    fn next_line(&mut self) -> bool {
        loop {
            self.line.clear();
            let read = (&mut self.text).take(LINE as u64 + 1).read_until(b'\n', &mut self.line);
            match read {
                Ok(0) => return false,
                Ok(_) => {}
                Err(e) => {
                    // What came of the last line is not a line.
                    self.counts.cut_short = Some(e.to_string());
                    return false;
                }
            }
            if self.line.last() == Some(&b'\n') {
                self.line.pop();
                return true;
            }
            if self.line.len() <= LINE {
                return true; // the last line of a file needs no end
            }
            self.counts.too_long += 1;
            self.skip_rest();
        }
    }

    /// Passes over what is left of a line that is too long, without keeping it.
    fn skip_rest(&mut self) {
        loop {
            let Ok(chunk) = self.text.fill_buf() else { return };
            let (used, ended) = match chunk.iter().position(|b| *b == b'\n') {
                Some(at) => (at + 1, true),
                None => (chunk.len(), chunk.is_empty()),
            };
            self.text.consume(used);
            if ended {
                return;
            }
        }
    }

    /// Counts a line of another kind.
    fn pass_over(&mut self) {
        let word = self.line.split(u8::is_ascii_whitespace).find(|w| !w.is_empty()).unwrap_or(b"(blank)");
        // What stands in a file may be shown on a terminal: never as it is.
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
        if !self.others.is_empty() {
            let kinds: Vec<String> = self.others.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
            write!(f, "; passed over {}", kinds.join(", "))?;
        }
        if self.broken > 0 {
            write!(f, "; {} FLASER lines that are no scans", self.broken)?;
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
