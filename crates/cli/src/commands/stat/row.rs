//! The statistics of one channel in one interval.

use saltus_channel::Name;
use saltus_measure::channel::{Latency, Measured};
use serde::Serialize;

use saltus_text::escape::escaped;
use saltus_text::human::{bytes, hertz, nanos};
use saltus_text::table::Align;

/// One line of the table, and of `stat --json`. Its fields are a stable interface. Times are in nanoseconds.
#[derive(Serialize)]
pub(super) struct Row {
    /// The channel's name, escaped.
    channel: String,
    #[serde(flatten)]
    measured: Measured,
    /// The reason why there are no statistics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

/// The columns of the table.
pub(crate) const COLUMNS: [(&str, Align); 13] = [
    ("CHANNEL", Align::Left),
    ("PUBS", Align::Right),
    ("SUBS", Align::Right),
    ("RATE", Align::Right),
    ("BANDWIDTH", Align::Right),
    ("SIZE", Align::Right),
    ("PERIOD", Align::Right),
    ("JITTER", Align::Right),
    ("AGE", Align::Right),
    ("LATENCY P50", Align::Right),
    ("P99", Align::Right),
    ("MAX", Align::Right),
    ("MISSED", Align::Right),
];

/// The columns that a narrow terminal can do without, the least important first.
pub(super) const DISPENSABLE: [&str; 10] =
    ["PERIOD", "BANDWIDTH", "PUBS", "P99", "SIZE", "SUBS", "JITTER", "MAX", "LATENCY P50", "AGE"];

impl Row {
    /// A line with the measurements of a channel.
    pub(super) fn new(name: &Name, measured: Measured) -> Row {
        Row { channel: escaped(name.as_bytes()), measured, error: None }
    }

    /// A line for a channel that cannot be read.
    pub(super) fn unknown(name: &Name, why: String) -> Row {
        Row { error: Some(why), ..Row::new(name, Measured::default()) }
    }

    /// The cells of the line.
    pub(crate) fn cells(&self) -> Vec<String> {
        if self.error.is_some() {
            let mut cells = vec!["?".to_owned(); COLUMNS.len()];
            cells[0] = self.channel.clone();
            return cells;
        }
        let measured = &self.measured;
        let or_dash = |cell: Option<String>| cell.unwrap_or_else(|| "-".into());
        let time = |ns: Option<f64>| or_dash(ns.map(nanos));
        let latency = |of: fn(&Latency) -> u64| time(measured.latency.as_ref().map(|l| of(l) as f64));
        vec![
            self.channel.clone(),
            measured.publishers.to_string(),
            measured.subscribers.to_string(),
            or_dash(measured.rate.map(hertz)),
            or_dash(measured.bandwidth.map(|b| format!("{}/s", bytes(b)))),
            or_dash(measured.size.map(bytes)),
            time(measured.period.map(|p| p.mean)),
            time(measured.period.map(|p| p.jitter)),
            time(measured.age.map(|a| a as f64)),
            latency(|l| l.p50),
            latency(|l| l.p99),
            latency(|l| l.max),
            or_dash(measured.missed_total.map(|m| m.to_string())),
        ]
    }
}
