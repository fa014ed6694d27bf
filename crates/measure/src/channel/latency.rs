//! Percentiles of publish-to-receive times.

use saltus_channel::LatencyCounts;
use serde::Serialize;

/// Percentiles in nanoseconds. The JSON fields are a stable interface.
#[derive(Serialize, Clone, Copy)]
pub struct Latency {
    /// Messages measured.
    pub count: u64,
    /// The median.
    pub p50: u64,
    /// The 90th percentile.
    pub p90: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The 99.9th percentile.
    pub p999: u64,
    /// The maximum.
    pub max: u64,
}

impl Latency {
    /// From a histogram; `None` if it is empty.
    pub fn of(counts: &LatencyCounts) -> Option<Latency> {
        Some(Latency {
            count: counts.count(),
            p50: counts.percentile(0.5)?,
            p90: counts.percentile(0.9)?,
            p99: counts.percentile(0.99)?,
            p999: counts.percentile(0.999)?,
            max: counts.max()?,
        })
    }
}
