//! Conversion of a CARMEN log to an LCM log, and a summary of it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use saltus_log::lcm::Writer;
use saltus_log::{Event, Format, Reader};
use serde::Serialize;

use crate::log::{Entry, Log};
use crate::message::Malformed;
use crate::typed::micros;

/// Most broken lines reported individually; the rest are only counted.
const MAX_REPORTED: usize = 20;
/// A step forward of more than this is a jump, µs.
const JUMP: i64 = 10_000_000;

/// Converts entry by entry.
#[derive(Debug, Default)]
pub struct Converter {
    writer: Writer,
    /// The time of the event before.
    before: Option<i64>,
    first: Option<i64>,
    channels: BTreeMap<&'static str, u64>,
    broken: Vec<Broken>,
    broken_count: u64,
    back: Steps,
    jumps: Steps,
}

/// A malformed line.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Broken {
    /// Its number, from 1.
    pub line: u64,
    /// The error.
    pub error: String,
}

/// Timestamps that go back or jump.
#[derive(Clone, Debug, Default, Serialize, PartialEq, Eq)]
pub struct Steps {
    /// How many.
    pub count: u64,
    /// The line of the first.
    pub first_line: Option<u64>,
    /// The longest step, µs.
    pub longest: i64,
}

impl Steps {
    fn add(&mut self, line: u64, step: i64) {
        self.count += 1;
        self.first_line.get_or_insert(line);
        self.longest = self.longest.max(step);
    }
}

/// The summary of a log.
#[derive(Debug, Serialize, PartialEq, Eq)]
pub struct Summary {
    /// Events written.
    pub events: i64,
    /// By channel.
    pub channels: BTreeMap<&'static str, u64>,
    /// From the first time to the last, µs.
    pub duration: i64,
    /// The number of malformed lines.
    pub broken: u64,
    /// The first of them.
    pub broken_lines: Vec<Broken>,
    /// Times that go back.
    pub back: Steps,
    /// Times that jump forward.
    pub jumps: Steps,
}

impl Converter {
    /// Appends the events of an entry to `out`.
    pub fn add(&mut self, entry: Entry<'_>, out: &mut Vec<u8>) {
        let line = entry.number;
        if let Err(malformed) = self.write(entry, out) {
            self.broken_count += 1;
            if self.broken.len() < MAX_REPORTED {
                self.broken.push(Broken { line, error: malformed.what });
            }
        }
    }

    fn write(&mut self, entry: Entry<'_>, out: &mut Vec<u8>) -> Result<(), Malformed> {
        let malformed = |what: String| Malformed { what };
        let message = entry.message?;
        let us =
            |seconds: f64| micros(seconds).ok_or_else(|| malformed(format!("{seconds} is not a valid time")));
        let (utime, time) = (us(message.stamp())?, us(message.logged())?);
        let typed = message.typed(utime).map_err(|e| malformed(e.to_string()))?;
        for typed in &typed {
            let written = self.writer.event(out, time, typed.channel.as_bytes(), &typed.data);
            written.map_err(|e| malformed(e.to_string()))?;
            *self.channels.entry(typed.channel).or_default() += 1;
        }
        if let Some(step) = self.before.map(|before| time.saturating_sub(before)) {
            if step < 0 {
                self.back.add(entry.number, step.saturating_neg());
            } else if step > JUMP {
                self.jumps.add(entry.number, step);
            }
        }
        self.before = Some(time);
        self.first.get_or_insert(time);
        Ok(())
    }

    /// The summary.
    pub fn summary(self) -> Summary {
        let ends = self.first.zip(self.before);
        Summary {
            events: self.writer.written(),
            channels: self.channels,
            duration: ends.map_or(0, |(first, last)| last.saturating_sub(first)),
            broken: self.broken_count,
            broken_lines: self.broken,
            back: self.back,
            jumps: self.jumps,
        }
    }
}

/// Bytes collected before they are written.
const CHUNK: usize = 1 << 16;

/// Writes the LCM log of a CARMEN log. Calls `go_on` from time to time. Returns the summary; `None` if `go_on`
/// returned false.
///
/// # Errors
/// Errors of the output.
pub fn convert(
    log: &mut Log,
    out: &mut dyn Write,
    mut go_on: impl FnMut() -> bool,
) -> io::Result<Option<Summary>> {
    let (mut converter, mut bytes) = (Converter::default(), Vec::with_capacity(2 * CHUNK));
    while let Some(entry) = log.next_entry() {
        converter.add(entry, &mut bytes);
        if bytes.len() >= CHUNK {
            out.write_all(&bytes)?;
            bytes.clear();
            if !go_on() {
                return Ok(None);
            }
        }
    }
    out.write_all(&bytes).and_then(|()| out.flush())?;
    Ok(Some(converter.summary()))
}

/// Passes the events of a log to `take` until it returns `false`. Returns the summary.
///
/// # Errors
/// Those of `take`.
pub fn events<E>(log: &mut Log, mut take: impl FnMut(&Event<'_>) -> Result<bool, E>) -> Result<Summary, E> {
    // The converter writes an LCM log, which is read again piece by piece.
    let (mut converter, mut reader, mut bytes) = (Converter::default(), Reader::new(Format::Lcm), Vec::new());
    let mut go_on = true;
    while go_on && let Some(entry) = log.next_entry() {
        converter.add(entry, &mut bytes);
        reader.feed(&bytes);
        bytes.clear();
        while let Some(event) = reader.event() {
            go_on &= take(&event)?;
        }
    }
    Ok(converter.summary())
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_log::lcm::Reader;
    use std::io::Cursor;

    fn convert(text: &str) -> (Vec<(i64, String)>, Summary) {
        let mut log = Log::read(Cursor::new(text.to_owned())).expect("a cursor can be read");
        let (mut converter, mut bytes) = (Converter::default(), Vec::new());
        while let Some(entry) = log.next_entry() {
            converter.add(entry, &mut bytes);
        }
        let (mut reader, mut events) = (Reader::new(), Vec::new());
        reader.feed(&bytes);
        reader.end();
        while let Some(event) = reader.event() {
            events.push((event.time, String::from_utf8_lossy(event.channel).into_owned()));
        }
        assert_eq!(reader.skipped(), 0);
        (events, converter.summary())
    }

    #[test]
    fn timestamps_that_jump_or_go_back_are_kept_and_reported() {
        let at = |t: &str| format!("ODOM 1 2 3 4 5 6 {t} host {t}\n");
        let text = ["10", "11", "10.5", "10.5", "500", "499", "0"].map(at).concat();
        let (events, summary) = convert(&text);
        let times: Vec<i64> = events.iter().map(|(time, _)| *time).collect();
        let expected = [10_000_000, 11_000_000, 10_500_000, 10_500_000, 500_000_000, 499_000_000, 0];
        assert_eq!(times, expected);
        assert_eq!(summary.back, Steps { count: 3, first_line: Some(3), longest: 499_000_000 });
        assert_eq!(summary.jumps, Steps { count: 1, first_line: Some(5), longest: 489_500_000 });
        assert_eq!((summary.events, summary.duration), (7, -10_000_000));
    }

    #[test]
    fn a_line_becomes_its_messages_or_an_error() {
        let text = "FLASER 1 2.5 1 2 3 4 5 6 1.5 h 2\nODOM x\nNEFF 1\nRLASER 0 1 2 3 4 5 6 1e300 h 3\n\
                    ODOM 1 2 3 4 5 6 7 h 1e300\nODOM 1 2 3 4 5 6 7 h 8\n";
        let (events, summary) = convert(text);
        let names: Vec<(i64, &str)> = events.iter().map(|(time, name)| (*time, name.as_str())).collect();
        assert_eq!(
            names,
            [(2_000_000, "LASER_FRONT"), (2_000_000, "LASER_FRONT_POSE"), (8_000_000, "ODOMETRY")]
        );
        assert_eq!(summary.broken, 3);
        assert_eq!(summary.broken_lines.iter().map(|b| b.line).collect::<Vec<_>>(), [2, 4, 5]);
    }

    #[test]
    fn a_file_of_broken_lines_gets_a_short_report() {
        let (_, summary) = convert(&"ODOM\n".repeat(1000));
        assert_eq!((summary.broken, summary.broken_lines.len()), (1000, MAX_REPORTED));
    }
}
