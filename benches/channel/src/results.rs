//! Everything measured so far, and what is made of it.

use crate::case::{Case, Scenario};
use crate::contenders::REFERENCE;
use crate::outcome::{Metric, Outcome};
use crate::run::Measured;
use crate::scenarios::syscalls::Counted;
use crate::stats::Ratio;
use hdrhistogram::Histogram;
use std::time::{Duration, SystemTime};

/// One contender in one case in one repetition.
#[derive(Debug)]
pub struct Rep {
    /// Which repetition, from 0.
    pub number: usize,
    /// When it began.
    pub began: SystemTime,
    /// What came out.
    pub measured: Measured,
}

/// One contender in one case: all its repetitions.
#[derive(Debug)]
pub struct Cell {
    /// Conditions.
    pub case: Case,
    /// Who.
    pub contender: &'static str,
    /// The repetitions that succeeded.
    pub reps: Vec<Rep>,
}

/// One row of the table: one metric of one cell.
#[derive(Debug)]
pub struct Row<'a> {
    /// Conditions and who.
    pub cell: &'a Cell,
    /// What.
    pub metric: Metric,
    /// All repetitions merged.
    pub times: Histogram<u64>,
    /// Against the reference, where it was measured in the same repetitions.
    pub ratio: Option<Ratio>,
}

/// All of it.
#[derive(Debug, Default)]
pub struct Results {
    /// Measured cells, in the order of first appearance.
    pub cells: Vec<Cell>,
    /// Counted system calls.
    pub counted: Vec<Counted>,
    /// What a contender does not do, and why.
    pub skipped: Vec<(Case, &'static str, &'static str)>,
    /// What went wrong.
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

    /// All rows of a scenario, case by case.
    pub fn rows(&self, scenario: Scenario) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        for cell in self.cells.iter().filter(|c| c.case.scenario == scenario) {
            for metric in Metric::ALL {
                let Some(times) = cell.merged(metric) else { continue };
                let ratio = self.ratio(&cell.case, metric, cell.contender, REFERENCE);
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
        let mut all = Outcome::default();
        for rep in &self.reps {
            if let Some(times) = rep.measured.outcome.times.get(&metric)
                && all.times(metric).add(times).is_err()
            {
                return None;
            }
        }
        all.times.remove(&metric).filter(|times| !times.is_empty())
    }

    /// What repetitions are compared by, in nanoseconds: the median, or at full rate the time for each message
    /// received, lost time included.
    pub fn values(&self, metric: Metric) -> Vec<(usize, f64)> {
        let value = |rep: &Rep| match metric {
            Metric::PerMessage if self.case.scenario == Scenario::Throughput => {
                let rate = rep.rate(self.case.readers);
                (rate > 0.0).then(|| 1e9 / rate)
            }
            _ => {
                let times = rep.measured.outcome.times.get(&metric).filter(|t| !t.is_empty())?;
                Some(times.value_at_quantile(0.5) as f64 / metric.per_ns())
            }
        };
        self.reps.iter().filter_map(|rep| Some((rep.number, value(rep)?))).collect()
    }

    /// Messages a second that each receiver got, by repetition.
    pub fn rates(&self) -> Vec<f64> {
        self.reps.iter().map(|rep| rep.rate(self.case.readers)).collect()
    }

    /// Processor time for each message, nanoseconds, over all repetitions.
    pub fn cpu_per_message(&self) -> Option<f64> {
        let messages: u64 = self.reps.iter().map(|r| r.measured.messages).sum();
        let cpu: u64 = self.reps.iter().map(|r| r.measured.outcome.cpu).sum();
        (messages > 0).then(|| cpu as f64 / messages as f64)
    }

    /// Part of the messages that receivers missed.
    pub fn missed(&self) -> f64 {
        let missed: u64 = self.reps.iter().map(|r| r.measured.outcome.missed).sum();
        let taken: u64 = self.reps.iter().map(|r| r.measured.outcome.taken).sum();
        if missed == 0 { 0.0 } else { missed as f64 / (missed + taken) as f64 }
    }
}

impl Rep {
    /// Messages a second that each receiver got.
    fn rate(&self, readers: usize) -> f64 {
        let window = self.measured.window.max(Duration::from_nanos(1)).as_secs_f64();
        self.measured.outcome.received as f64 / readers.max(1) as f64 / window
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::outcome::record;

    /// A cell with one repetition for each value of nanoseconds.
    pub fn add(results: &mut Results, case: Case, contender: &'static str, metric: Metric, values: &[f64]) {
        for (number, value) in values.iter().enumerate() {
            let mut measured = Measured { window: Duration::from_secs(1), ..Measured::default() };
            record(measured.outcome.times(metric), (value * metric.per_ns()) as u64);
            measured.outcome.received = (1e9 / value) as u64 * case.readers as u64;
            results.add(case, contender, Rep { number, began: SystemTime::UNIX_EPOCH, measured });
        }
    }

    #[test]
    fn rows_carry_the_ratio_to_the_reference_of_the_same_repetition() {
        let mut results = Results::default();
        let case = Case::new(Scenario::Pingpong);
        add(&mut results, case, REFERENCE, Metric::OneWay, &[100.0, 200.0, 400.0]);
        add(&mut results, case, "other", Metric::OneWay, &[150.0, 300.0, 600.0]);
        let rows = results.rows(Scenario::Pingpong);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[1].times.len(), 3);
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
