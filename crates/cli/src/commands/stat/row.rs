//! What `stat` says of one channel and one interval.

use saltus_channel::Name;
use serde::Serialize;

use crate::escape::escaped;
use crate::human::{bytes, hertz, nanos};
use crate::latency::Latency;
use crate::table::Align;

/// One line of the table, and what `stat --json` prints; the fields are a promise. Times are in nanoseconds.
#[derive(Serialize, Default)]
pub struct Row {
    /// Its name, escaped.
    pub channel: String,
    /// How long was measured.
    pub interval: u64,
    /// Publishers that live.
    pub publishers: usize,
    /// Subscribers that live.
    pub subscribers: usize,
    /// Messages a second.
    pub rate: Option<f64>,
    /// Bytes a second.
    pub bandwidth: Option<f64>,
    /// Mean size of a message.
    pub size: Option<f64>,
    /// Time between messages of one publisher.
    pub period: Option<Period>,
    /// Age of the newest message.
    pub age: Option<u64>,
    /// Publish to receive, of all subscribers.
    pub latency: Option<Latency>,
    /// Missed by all subscribers in the interval.
    pub missed: Option<u64>,
    /// Missed by all subscribers since they joined.
    pub missed_total: Option<u64>,
    /// Why nothing is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Nanoseconds between consecutive messages of one publisher.
#[derive(Serialize, Clone, Copy)]
pub struct Period {
    /// On average.
    pub mean: f64,
    /// The shortest.
    pub min: f64,
    /// The longest.
    pub max: f64,
    /// Standard deviation.
    pub jitter: f64,
}

/// The columns of the table.
pub const COLUMNS: [(&str, Align); 13] = [
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

impl Row {
    /// A channel of which nothing can be known.
    pub fn unknown(name: &Name, why: String) -> Row {
        Row { channel: escaped(name.as_bytes()), error: Some(why), ..Row::default() }
    }

    /// The line of the table.
    pub fn cells(&self) -> Vec<String> {
        if self.error.is_some() {
            let mut cells = vec!["?".to_owned(); COLUMNS.len()];
            cells[0] = self.channel.clone();
            return cells;
        }
        let or_dash = |cell: Option<String>| cell.unwrap_or_else(|| "-".into());
        let time = |ns: Option<f64>| or_dash(ns.map(nanos));
        let latency = |of: fn(&Latency) -> u64| time(self.latency.as_ref().map(|l| of(l) as f64));
        vec![
            self.channel.clone(),
            self.publishers.to_string(),
            self.subscribers.to_string(),
            or_dash(self.rate.map(hertz)),
            or_dash(self.bandwidth.map(|b| format!("{}/s", bytes(b)))),
            or_dash(self.size.map(bytes)),
            time(self.period.map(|p| p.mean)),
            time(self.period.map(|p| p.jitter)),
            time(self.age.map(|a| a as f64)),
            latency(|l| l.p50),
            latency(|l| l.p99),
            latency(|l| l.max),
            or_dash(self.missed_total.map(|m| m.to_string())),
        ]
    }
}
