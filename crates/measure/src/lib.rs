//! Latency measurement: meters of scheduling delays, the kernel's counts around them, and histograms in files that other tools read and
//! write.
//!
//! Times are nanoseconds in a `u64`. Percentiles are read from merged histograms and never averaged.

pub mod account;
pub mod beside;
pub mod channel;
pub mod control;
pub mod hlog;
pub mod interval_log;
pub mod lateness;
pub mod machine;
pub mod meter;
pub mod observe;
pub mod report;
pub mod session;
pub mod shown;
mod summary;

pub use summary::Summary;

pub use hdrhistogram::Histogram;
use std::time::Duration;

/// The longest time in a histogram: an hour. Longer times count as this.
pub const LONGEST: u64 = 3_600_000_000_000;

/// A duration in ns. Saturates at 584 years.
pub fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// An empty histogram of times from 1 ns to an hour, exact to three digits.
pub fn times() -> Histogram<u64> {
    Histogram::new_with_bounds(1, LONGEST, 3).expect("valid bounds")
}

/// The histogram corrected for coordinated omission: during a long time, events expected every `interval` ns would have waited for the rest
/// of it. Exact to the histogram's three digits.
pub fn corrected(times: &Histogram<u64>, interval: u64) -> Histogram<u64> {
    times.clone_correct(interval)
}
