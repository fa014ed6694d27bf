//! Histograms as a page, a figure or a table: several runs beside each other.

#[macro_use]
mod charts;
mod diagrams;
mod heat;
mod lines;
mod load;
mod page;
mod rows;
mod spikes;
mod tables;
mod unit;

pub use diagrams::{diagrams, panels};
pub use heat::{Column, Heat};
pub use lines::{Axis, Line, Panel};
pub use load::{Error, load, read};
pub use page::{document, escaped, figure, page};
pub use rows::Rows;
pub use spikes::{Spike, Spikes};
pub use tables::{csv, hgrm};
pub use unit::Unit;

use std::str::FromStr;

use hdrhistogram::Histogram;
use saltus_text::units;

/// Times of one kind from one file.
pub struct Series {
    /// The file, and the tag in it.
    pub name: String,
    /// The tag in the file, if there is one.
    pub tag: Option<String>,
    /// All times, in ns.
    pub times: Histogram<u64>,
    /// The intervals, in the file's order; none where the file has no times of day.
    pub intervals: Vec<Span>,
    /// How often each time came in them.
    pub heat: Heat,
    /// What the file says of the machine, by name.
    pub machine: Vec<(String, String)>,
    /// The spikes that the file reports.
    pub spikes: Spikes,
    /// The unit that was assumed, where the file does not tell it.
    pub assumed: Option<Unit>,
    /// Whether the file was cut short.
    pub cut: bool,
}

/// An interval of a series.
pub struct Span {
    /// When it began, in seconds since 1970 or since whatever the file is told from.
    pub start: f64,
    /// How long it was, in seconds.
    pub length: f64,
    /// The longest time, in ns.
    pub max: u64,
}

/// What may be asked of a percentile: so much percent of the times must not be longer than this, in ns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// From 0 to 100.
    pub percent: f64,
    /// In ns.
    pub limit: u64,
}

impl FromStr for Level {
    type Err = String;

    /// `PERCENT:TIME`, such as `99.9:5ms`.
    fn from_str(text: &str) -> Result<Level, String> {
        let (percent, limit) = text.split_once(':').ok_or("a level is PERCENT:TIME, such as 99.9:5ms")?;
        let percent: f64 = percent.parse().map_err(|_| "the percentage is a number such as 99.9")?;
        if !(0.0..=100.0).contains(&percent) {
            return Err("a percentage is from 0 to 100".into());
        }
        let limit = u64::try_from(units::duration(limit)?.as_nanos()).map_err(|_| "too long")?;
        Ok(Level { percent, limit })
    }
}

/// Of the series of a file those with one of these tags, `all` being every one; where no tag is given those without, or all if
/// none is without.
///
/// # Errors
/// There is none; the tags that there are.
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
    /// What the percentile is, and whether that is within the limit.
    pub fn of(&self, times: &Histogram<u64>) -> (u64, bool) {
        let value = times.value_at_quantile(self.percent / 100.0);
        // The limit may lie within the step of the histogram that the value stands for.
        (value, times.lowest_equivalent(value) <= self.limit)
    }
}

/// A time with three digits and its unit.
fn time(ns: f64) -> String {
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
