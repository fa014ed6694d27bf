//! A histogram in a few figures.

use hdrhistogram::Histogram;
use serde::Serialize;

/// How many, and the times in ns that so many of them did not exceed. The fields are a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Times measured.
    pub count: u64,
    /// Half of them.
    pub p50: u64,
    /// 90 %.
    pub p90: u64,
    /// 99 %.
    pub p99: u64,
    /// 99.9 %.
    pub p999: u64,
    /// 99.99 %.
    pub p9999: u64,
    /// All.
    pub max: u64,
}

impl Summary {
    /// Of a histogram; none of an empty one.
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
