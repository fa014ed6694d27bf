//! The results measured so far, and the rows computed from them.

use crate::case::{Case, Scenario};
use crate::outcome::{Metric, histogram};
use crate::rep::Rep;
use crate::scenarios::instructions::Steps;
use crate::scenarios::syscalls::Counted;
use crate::stats::Ratio;
use hdrhistogram::Histogram;

/// One contender in one case: all its repetitions.
#[derive(Debug)]
pub struct Cell {
    /// Conditions.
    pub case: Case,
    /// The contender.
    pub contender: &'static str,
    /// The repetitions that succeeded.
    pub reps: Vec<Rep>,
}

/// One row of the table: one metric of one cell.
#[derive(Debug)]
pub struct Row<'a> {
    /// Conditions and contender.
    pub cell: &'a Cell,
    /// The metric.
    pub metric: Metric,
    /// All repetitions merged.
    pub times: Histogram<u64>,
    /// The ratio to the reference, if both were measured in the same repetitions.
    pub ratio: Option<Ratio>,
}

/// A finding in words about one contender in one case and repetition, such as where it broke.
#[derive(Clone, Debug)]
pub struct Note {
    /// Conditions.
    pub case: Case,
    /// The contender.
    pub contender: &'static str,
    /// Which repetition, from 0.
    pub rep: usize,
    /// The number in it that is compared, if there is one.
    pub value: Option<f64>,
    /// The words.
    pub text: String,
}

/// All results of a run.
#[derive(Debug, Default)]
pub struct Results {
    /// The contender that every ratio is relative to.
    pub reference: &'static str,
    /// Measured cells, in the order of first appearance.
    pub cells: Vec<Cell>,
    /// Counted system calls.
    pub counted: Vec<Counted>,
    /// Counted instructions.
    pub steps: Vec<Steps>,
    /// Cases that a contender cannot run, and why.
    pub skipped: Vec<(Case, &'static str, &'static str)>,
    /// Findings in words.
    pub notes: Vec<Note>,
    /// Failures.
    pub failed: Vec<(Case, &'static str, String)>,
}

impl Results {
    /// Adds one measurement.
    pub fn add(&mut self, case: Case, contender: &'static str, rep: Rep) {
        match self.cells.iter_mut().find(|c| c.case == case && c.contender == contender) {
            Some(cell) => cell.reps.push(rep),
            None => self.cells.push(Cell { case, contender, reps: vec![rep] }),
        }
    }

    /// The cell of a contender in a case.
    pub fn cell(&self, case: &Case, contender: &str) -> Option<&Cell> {
        self.cells.iter().find(|c| c.case == *case && c.contender == contender)
    }

    /// The ratio of two contenders in a case, repetition by repetition.
    pub fn ratio(&self, case: &Case, metric: Metric, contender: &str, base: &str) -> Option<Ratio> {
        let values = self.cell(case, contender)?.values(metric);
        Ratio::of(&values, &self.cell(case, base)?.values(metric))
    }

    /// The same for the processor time per message.
    pub fn cpu_ratio(&self, case: &Case, contender: &str, base: &str) -> Option<Ratio> {
        let values = self.cell(case, contender)?.cpu_values();
        Ratio::of(&values, &self.cell(case, base)?.cpu_values())
    }

    /// All rows of a scenario, case by case.
    pub fn rows(&self, scenario: Scenario) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        for cell in self.cells.iter().filter(|c| c.case.scenario == scenario) {
            for metric in Metric::ALL {
                let times = match cell.merged(metric) {
                    Some(times) => times,
                    // Here "nothing arrived" is a result.
                    None if scenario.counts_losses() && metric == Metric::Response => histogram(),
                    None => continue,
                };
                let ratio = self.ratio(&cell.case, metric, cell.contender, self.reference);
                rows.push(Row { cell, metric, times, ratio });
            }
        }
        // The sort is stable, so contenders keep their order and the reference stays first in each group.
        rows.sort_by_key(|row| {
            (row.cell.case.policy, row.cell.case.mode, row.cell.case.place, row.cell.case, row.metric)
        });
        rows
    }
}

impl Cell {
    /// All repetitions of one metric as one histogram; merged, never averaged.
    pub fn merged(&self, metric: Metric) -> Option<Histogram<u64>> {
        // Deserialized histograms do not grow, so they are added to one that does.
        let mut all = histogram();
        for times in self.reps.iter().filter_map(|rep| rep.times(metric)) {
            all.add(times).ok()?;
        }
        (!all.is_empty()).then_some(all)
    }

    /// The value, in nanoseconds, by which repetitions are compared: the median, or at full rate the time per
    /// received message, including the time of lost ones.
    pub fn values(&self, metric: Metric) -> Vec<(usize, f64)> {
        let value = |rep: &Rep| match metric {
            Metric::PerMessage if self.case.scenario == Scenario::Throughput => {
                let rate = rep.received_rate(self.case.readers);
                (rate > 0.0).then(|| 1e9 / rate)
            }
            _ => rep.p50(metric),
        };
        self.reps.iter().filter_map(|rep| Some((rep.number, value(rep)?))).collect()
    }

    /// Messages per second for each receiver, by repetition.
    pub fn rates(&self) -> Vec<f64> {
        self.reps.iter().map(|rep| rep.received_rate(self.case.readers)).collect()
    }

    /// Processor time per message, in nanoseconds, over all repetitions.
    pub fn cpu_per_message(&self) -> Option<f64> {
        let messages: u64 = self.reps.iter().map(|r| r.messages).sum();
        let cpu: u64 = self.reps.iter().map(|r| r.counts.cpu).sum();
        (messages > 0).then(|| cpu as f64 / messages as f64)
    }

    /// The same, repetition by repetition.
    fn cpu_values(&self) -> Vec<(usize, f64)> {
        let measured = self.reps.iter().filter(|rep| rep.messages > 0);
        measured.map(|rep| (rep.number, rep.counts.cpu as f64 / rep.messages as f64)).collect()
    }

    /// The fraction of the messages that receivers missed.
    pub fn missed(&self) -> f64 {
        let missed: u64 = self.reps.iter().map(|r| r.counts.missed).sum();
        let taken: u64 = self.reps.iter().map(|r| r.counts.taken).sum();
        if missed == 0 { 0.0 } else { missed as f64 / (missed + taken) as f64 }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::contenders::REFERENCE;
    use crate::outcome::record;
    use crate::run::Measured;
    use std::time::{Duration, SystemTime};

    /// A cell with one repetition for each value in nanoseconds.
    pub fn add(results: &mut Results, case: Case, contender: &'static str, metric: Metric, values: &[f64]) {
        for (number, value) in values.iter().enumerate() {
            let mut measured = Measured { window: Duration::from_secs(1), ..Measured::default() };
            record(measured.outcome.times(metric), (value * metric.per_ns()) as u64);
            measured.outcome.received = (1e9 / value) as u64 * case.readers as u64;
            let rep = Rep::new(number, SystemTime::UNIX_EPOCH, measured).expect("packed");
            results.add(case, contender, rep);
        }
    }

    #[test]
    fn rows_carry_the_ratio_to_the_reference_of_the_same_repetition() {
        let mut results = Results { reference: REFERENCE, ..Results::default() };
        let case = Case::new(Scenario::Pingpong);
        add(&mut results, case, REFERENCE, Metric::OneWay, &[100.0, 200.0, 4e9]);
        add(&mut results, case, "other", Metric::OneWay, &[150.0, 300.0, 6e9]);
        let rows = results.rows(Scenario::Pingpong);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1].times.len(), 3, "longer times of a later repetition fit too");
        let ratio = rows[1].ratio.as_ref().expect("the reference was measured");
        assert!((ratio.median - 1.5).abs() < 0.01, "{ratio:?}");
    }

    #[test]
    fn at_full_rate_what_was_received_decides_not_the_best_moments() {
        let mut results = Results::default();
        let case = Case { readers: 2, ..Case::new(Scenario::Throughput) };
        add(&mut results, case, REFERENCE, Metric::PerMessage, &[100.0]);
        let cell = results.cell(&case, REFERENCE).expect("measured");
        assert_eq!(cell.values(Metric::PerMessage), [(0, 100.0)]);
        assert_eq!(cell.rates(), [1e7]);
    }
}
