//! A summary of a histogram.

use hdrhistogram::Histogram;
use saltus_text::human;
use saltus_text::table::Align;
use serde::Serialize;

/// The number of times, and percentiles in ns. The JSON fields are a stable interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Number of measured times.
    pub count: u64,
    /// The median.
    pub p50: u64,
    /// The 90th percentile.
    pub p90: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The 99.9th percentile.
    pub p999: u64,
    /// The 99.99th percentile.
    pub p9999: u64,
    /// The maximum.
    pub max: u64,
}

impl Summary {
    /// The columns of a table of summaries, after those that name them.
    pub const COLUMNS: [(&'static str, Align); 7] = [
        ("COUNT", Align::Right),
        ("P50", Align::Right),
        ("P90", Align::Right),
        ("P99", Align::Right),
        ("P99.9", Align::Right),
        ("P99.99", Align::Right),
        ("MAX", Align::Right),
    ];

    /// The cells of these columns.
    pub fn cells(&self) -> Vec<String> {
        let times = [self.p50, self.p90, self.p99, self.p999, self.p9999, self.max];
        std::iter::once(self.count.to_string()).chain(times.map(|ns| human::nanos(ns as f64))).collect()
    }

    /// From a histogram; `None` if it is empty.
    pub fn of(times: &Histogram<u64>) -> Option<Summary> {
        let quantile = |q| times.value_at_quantile(q);
        (!times.is_empty()).then(|| Summary {
            count: times.len(),
            p50: quantile(0.5),
            p90: quantile(0.9),
            p99: quantile(0.99),
            p999: quantile(0.999),
            p9999: quantile(0.9999),
            max: times.max(),
        })
    }
}
