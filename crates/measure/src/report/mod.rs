//! Reports of histograms as a page, a figure or a table, for comparing several runs.

mod charts;
mod heat;
mod load;
mod page;
mod spikes;
mod tables;
mod unit;

pub use charts::{Area, COLOURS, Drawn, GRID, INK, colour, style};
pub use heat::{Column, Heat};
pub use load::{Error, load, read};
pub use page::{document, escaped, figure, page, stack};
pub use spikes::{Spike, Spikes};
pub use tables::{csv, hgrm};
pub use unit::Unit;

use std::str::FromStr;

use hdrhistogram::Histogram;
use saltus_text::units;

/// Times of one kind from one file.
pub struct Series {
    /// The name of the file, and the tag in it.
    pub name: String,
    /// The tag in the file, if there is one.
    pub tag: Option<String>,
    /// All times, in ns.
    pub times: Histogram<u64>,
    /// The intervals, in the order of the file; empty if the file has none.
    pub intervals: Vec<Span>,
    /// The frequencies of times over the intervals.
    pub heat: Heat,
    /// Properties of the machine in the file, by name.
    pub machine: Vec<(String, String)>,
    /// The spikes that the file reports.
    pub spikes: Spikes,
    /// The assumed unit, if the file does not have it.
    pub assumed: Option<Unit>,
    /// Whether the file was cut short.
    pub cut: bool,
}

/// An interval of a series.
pub struct Span {
    /// Its start, in seconds since 1970, or since the file's own origin.
    pub start: f64,
    /// Its length in seconds.
    pub length: f64,
    /// The longest time, in ns.
    pub max: u64,
}

/// A service level: this percentage of the times must not be longer than a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// From 0 to 100.
    pub percent: f64,
    /// The limit in ns.
    pub limit: u64,
}

impl FromStr for Level {
    type Err = String;

    /// `PERCENT:TIME`, such as `99.9:5ms`.
    fn from_str(text: &str) -> Result<Level, String> {
        let (percent, limit) = text.split_once(':').ok_or("expected PERCENT:TIME, such as 99.9:5ms")?;
        let percent: f64 = percent.parse().map_err(|_| "expected a percentage, such as 99.9")?;
        if !(0.0..=100.0).contains(&percent) {
            return Err("expected a percentage from 0 to 100".into());
        }
        let limit = u64::try_from(units::duration(limit)?.as_nanos()).map_err(|_| "too long")?;
        Ok(Level { percent, limit })
    }
}

/// Selects the series with one of these tags; `all` selects every one. Without tags, selects untagged series, or all if every one has a
/// tag.
///
/// # Errors
/// No series has such a tag. The error is the list of existing tags.
pub fn chosen(all: Vec<Series>, tags: &[String]) -> Result<Vec<Series>, Vec<String>> {
    let plain = all.iter().any(|series| series.tag.is_none());
    let known: Vec<String> = all.iter().filter_map(|series| series.tag.clone()).collect();
    let wanted = |series: &Series| match (&series.tag, tags) {
        (tag, []) => tag.is_none() || !plain,
        (tag, tags) => tags.iter().any(|t| t == "all" || Some(t) == tag.as_ref()),
    };
    let chosen: Vec<Series> = all.into_iter().filter(wanted).collect();
    if chosen.is_empty() { Err(known) } else { Ok(chosen) }
}

impl Level {
    /// The value of the percentile, and whether it is within the limit.
    pub fn of(&self, times: &Histogram<u64>) -> (u64, bool) {
        let value = times.value_at_quantile(self.percent / 100.0);
        // The limit may be within the histogram's bin of that value.
        (value, times.lowest_equivalent(value) <= self.limit)
    }
}

/// A time in ns with three digits and a unit.
pub fn time(ns: f64) -> String {
    let (value, unit) = match ns {
        n if n < 999.5 => (n, "ns"),
        n if n < 999.5e3 => (n / 1e3, "µs"),
        n if n < 999.5e6 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    let digits = match value {
        v if v == v.trunc() => 0,
        v if v < 9.995 => 2,
        v if v < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests;
