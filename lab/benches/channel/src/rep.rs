//! The compact result of one contender in one case in one repetition.
//!
//! The parent forks for every measurement, which copies its page tables. The distributions, some hundred kilobytes
//! each in memory, are therefore kept serialized.

use crate::error::Fallible;
use crate::outcome::{Metric, Outcome};
use crate::run::Measured;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

/// See the module.
#[derive(Debug)]
pub struct Rep {
    /// Which repetition, from 0.
    pub number: usize,
    /// When it began.
    pub began: SystemTime,
    /// The measured window.
    pub window: Duration,
    /// Messages that the processor time is divided by.
    pub messages: u64,
    /// The counts of all processes together; the distributions are serialized separately.
    pub counts: Outcome,
    times: BTreeMap<Metric, Packed>,
}

#[derive(Debug)]
struct Packed {
    bytes: Vec<u8>,
    p50: u64,
    p99_9: u64,
}

impl Rep {
    /// Serializes the result of a measurement.
    pub fn new(number: usize, began: SystemTime, measured: Measured) -> Fallible<Rep> {
        let Measured { outcome: mut counts, messages, window } = measured;
        let mut times = BTreeMap::new();
        for (metric, histogram) in std::mem::take(&mut counts.times) {
            if !histogram.is_empty() {
                let mut bytes = Vec::new();
                V2Serializer::new().serialize(&histogram, &mut bytes)?;
                let at = |q| histogram.value_at_quantile(q);
                times.insert(metric, Packed { bytes, p50: at(0.5), p99_9: at(0.999) });
            }
        }
        Ok(Rep { number, began, window, messages, counts, times })
    }

    /// What was measured.
    pub fn metrics(&self) -> impl Iterator<Item = Metric> + '_ {
        self.times.keys().copied()
    }

    /// A distribution, unpacked.
    pub fn times(&self, metric: Metric) -> Option<Histogram<u64>> {
        Deserializer::new().deserialize(&mut &self.times.get(&metric)?.bytes[..]).ok()
    }

    /// The median in nanoseconds.
    pub fn p50(&self, metric: Metric) -> Option<f64> {
        self.times.get(&metric).map(|times| times.p50 as f64 / metric.per_ns())
    }

    /// The 99.9th percentile in nanoseconds.
    pub fn p99_9(&self, metric: Metric) -> Option<f64> {
        self.times.get(&metric).map(|times| times.p99_9 as f64 / metric.per_ns())
    }

    /// Messages per second for each of `receivers` receivers.
    pub fn received_rate(&self, receivers: usize) -> f64 {
        self.counts.received as f64 / receivers.max(1) as f64 / self.seconds()
    }

    /// Messages per second of all senders together.
    pub fn sent_rate(&self) -> f64 {
        self.counts.sent as f64 / self.seconds()
    }

    fn seconds(&self) -> f64 {
        self.window.max(Duration::from_nanos(1)).as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::record;

    #[test]
    fn packing_loses_nothing() {
        let mut measured = Measured { window: Duration::from_millis(500), ..Measured::default() };
        for value in 1..=1_000 {
            record(measured.outcome.times(Metric::Batch), value * 1_000);
        }
        (measured.outcome.sent, measured.outcome.received) = (500, 2_000);
        let before = measured.outcome.times[&Metric::Batch].clone();
        let rep = Rep::new(0, SystemTime::UNIX_EPOCH, measured).expect("packed");
        assert_eq!(rep.times(Metric::Batch), Some(before));
        assert_eq!(rep.p50(Metric::Batch).map(f64::round), Some(500.0));
        assert!((rep.p99_9(Metric::Batch).expect("measured") - 999.0).abs() < 1.0);
        assert_eq!((rep.p50(Metric::Call), rep.times(Metric::Call)), (None, None));
        assert_eq!((rep.sent_rate(), rep.received_rate(2)), (1_000.0, 2_000.0));
    }
}
