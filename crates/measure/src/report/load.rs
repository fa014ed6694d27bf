//! Files of histograms: `.hlog`, `.hgrm`, `.csv`, told by their names' ends.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use hdrhistogram::Histogram;

use super::{BINS, Series, Span, bin};
use crate::hlog::{self, Entry, Line};
use crate::times;

/// A file that cannot be read, and why.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// As many tags may be in a file, and as many intervals under each: two weeks of 5 s.
const LIMITS: (usize, usize) = (64, 250_000);

/// Reads all series of a file: one for each tag. Blocks while it reads.
pub fn load(path: &Path) -> Result<Vec<Series>, Error> {
    let error = |what: String| Error(format!("cannot read {}: {what}", path.display()));
    let input = BufReader::new(File::open(path).map_err(|e| error(e.to_string()))?);
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let mut all = match path.extension().and_then(|end| end.to_str()) {
        Some("hgrm") => {
            let mut before = 0;
            let row = |line: &str| {
                let read = hgrm_row(line)?;
                Some(read.and_then(|(value, total)| {
                    let more = total.checked_sub(before).ok_or("the counts go down")?;
                    before = total;
                    Ok((value, more))
                }))
            };
            vec![series(&name, None, rows(input, row).map_err(error)?)]
        }
        Some("csv") => vec![series(&name, None, rows(input, csv_row).map_err(error)?)],
        _ => log(input, &name).map_err(error)?,
    };
    all.retain(|series| !series.times.is_empty());
    if all.is_empty() {
        return Err(error("there are no times in it".into()));
    }
    Ok(all)
}

fn series(name: &str, tag: Option<String>, times: Histogram<u64>) -> Series {
    let name = tag.as_ref().map_or_else(|| name.to_string(), |tag| format!("{name} {tag}"));
    Series { name, tag, times, intervals: Vec::new(), machine: Vec::new(), cut: false }
}

fn log(input: impl BufRead, name: &str) -> Result<Vec<Series>, String> {
    let (mut all, mut machine, mut failed) = (Vec::<Series>::new(), Vec::new(), None);
    let cut = hlog::read(input, |entry| match entry {
        Entry::Comment(text) => {
            if let Some((fact, value)) = text.strip_prefix("machine: ").and_then(|rest| rest.split_once(": "))
            {
                machine.push((fact.to_string(), value.to_string()));
            }
        }
        Entry::Interval(line) => failed = failed.take().or_else(|| take(&mut all, name, line).err()),
    })
    .map_err(|e| e.to_string())?;
    for series in &mut all {
        (series.machine, series.cut) = (machine.clone(), cut);
    }
    failed.map_or(Ok(all), Err)
}

fn take(all: &mut Vec<Series>, name: &str, line: Line) -> Result<(), String> {
    let at = all.iter().position(|series| series.tag == line.tag).unwrap_or(all.len());
    if at == all.len() {
        if at >= LIMITS.0 {
            return Err(format!("more than {} tags", LIMITS.0));
        }
        let mut times = times();
        times.auto(true);
        all.push(series(name, line.tag, times));
    }
    let series = &mut all[at];
    if series.intervals.len() >= LIMITS.1 {
        return Err(format!("more than {} intervals of one tag: cut it into parts", LIMITS.1));
    }
    let mut heat = vec![0_u32; BINS];
    for step in line.times.iter_recorded() {
        let cell = &mut heat[bin(step.value_iterated_to())];
        *cell = cell.saturating_add(u32::try_from(step.count_at_value()).unwrap_or(u32::MAX));
    }
    series.times.len().checked_add(line.times.len()).ok_or("more times than can be counted")?;
    series.times.add(&line.times).map_err(|e| e.to_string())?;
    series.intervals.push(Span { start: line.start, length: line.length, max: line.times.max(), heat });
    Ok(())
}

/// Times from a table: what a row says is a time in ns and how many; `None` is no row of the table.
fn rows(
    input: impl BufRead,
    mut row: impl FnMut(&str) -> Option<Result<(f64, u64), String>>,
) -> Result<Histogram<u64>, String> {
    let mut all = times();
    for (n, line) in input.lines().enumerate() {
        let wrong = |what: &str| format!("line {}: {what}", n + 1);
        let line = line.map_err(|e| wrong(&e.to_string()))?;
        let Some(read) = row(line.trim()) else { continue };
        let (value, count) = read.map_err(|e| wrong(&e))?;
        if !(0.0..=crate::LONGEST as f64).contains(&value) {
            return Err(wrong("a time is from 0 to an hour"));
        }
        all.len().checked_add(count).ok_or_else(|| wrong("more times than can be counted"))?;
        all.saturating_record_n(value.round() as u64, count);
    }
    Ok(all)
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

/// Milliseconds, percentile, how many up to here, 1/(1-percentile).
fn hgrm_row(line: &str) -> Option<Result<(f64, u64), String>> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.is_empty() || line.starts_with("Value") || line.starts_with('#') {
        return None;
    }
    let row = || Some((words.first()?.parse::<f64>().ok()? * 1e6, words.get(2)?.parse().ok()?));
    Some(row().ok_or_else(|| "expected value, percentile, count".into()))
}
