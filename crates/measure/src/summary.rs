//! A summary of a histogram.

use hdrhistogram::Histogram;
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
