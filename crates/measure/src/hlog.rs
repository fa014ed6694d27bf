//! Interval logs (`.hlog`) in HdrHistogram's format, which its tools in Java, JavaScript, Python and Go read and write.
//!
//! Times in them are nanoseconds; the maximum next to each histogram is in milliseconds, for people. Logs are read line by line, so that a
//! day's log needs no more memory than an hour's.

use std::fmt;
use std::io::{self, BufRead, Read, Write};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use flate2::read::ZlibDecoder;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::interval_log::{
    IntervalLogIterator, IntervalLogWriter, IntervalLogWriterBuilder, LogEntry, Tag,
};
use hdrhistogram::serialization::{Deserializer, V2DeflateSerializer};

/// A writer of a log.
pub struct Writer<'a, 'b, W: Write>(IntervalLogWriter<'a, 'b, W, V2DeflateSerializer>);

impl<'a, 'b, W: Write> Writer<'a, 'b, W> {
    /// Writes the header: the tool, comments, and the start, to which times of intervals are relative.
    pub fn begin(
        sink: &'a mut W,
        serializer: &'b mut V2DeflateSerializer,
        tool: &str,
        comments: &[String],
        start: SystemTime,
    ) -> io::Result<Writer<'a, 'b, W>> {
        let mut builder = IntervalLogWriterBuilder::new();
        builder
            .add_comment(&format!("[Logged with {tool}]"))
            .add_comment("[Histogram log format version 1.3]");
        comments.iter().for_each(|comment| {
            builder.add_comment(comment);
        });
        builder.with_start_time(start).with_base_time(start).with_max_value_divisor(1e6);
        builder.begin_log_with(sink, serializer).map(Writer)
    }

    /// Adds an interval that began `since` after the log's start. A tag must not contain commas, spaces or line breaks.
    pub fn interval(
        &mut self,
        times: &Histogram<u64>,
        since: Duration,
        length: Duration,
        tag: Option<&str>,
    ) -> io::Result<()> {
        let tag = match tag.map(Tag::new) {
            Some(None) => {
                return Err(io::Error::other("a tag must not contain commas, spaces or line breaks"));
            }
            tag => tag.flatten(),
        };
        self.0.write_histogram(times, since, length, tag).map_err(|e| io::Error::other(e.to_string()))
    }

    /// Adds a comment, which other tools skip.
    pub fn comment(&mut self, text: &str) -> io::Result<()> {
        self.0.write_comment(text)
    }
}

/// Creates a serializer. Each log needs its own.
pub fn serializer() -> V2DeflateSerializer {
    V2DeflateSerializer::new()
}

/// A part of a log.
#[derive(Debug)]
pub enum Entry {
    /// A comment, without its `#`.
    Comment(String),
    /// An interval.
    Interval(Line),
}

/// An interval of a log.
#[derive(Debug)]
pub struct Line {
    /// Its tag, which distinguishes several series in a log.
    pub tag: Option<String>,
    /// Its start, in seconds since 1970, or since the log's own origin.
    pub start: f64,
    /// Its length in seconds.
    pub length: f64,
    /// The times.
    pub times: Histogram<u64>,
}

/// A log that cannot be read.
#[derive(Debug)]
pub struct Error {
    /// The line number, from 1.
    pub line: usize,
    what: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for Error {}

/// Longest line, and longest uncompressed histogram, in bytes.
const LONGEST: u64 = 16 << 20;

/// Reads a line with its end into `bytes`, at most `most` bytes. Returns whether it is complete.
pub(crate) fn line(input: impl BufRead, bytes: &mut Vec<u8>, most: u64) -> io::Result<bool> {
    bytes.clear();
    input.take(most).read_until(b'\n', bytes)?;
    Ok(bytes.last() == Some(&b'\n') || (bytes.len() as u64) < most)
}

/// Reads a log to its end, and calls `each` for its parts in order. Skips a last line without an end, as a killed writer leaves it. Returns
/// whether there was one.
pub fn read(input: impl BufRead, mut each: impl FnMut(Entry)) -> Result<bool, Error> {
    try_read(input, |entry| {
        each(entry);
        Ok(())
    })
}

/// The same, but stops at the first error of `each`.
pub fn try_read(
    mut input: impl BufRead,
    mut each: impl FnMut(Entry) -> Result<(), String>,
) -> Result<bool, Error> {
    let (mut start_time, mut base_time) = (None, None);
    let mut bytes = Vec::new();
    for line in 1.. {
        let error = |what: String| Error { line, what };
        if !self::line(&mut input, &mut bytes, LONGEST).map_err(|e| error(e.to_string()))? {
            return Err(error("longer than 16 MiB: not an interval log".into()));
        }
        match bytes.last() {
            None => break,
            Some(b'\n') => {}
            Some(_) => return Ok(true),
        }
        match IntervalLogIterator::new(&bytes).next() {
            Some(Ok(LogEntry::StartTime(time))) => start_time = Some(time.as_secs_f64()),
            Some(Ok(LogEntry::BaseTime(time))) => base_time = Some(time.as_secs_f64()),
            Some(Ok(LogEntry::Interval(interval))) => {
                let reported = interval.start_timestamp().as_secs_f64();
                let start = match (base_time, start_time) {
                    (Some(base), _) => base + reported,
                    // The format's rule: times smaller than the start are relative to it.
                    (None, Some(start)) if reported < start => start + reported,
                    _ => reported,
                };
                let line = Line {
                    tag: interval.tag().map(|tag| tag.as_str().to_string()),
                    start,
                    length: interval.duration().as_secs_f64(),
                    times: decode(interval.encoded_histogram()).map_err(error)?,
                };
                each(Entry::Interval(line)).map_err(error)?;
            }
            None if bytes.starts_with(b"#") => {
                let text = String::from_utf8_lossy(&bytes[1..]).trim_end().to_string();
                each(Entry::Comment(text)).map_err(error)?;
            }
            None => {}
            Some(Err(_)) if bytes.trim_ascii().is_empty() => {}
            Some(Err(_)) => {
                return Err(error("neither a comment nor an interval of an HdrHistogram log".into()));
            }
        }
    }
    Ok(false)
}

/// Decodes a histogram from its text.
fn decode(text: &str) -> Result<Histogram<u64>, String> {
    let packed = base64::engine::general_purpose::STANDARD.decode(text.trim()).map_err(|e| e.to_string())?;
    let body = match packed.get(..8).map(|head| head.split_at(4)) {
        Some(([0x1c, 0x84, 0x93, 0x14], _)) => &packed[8..],
        _ => return Err("expected a histogram compressed in version 2 of the format".into()),
    };
    let mut plain = Vec::new();
    ZlibDecoder::new(body)
        .take(LONGEST)
        .read_to_end(&mut plain)
        .map_err(|e| format!("a damaged histogram: {e}"))?;
    as_javascript_means(&mut plain);
    sane(&plain).ok_or("a damaged histogram, or one with a scale, which is not supported")?;
    Deserializer::new().deserialize(&mut &plain[..]).map_err(|e| format!("a damaged histogram: {e}"))
}

/// HdrHistogram's JavaScript package 3.0 writes a shift of 1 although it has none, and a scale of 1 as an integer. No other tool writes
/// that scale, which as a number is 5e-324.
fn as_javascript_means(plain: &mut [u8]) {
    let Some(head) = plain.first_chunk_mut::<40>() else { return };
    if head[8..12] == 1u32.to_be_bytes() && head[32..] == 1u64.to_be_bytes() {
        head[8..12].fill(0);
        head[32..].copy_from_slice(&1.0f64.to_be_bytes());
    }
}

/// Checks a histogram for the library, which trusts the lengths and sums that it reads.
fn sane(plain: &[u8]) -> Option<()> {
    let length = u32::from_be_bytes(plain.get(4..8)?.try_into().ok()?) as usize;
    let mut counts = plain.get(40..)?.get(..length)?;
    let mut total: u64 = 0;
    while !counts.is_empty() {
        let (mut zigzag, mut size) = (0_u64, 0);
        loop {
            let byte = *counts.get(size)?;
            // The ninth byte has eight bits of the number, the others seven.
            zigzag |= u64::from(if size == 8 { byte } else { byte & 0x7f }) << (7 * size);
            size += 1;
            if byte < 0x80 || size == 9 {
                break;
            }
        }
        counts = &counts[size..];
        let count = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
        total = total.checked_add(u64::try_from(count).unwrap_or(0))?;
        if count < -(1 << 32) {
            return None;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(bytes: &[u8]) -> Result<(Vec<Entry>, bool), Error> {
        let mut all = Vec::new();
        let cut = read(bytes, |entry| all.push(entry))?;
        Ok((all, cut))
    }

    fn lines(bytes: &[u8]) -> Vec<Line> {
        let (all, _) = entries(bytes).expect("read");
        all.into_iter()
            .filter_map(|e| if let Entry::Interval(line) = e { Some(line) } else { None })
            .collect()
    }

    fn sample() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut serializer = serializer();
        let start = SystemTime::UNIX_EPOCH + Duration::from_millis(1_500_000_000_250);
        let comments = ["machine: a table".to_string()];
        let mut log = Writer::begin(&mut bytes, &mut serializer, "a test", &comments, start).expect("begun");
        let mut times = crate::times();
        (1..=50).for_each(|n| times.saturating_record(n * n * 400_000));
        log.interval(&times, Duration::from_secs(5), Duration::from_millis(5_001), None).expect("written");
        log.comment("spike 7").expect("written");
        log.interval(&times, Duration::from_secs(10), Duration::from_secs(5), Some("raw")).expect("written");
        assert!(log.interval(&times, Duration::ZERO, Duration::ZERO, Some("a,b")).is_err());
        bytes
    }

    #[test]
    fn a_written_log_reads_back_the_same() {
        let bytes = sample();
        let lines = lines(&bytes);
        assert_eq!(lines.len(), 2);
        assert!((lines[0].start - 1_500_000_005.25).abs() < 1e-6 && (lines[0].length - 5.001).abs() < 1e-9);
        assert_eq!((lines[0].tag.as_deref(), lines[1].tag.as_deref()), (None, Some("raw")));
        assert_eq!(lines[0].times.len(), 50);
        assert!(lines[0].times.equivalent(lines[0].times.max(), 1_000_000_000));
        let (all, cut) = entries(&bytes).expect("read");
        assert!(!cut && all.iter().any(|e| matches!(e, Entry::Comment(c) if c == "machine: a table")));
    }

    #[test]
    fn a_log_that_was_cut_short_is_read_as_far_as_it_is_whole() {
        let bytes = sample();
        let (all, cut) = entries(&bytes[..bytes.len() - 5]).expect("read");
        assert!(cut && all.iter().filter(|e| matches!(e, Entry::Interval(_))).count() == 1);
    }

    #[test]
    fn times_are_relative_to_the_start_or_to_1970() {
        let payload = String::from_utf8(sample()).expect("text");
        let payload =
            payload.lines().last().and_then(|l| l.rsplit(',').next()).expect("a histogram").to_string();
        for (head, reported, start) in [
            ("", "7.500", 7.5),
            ("#[StartTime: 1000.000 (seconds since epoch), Wed]\n", "7.500", 1_007.5),
            ("#[StartTime: 1000.000 (seconds since epoch)]\n", "1007.500", 1_007.5),
            ("#[BaseTime: 1000.000 (seconds since epoch)]\n", "7.500", 1_007.5),
        ] {
            let text =
                format!("{head}\"StartTimestamp\",\"Interval_Length\"\n\n{reported},1.000,9.0,{payload}\r\n");
            assert_eq!(lines(text.as_bytes())[0].start, start, "{text}");
        }
    }

    #[test]
    fn damage_is_reported_with_its_line_and_never_used() {
        let good = sample();
        for text in ["nonsense\n", "1.0,1.0,1.0,HISTFAAAA\n", "1.0,1.0,1.0,!!\n", "1.0,1.0,1.0,\n"] {
            let bytes = [b"#a\n", text.as_bytes()].concat();
            assert_eq!(entries(&bytes).expect_err(text).line, 2, "{text}");
        }
        // Changes every byte of a log: each gives an error or another histogram, and reading ends.
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x11;
            let _ = entries(&bad);
        }
    }

    #[test]
    fn a_histogram_that_lies_about_its_length_or_counts_is_refused() {
        let head = |length: u32| {
            let mut head = vec![0x1c, 0x84, 0x93, 0x13];
            head.extend(length.to_be_bytes());
            head.extend([0, 0, 0, 0, 0, 0, 0, 3]);
            head.extend(1_u64.to_be_bytes());
            head.extend(3_600_000_000_000_u64.to_be_bytes());
            head.extend(1.0_f64.to_be_bytes());
            head
        };
        assert_eq!(sane(&[head(1), vec![2]].concat()), Some(()));
        assert_eq!(sane(&head(u32::MAX)), None, "more than there is");
        let least = [0xff; 9]; // the smallest number, which has no negation
        assert_eq!(sane(&[head(9), least.to_vec()].concat()), None);
        let most = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]; // the greatest, three times
        assert_eq!(sane(&[head(27), most.repeat(3)].concat()), None);
    }
}
