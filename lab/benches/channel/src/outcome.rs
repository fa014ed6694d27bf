//! The measurements of one process, and their encoding for the pipe to the parent.

use crate::error::Fallible;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};
use std::collections::BTreeMap;

/// A quantity with a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Metric {
    /// Half of a round trip.
    OneWay,
    /// From when the message was due to when it was received: the delay relative to the schedule.
    Response,
    /// From when the sender began to send it to when it was received.
    Service,
    /// One publish call.
    Call,
    /// The same (one way, or one publish call) as the average of many in a row: without the cost of reading the clock
    /// and its resolution, which is 10 ns on some processors.
    Batch,
    /// Time for each message received at full rate.
    PerMessage,
    /// Publishing in the process that will also receive.
    In,
    /// Receiving what was just published there.
    Out,
    /// One operation of a lower bound.
    Cost,
}

impl Metric {
    /// All of them.
    pub const ALL: [Metric; 9] = [
        Metric::OneWay,
        Metric::Response,
        Metric::Service,
        Metric::Call,
        Metric::Batch,
        Metric::PerMessage,
        Metric::In,
        Metric::Out,
        Metric::Cost,
    ];

    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Metric::OneWay => "one-way",
            Metric::Response => "response",
            Metric::Service => "service",
            Metric::Call => "call",
            Metric::Batch => "batch",
            Metric::PerMessage => "per-message",
            Metric::In => "in",
            Metric::Out => "out",
            Metric::Cost => "cost",
        }
    }

    /// Recorded units per nanosecond. Averages over a batch are a few nanoseconds long and are recorded in
    /// picoseconds, or rounding would hide the differences.
    pub fn per_ns(self) -> f64 {
        match self {
            Metric::Batch | Metric::PerMessage | Metric::Cost => 1_000.0,
            _ => 1.0,
        }
    }

    /// The recorded unit, for files.
    pub fn unit(self) -> &'static str {
        if self.per_ns() == 1.0 { "ns" } else { "ps" }
    }
}

/// The longest time that is recorded: a minute, in picoseconds. Longer times count as a minute.
const LONGEST: u64 = 60_000_000_000_000;

/// An empty histogram with three significant digits; it grows as needed.
pub fn histogram() -> Histogram<u64> {
    Histogram::new(3).expect("three digits are allowed")
}

/// The measurements of one process.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Distributions.
    pub times: BTreeMap<Metric, Histogram<u64>>,
    /// Messages sent in the measured window.
    pub sent: u64,
    /// Messages received in the measured window.
    pub received: u64,
    /// Messages received in the whole run, warm-up included.
    pub taken: u64,
    /// Messages missed in the whole run, counted from gaps in their numbers.
    pub missed: u64,
    /// Processor time used in the measured window, user and system, nanoseconds.
    pub cpu: u64,
}

impl Outcome {
    /// The histogram of one metric, created if necessary.
    pub fn times(&mut self, metric: Metric) -> &mut Histogram<u64> {
        self.times.entry(metric).or_insert_with(histogram)
    }

    /// Adds another process's measurements.
    pub fn add(&mut self, other: &Outcome) -> Fallible<()> {
        for (metric, times) in &other.times {
            self.times(*metric).add(times)?;
        }
        self.sent += other.sent;
        self.received += other.received;
        self.taken += other.taken;
        self.missed += other.missed;
        self.cpu += other.cpu;
        Ok(())
    }

    /// Encodes it for the pipe.
    pub fn to_bytes(&self) -> Fallible<Vec<u8>> {
        let mut bytes = Vec::new();
        for word in [self.sent, self.received, self.taken, self.missed, self.cpu] {
            bytes.extend(word.to_le_bytes());
        }
        for (metric, times) in &self.times {
            bytes.push(*metric as u8);
            V2Serializer::new().serialize(times, &mut bytes)?;
        }
        Ok(bytes)
    }

    /// Decodes it.
    pub fn from_bytes(mut bytes: &[u8]) -> Fallible<Outcome> {
        let mut words = [0u64; 5];
        for word in &mut words {
            let (first, rest) = bytes.split_at_checked(8).ok_or("a result that is cut off")?;
            *word = u64::from_le_bytes(first.try_into()?);
            bytes = rest;
        }
        let [sent, received, taken, missed, cpu] = words;
        let mut outcome = Outcome { times: BTreeMap::new(), sent, received, taken, missed, cpu };
        while let Some((&tag, rest)) = bytes.split_first() {
            let metric = Metric::ALL.iter().find(|m| **m as u8 == tag).ok_or("a result of unknown kind")?;
            bytes = rest;
            let times = Deserializer::new().deserialize(&mut bytes)?;
            outcome.times.insert(*metric, times);
        }
        Ok(outcome)
    }
}

/// Records one time; a time beyond the range counts as the longest.
#[inline]
pub fn record(times: &mut Histogram<u64>, value: u64) {
    if times.record(value.min(LONGEST)).is_err() {
        times.saturating_record(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_survives_the_pipe() {
        let mut outcome = Outcome { sent: 1, received: 2, taken: 3, missed: 4, cpu: 5, ..Outcome::default() };
        record(outcome.times(Metric::Batch), 7_250);
        record(outcome.times(Metric::OneWay), 40_000_000);
        record(outcome.times(Metric::OneWay), u64::MAX);
        let back = Outcome::from_bytes(&outcome.to_bytes().expect("bytes")).expect("outcome");
        assert_eq!(back, outcome);
        assert_eq!(back.times[&Metric::OneWay].len(), 2);
    }

    #[test]
    fn a_cut_or_foreign_result_is_an_error() {
        let bytes = Outcome::default().to_bytes().expect("bytes");
        assert!(Outcome::from_bytes(&bytes[..39]).is_err());
        assert!(Outcome::from_bytes(&[bytes, vec![250]].concat()).is_err());
    }

    #[test]
    fn adding_merges_distributions_and_sums_counts() {
        let mut a = Outcome { sent: 5, cpu: 10, ..Outcome::default() };
        record(a.times(Metric::Call), 10);
        let mut b = Outcome { received: 5, cpu: 1, ..Outcome::default() };
        record(b.times(Metric::Call), 1_000);
        a.add(&b).expect("same kind");
        assert_eq!((a.sent, a.received, a.cpu), (5, 5, 11));
        assert_eq!((a.times[&Metric::Call].len(), a.times[&Metric::Call].max()), (2, 1_000));
    }
}
