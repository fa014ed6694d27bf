//! Publish-to-receive times in a few figures.

use saltus_channel::LatencyCounts;
use serde::Serialize;

/// Percentiles in nanoseconds; the fields are a promise.
#[derive(Serialize, Clone, Copy)]
pub struct Latency {
    /// Messages measured.
    pub count: u64,
    /// The time that half of them did not exceed.
    pub p50: u64,
    /// 90 %.
    pub p90: u64,
    /// 99 %.
    pub p99: u64,
    /// 99.9 %.
    pub p999: u64,
    /// All.
    pub max: u64,
}

impl Latency {
    /// Of what was counted; none if that is nothing.
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
