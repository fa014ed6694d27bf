//! Histograms as a page, a figure or a table: several runs beside each other.

#[macro_use]
mod charts;
mod heat;
mod lines;
mod load;
mod page;
mod rows;
mod tables;

pub use heat::{Column, Heat};
pub use lines::{Axis, Line, Panel, diagrams, panels};
pub use load::{Error, load, read};
pub use page::{document, escaped, figure, page};
pub use rows::Rows;
pub use tables::{csv, hgrm};

use hdrhistogram::Histogram;

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
    /// The spikes that the file tells of, in its order, each with what happened then; the first thousand.
    pub spikes: Vec<String>,
    /// How many it tells of.
    pub spike_count: usize,
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
