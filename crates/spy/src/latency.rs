//! Percentiles of publication-to-reception times.

use hdrhistogram::Histogram;
use serde::Serialize;

/// Percentiles in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Latency {
    /// The median.
    pub p50: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The 99.9th percentile.
    pub p999: f64,
    /// The maximum.
    pub max: f64,
    /// Number of measured messages.
    pub count: u64,
}

/// Measured times in ns, to two digits. Uses 20 KiB after the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies(Option<Box<Histogram<u32>>>);

/// Longer times count as this.
const LONGEST: u64 = 1000 * 1_000_000_000;

impl Latencies {
    pub fn add(&mut self, ns: u64, times: u64) {
        if self.0.is_none() {
            self.0 = Histogram::new_with_max(LONGEST, 2).ok().map(Box::new);
        }
        if let Some(all) = &mut self.0 {
            let times = u32::try_from(times).unwrap_or(u32::MAX);
            all.saturating_record_n(ns, times);
        }
    }

    /// The histogram: upper bound in ns, and count.
    pub fn buckets(&self) -> Vec<(u64, u64)> {
        let all = self.0.iter().flat_map(|all| all.iter_recorded());
        all.map(|bucket| (bucket.value_iterated_to(), bucket.count_since_last_iteration())).collect()
    }

    pub fn summary(&self) -> Option<Latency> {
        let all = self.0.as_ref().filter(|all| !all.is_empty())?;
        let us = |quantile| all.value_at_quantile(quantile) as f64 / 1e3;
        let (p50, p99, p999) = (us(0.5), us(0.99), us(0.999));
        Some(Latency { p50, p99, p999, max: all.max() as f64 / 1e3, count: all.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_what_was_measured() {
        let mut all = Latencies::default();
        assert_eq!(all.summary(), None);
        (1..=1000).for_each(|us| all.add(us * 1000, 1));
        all.add(u64::MAX, 1);
        let summary = all.summary().unwrap();
        assert_eq!(summary.count, 1001);
        assert!((summary.p50 - 500.0).abs() < 10.0 && (summary.p99 - 990.0).abs() < 20.0, "{summary:?}");
        assert!(summary.max >= 1e9 * 0.99, "{summary:?}");
        let buckets = all.buckets();
        assert_eq!(buckets.iter().map(|(_, times)| times).sum::<u64>(), 1001);
        assert!(buckets.is_sorted_by(|a, b| a.0 < b.0), "{buckets:?}");
    }
}
