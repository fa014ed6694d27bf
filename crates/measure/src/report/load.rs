//! Readers for files of histograms: `.hlog`, `.hgrm` and `.csv`, by the ending of the name.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use hdrhistogram::Histogram;

use super::{Heat, Series, Span, Spikes, Unit};
use crate::hlog::{self, Entry, Line};
use crate::times;

/// The error of a file that cannot be read.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Limits for a file, whose contents are kept until the report is made.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Tags.
    pub tags: usize,
    /// Intervals, of all tags together.
    pub intervals: usize,
    /// Properties of the machine.
    pub facts: usize,
    /// Spikes.
    pub spikes: usize,
    /// Bytes of a tag, of a property, and of a spike.
    pub bytes: usize,
}

/// Enough for two weeks of 5 s intervals with four tags.
const LIMITS: Limits = Limits { tags: 64, intervals: 1_000_000, facts: 100, spikes: 1_000, bytes: 1_000 };

/// The longest line of a table, in bytes.
const ROW: u64 = 64 << 10;

/// Reads all series of a file: one for each tag. Blocks while it reads. `unit` is that of a percentile distribution, if known. Without it,
/// whole numbers are taken as nanoseconds, because HdrHistogram writes its input values, and others as milliseconds.
///
/// # Errors
/// The file cannot be opened, or [`read`] fails.
pub fn load(path: &Path, unit: Option<Unit>) -> Result<Vec<Series>, Error> {
    let error = |what: String| Error(format!("cannot read {}: {what}", path.display()));
    let input = BufReader::new(File::open(path).map_err(|e| error(e.to_string()))?);
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    read(&name, input, unit).map_err(|e| error(e.0))
}

/// Reads an opened file. The ending of its name determines the format.
///
/// # Errors
/// The file does not have the format, has no times, or exceeds the limits.
pub fn read(name: &str, mut input: impl BufRead, unit: Option<Unit>) -> Result<Vec<Series>, Error> {
    let end = name.rsplit_once('.').map(|(_, end)| end);
    // HdrHistogram's percentiles are also recognized by their first line, because its programs use any file name.
    let start = input.fill_buf().map_err(|e| Error(e.to_string()))?.trim_ascii_start();
    let percentiles = start.starts_with(b"Value ") || start.starts_with(b"\"Value\",");
    let mut all = match end {
        Some("hgrm") => vec![distribution(name, input, unit).map_err(Error)?],
        _ if percentiles => vec![distribution(name, input, unit).map_err(Error)?],
        Some("csv") => vec![series(name, None, rows(input, csv_row).map_err(Error)?)],
        _ => log(input, name, LIMITS).map_err(Error)?,
    };
    all.retain(|series| !series.times.is_empty());
    if all.is_empty() {
        return Err(Error("the file has no times".into()));
    }
    Ok(all)
}

fn series(name: &str, tag: Option<String>, times: Histogram<u64>) -> Series {
    let name = tag.as_ref().map_or_else(|| name.to_string(), |tag| format!("{name} {tag}"));
    Series {
        name,
        tag,
        times,
        intervals: Vec::new(),
        heat: Heat::new(),
        machine: Vec::new(),
        spikes: Spikes::default(),
        assumed: None,
        cut: false,
    }
}

pub(super) fn log(input: impl BufRead, name: &str, limits: Limits) -> Result<Vec<Series>, String> {
    let (mut all, mut machine) = (Vec::<Series>::new(), Vec::new());
    let mut spikes = Spikes::default();
    let cut = hlog::try_read(input, |entry| {
        let text = match entry {
            Entry::Interval(line) => return take(&mut all, name, line, limits),
            Entry::Comment(text) => text,
        };
        if let Some((fact, value)) = text.strip_prefix("machine: ").and_then(|rest| rest.split_once(": "))
            && machine.len() < limits.facts
            && text.len() <= limits.bytes
        {
            machine.push((fact.to_string(), value.to_string()));
        }
        if let Some(spike) = text.strip_prefix("spike: ") {
            // A spike that is too long to keep is only counted.
            spikes.add(spike, if text.len() <= limits.bytes { limits.spikes } else { 0 });
        }
        Ok(())
    })
    .map_err(|e| e.to_string())?;
    for series in &mut all {
        (series.machine, series.cut) = (machine.clone(), cut);
        series.spikes = spikes.clone();
    }
    Ok(all)
}

fn take(all: &mut Vec<Series>, name: &str, line: Line, limits: Limits) -> Result<(), String> {
    if all.iter().map(|series| series.intervals.len()).sum::<usize>() >= limits.intervals {
        return Err(format!("more than {} intervals: cut it into parts", limits.intervals));
    }
    let at = all.iter().position(|series| series.tag == line.tag).unwrap_or(all.len());
    if at == all.len() {
        if at >= limits.tags {
            return Err(format!("more than {} tags", limits.tags));
        }
        if line.tag.as_ref().is_some_and(|tag| tag.len() > limits.bytes) {
            return Err(format!("a tag of more than {} bytes", limits.bytes));
        }
        let mut times = times();
        times.auto(true);
        all.push(series(name, line.tag, times));
    }
    let series = &mut all[at];
    series.times.len().checked_add(line.times.len()).ok_or("more times than can be counted")?;
    series.times.add(&line.times).map_err(|e| e.to_string())?;
    series.heat.add(line.start, line.length, &line.times);
    series.intervals.push(Span { start: line.start, length: line.length, max: line.times.max() });
    Ok(())
}

/// Reads a table. `row` parses a line, given its number; it returns `None` for a line that is not a row.
fn table<T>(
    mut input: impl BufRead,
    mut row: impl FnMut(&str) -> Option<Result<T, String>>,
    mut take: impl FnMut(T, usize) -> Result<(), String>,
) -> Result<(), String> {
    let mut bytes = Vec::new();
    for n in 1.. {
        let wrong = |what: &str| format!("line {n}: {what}");
        if !hlog::line(&mut input, &mut bytes, ROW).map_err(|e| wrong(&e.to_string()))? {
            return Err(wrong("longer than 64 KiB: not a table"));
        }
        if bytes.is_empty() {
            break;
        }
        let line = str::from_utf8(&bytes).map_err(|e| wrong(&e.to_string()))?;
        let Some(read) = row(line.trim()) else { continue };
        take(read.map_err(|e| wrong(&e))?, n)?;
    }
    Ok(())
}

/// Adds a time in ns `count` times.
fn add(all: &mut Histogram<u64>, value: f64, count: u64, n: usize) -> Result<(), String> {
    if !(0.0..=crate::LONGEST as f64).contains(&value) {
        return Err(format!("line {n}: expected a time from 0 to an hour"));
    }
    all.len().checked_add(count).ok_or_else(|| format!("line {n}: more times than can be counted"))?;
    all.saturating_record_n(value.round() as u64, count);
    Ok(())
}

/// Reads times from a table: each row has a time in ns and a count.
fn rows(
    input: impl BufRead,
    row: impl FnMut(&str) -> Option<Result<(f64, u64), String>>,
) -> Result<Histogram<u64>, String> {
    let mut all = times();
    table(input, row, |(value, count), n| add(&mut all, value, count, n))?;
    Ok(all)
}

/// Most rows of a percentile distribution. HdrHistogram writes some hundreds.
const PERCENTILES: usize = 1_000_000;

/// Reads a percentile distribution, as written by HdrHistogram and by [`super::hgrm`].
fn distribution(name: &str, input: impl BufRead, unit: Option<Unit>) -> Result<Series, String> {
    let (mut all, mut before, mut whole) = (Vec::new(), 0, true);
    table(input, hgrm_row, |row: Percentile, n| {
        if all.len() >= PERCENTILES {
            return Err(format!("line {n}: more than {PERCENTILES} percentiles"));
        }
        let more = row.total.checked_sub(before).ok_or_else(|| format!("line {n}: the counts go down"))?;
        before = row.total;
        whole &= row.whole;
        all.push((row.value, more, n));
        Ok(())
    })?;
    let used = unit.unwrap_or(if whole { Unit::Ns } else { Unit::Ms });
    let mut times = times();
    for (value, count, n) in all {
        let too_long = |e| match unit {
            None if value * used.ns() > crate::LONGEST as f64 => {
                format!(
                    "line {n}: {value} {} are more than an hour: give the unit of the values",
                    used.name()
                )
            }
            _ => e,
        };
        add(&mut times, value * used.ns(), count, n).map_err(too_long)?;
    }
    Ok(Series { assumed: (unit.is_none() && whole).then_some(used), ..series(name, None, times) })
}

/// A row of a percentile distribution.
struct Percentile {
    value: f64,
    /// Number of values up to it.
    total: u64,
    /// Whether the value is a whole number, written with as few decimals as by HdrHistogram.
    whole: bool,
}

/// `value_ns,count`.
fn csv_row(line: &str) -> Option<Result<(f64, u64), String>> {
    if line.is_empty() || line == "value_ns,count" {
        return None;
    }
    let row =
        line.split_once(',').and_then(|(value, count)| Some((value.parse().ok()?, count.parse().ok()?)));
    Some(row.ok_or_else(|| "expected value_ns,count".into()))
}

/// Value, percentile, cumulative count, 1/(1-percentile): in columns, or separated by commas.
fn hgrm_row(line: &str) -> Option<Result<Percentile, String>> {
    let words: Vec<&str> = line.split([' ', '\t', ',']).filter(|word| !word.is_empty()).collect();
    if words.is_empty() || line.starts_with(['V', '"', '#']) {
        return None;
    }
    let row = || {
        let (value, total) = (*words.first()?, words.get(2)?.parse().ok()?);
        // HdrHistogram writes as many decimals as it keeps digits, at most five; we write six.
        let decimals = value.split_once('.').map_or("", |(_, decimals)| decimals);
        let whole = decimals.len() < 6 && decimals.bytes().all(|digit| digit == b'0');
        Some(Percentile { value: value.parse().ok()?, total, whole })
    };
    Some(row().ok_or_else(|| "expected value, percentile, count".into()))
}
