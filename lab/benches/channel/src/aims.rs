//! The targets, each with the measured value. A missed target states by how much. A target that this run did not
//! measure says so, and never counts as met.

use crate::case::{Case, Mode, Place, Policy, Scenario};
use crate::contenders::{REFERENCE, TIMED};
use crate::outcome::Metric;
use crate::rep::Rep;
use crate::results::Results;
use crate::stats::{Ratio, median};
use crate::table::{count, ns};
use std::fmt::Write;

/// The result of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Met.
    Reached,
    /// Missed; the text states by how much.
    Missed,
    /// This run did not measure it.
    Unknown,
}

impl Verdict {
    /// For tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Reached => "reached",
            Verdict::Missed => "MISSED",
            Verdict::Unknown => "not measured",
        }
    }
}

/// One target, with its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Aim {
    /// The target.
    pub text: String,
    /// The result.
    pub verdict: Verdict,
    /// The measured value.
    pub found: String,
    /// Rows that are lost, by name.
    pub lost: Vec<String>,
}

/// The contender whose targets these are, and its zero-copy form.
const OURS: &str = "saltus";
const OURS_LOAN: &str = "saltus-loan";
const CLASSES: [(&str, Policy); 2] = [("default", Policy::Default), ("SCHED_FIFO", Policy::Fifo)];

/// All targets about speed.
pub fn judge(results: &Results) -> Vec<Aim> {
    let pingpong = Case::new(Scenario::Pingpong);
    let one_core = Case { place: Place::OneCore, mode: Mode::Sleep, ..pingpong };
    let two_cores = Case { mode: Mode::Sleep, ..pingpong };
    let mut aims = Vec::new();
    for (what, case, metric, limit) in [
        ("polled one-way p50, 64 B", pingpong, Metric::Batch, 1.2),
        ("blocking on one core, 64 B", one_core, Metric::OneWay, 1.2),
        ("blocking across cores, 64 B", two_cores, Metric::OneWay, 1.1),
    ] {
        for (class, policy) in CLASSES {
            let case = Case { policy, ..case };
            aims.push(at_most(
                format!("{what}, {class}: at most {limit} x the reference"),
                results.ratio(&case, metric, OURS, REFERENCE),
                limit,
            ));
        }
    }
    for (class, policy) in CLASSES {
        aims.push(at_most(
            format!(
                "blocking on one core, 64 B, {class}: at most 1.2 x the reference with a timer in its wait"
            ),
            results.ratio(&Case { policy, ..one_core }, Metric::OneWay, OURS, TIMED),
            1.2,
        ));
    }
    aims.extend(system_calls(results));
    aims.push(tail(results));
    aims.push(mapped_readers(results));
    aims.extend(rates(results));
    aims.extend(copies(results));
    aims.push(peer(results));
    aims
}

/// A target that limits a ratio.
pub fn at_most(text: String, ratio: Option<Ratio>, limit: f64) -> Aim {
    let (verdict, found) = match ratio {
        None => (Verdict::Unknown, String::new()),
        Some(r) => {
            let found = format!("{:.2} ({:.2}..{:.2})", r.median, r.min, r.max);
            match r.median <= limit {
                true => (Verdict::Reached, found),
                false => {
                    (Verdict::Missed, format!("{found}: {:.0} % above", (r.median / limit - 1.0) * 100.0))
                }
            }
        }
    };
    Aim { text, verdict, found, lost: Vec::new() }
}

/// One system call per publish with any number of blocked readers, none without.
fn system_calls(results: &Results) -> Vec<Aim> {
    let judge = |text: &str, sleeping: bool, most: f64| {
        let rows: Vec<_> = (results.counted.iter())
            .filter(|c| c.contender == OURS && (c.case.mode == Mode::Sleep) == sleeping)
            .collect();
        let found: Vec<String> = (rows.iter())
            .map(|c| format!("{} {}: {:.2}", c.case.readers, mode_name(c.case.mode), c.per_publish()))
            .collect();
        let verdict = match &rows[..] {
            [] => Verdict::Unknown,
            rows if rows.iter().all(|c| c.per_publish() <= most) => Verdict::Reached,
            _ => Verdict::Missed,
        };
        Aim { text: text.into(), verdict, found: found.join(", "), lost: Vec::new() }
    };
    vec![
        judge("one wake system call per publish, however many readers are blocked", true, 1.0),
        judge("no system call when no reader is blocked, nor with a polling reader", false, 0.0),
    ]
}

fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Poll => "polling",
        Mode::Sleep => "sleeping",
        Mode::Stopped => "stopped",
    }
}

/// With a reader that polls at full speed: p99.9 of the publish call.
fn tail(results: &Results) -> Aim {
    let case = Case::new(Scenario::Publish);
    let tails: Vec<f64> = (results.cell(&case, OURS).into_iter())
        .flat_map(|cell| &cell.reps)
        .filter_map(|rep| rep.p99_9(Metric::Call))
        .collect();
    let text =
        "a reader polling at full speed: p99.9 of the publish call below 1 us (median of the repetitions)";
    let (verdict, found) = match median(&tails) {
        None => (Verdict::Unknown, String::new()),
        Some(t) => {
            let worst = tails.iter().copied().fold(0.0, f64::max);
            let found = format!("{} (worst repetition {})", ns(t), ns(worst));
            (if t < 1_000.0 { Verdict::Reached } else { Verdict::Missed }, found)
        }
    };
    Aim { text: text.into(), verdict, found, lost: Vec::new() }
}

/// Publish cost with 64 attached readers against none.
fn mapped_readers(results: &Results) -> Aim {
    let none = Case { mode: Mode::Stopped, readers: 0, ..Case::new(Scenario::Publish) };
    let many = Case { readers: 64, ..none };
    let values = |case| Some(results.cell(case, OURS)?.values(Metric::Batch));
    let ratio = values(&many).zip(values(&none)).and_then(|(many, none)| Ratio::of(&many, &none));
    at_most("publish cost with 64 mapped readers: at most 1.1 x with none".into(), ratio, 1.1)
}

/// Messages per second at full rate.
fn rates(results: &Results) -> Vec<Aim> {
    let case = Case::new(Scenario::Throughput);
    let sleep = Case { mode: Mode::Sleep, ..case };
    let received = |case: &Case| results.cell(case, OURS).and_then(|cell| median(&cell.rates()));
    let sent = |case: &Case| {
        let cell = results.cell(case, OURS)?;
        median(&cell.reps.iter().map(Rep::sent_rate).collect::<Vec<f64>>())
    };
    [
        ("received by one polling reader", received(&case), 4e6),
        ("received by one blocked reader", received(&sleep), 1e6),
        ("sent to 8 blocked readers", sent(&Case { readers: 8, ..sleep }), 150e3),
    ]
    .map(|(what, rate, least)| {
        let text = format!("at least {} messages of 64 B per second {what}", count(least));
        let (verdict, found) = match rate {
            None => (Verdict::Unknown, String::new()),
            Some(r) if r >= least => (Verdict::Reached, count(r)),
            Some(r) => (Verdict::Missed, format!("{}: {:.0} % below", count(r), (1.0 - r / least) * 100.0)),
        };
        Aim { text, verdict, found, lost: Vec::new() }
    })
    .to_vec()
}

/// A megabyte published in place, and copied in and out.
fn copies(results: &Results) -> Vec<Aim> {
    let large = Case { size: 1 << 20, place: Place::OneCore, ..Case::new(Scenario::Copy) };
    let small_publish = Case { mode: Mode::Stopped, readers: 0, ..Case::new(Scenario::Publish) };
    let large_publish = Case { size: 1 << 20, ..small_publish };
    let values = |case| Some(results.cell(case, OURS_LOAN)?.values(Metric::Batch));
    let loan = values(&large_publish)
        .zip(values(&small_publish))
        .and_then(|(large, small)| Ratio::of(&large, &small));
    let copy = |metric| results.ratio(&large, metric, OURS, "memcpy");
    vec![
        at_most("publishing 1 MB by loan: at most 2 x publishing 64 B".into(), loan, 2.0),
        at_most("copying 1 MB in: at most 1.1 x memcpy".into(), copy(Metric::In), 1.1),
        at_most("copying 1 MB out: at most 1.1 x memcpy".into(), copy(Metric::Out), 1.1),
    ]
}

/// Ahead of the peer in every row: copy against copy, loan against loan.
fn peer(results: &Results) -> Aim {
    let mut rows = Rows::default();
    for (ours, theirs) in [(OURS, "iceoryx2"), (OURS_LOAN, "iceoryx2-loan")] {
        for cell in results.cells.iter().filter(|c| c.contender == ours) {
            for metric in Metric::ALL {
                let ratio = results.ratio(&cell.case, metric, ours, theirs);
                rows.add(ratio, 1.05, || format!("{ours} {} {}", cell.case, metric.name()));
            }
        }
    }
    rows.judge("ahead of iceoryx2 in every row (ratio at most 1.05)")
}

/// Rows that are won and rows that are lost.
#[derive(Debug, Default)]
pub struct Rows {
    /// How many are won.
    pub won: usize,
    /// Those that are lost, by name.
    pub lost: Vec<String>,
}

impl Rows {
    /// Counts one row, if it was measured: as won if its ratio is at most `limit`.
    pub fn add(&mut self, ratio: Option<Ratio>, most: f64, row: impl FnOnce() -> String) {
        match ratio {
            Some(r) if r.median <= most => self.won += 1,
            Some(r) => self.lost.push(format!("{}: {:.2} ({:.2}..{:.2})", row(), r.median, r.min, r.max)),
            None => {}
        }
    }

    /// The target to win all of them.
    pub fn judge(self, text: &str) -> Aim {
        let (all, lost) = (self.won + self.lost.len(), self.lost.len());
        let verdict = match (all, lost) {
            (0, _) => Verdict::Unknown,
            (_, 0) => Verdict::Reached,
            _ => Verdict::Missed,
        };
        let found = if all == 0 { String::new() } else { format!("ahead in {} of {all} rows", self.won) };
        Aim { text: text.into(), verdict, found, lost: self.lost }
    }
}

/// The section of the report.
pub fn section(aims: &[Aim], reps: usize) -> String {
    if aims.is_empty() {
        return String::new();
    }
    let mut out = String::from("\n## Aims\n\n");
    if reps < 10 {
        let _ =
            writeln!(out, "Only {reps} repetitions: the targets are stated for medians of at least 10.\n");
    }
    for aim in aims {
        let _ = writeln!(out, "  [{:<12}] {}  {}", aim.verdict.name(), aim.text, aim.found);
        for row in &aim.lost {
            let _ = writeln!(out, "                   lost: {row}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::add;
    use crate::scenarios::syscalls::Counted;
    use crate::trace::Calls;

    fn find<'a>(aims: &'a [Aim], words: &str) -> &'a Aim {
        aims.iter().find(|a| a.text.contains(words)).expect("such an aim")
    }

    #[test]
    fn an_unmeasured_target_is_not_met() {
        let aims = judge(&Results::default());
        assert!(aims.iter().all(|a| a.verdict == Verdict::Unknown), "{aims:#?}");
    }

    #[test]
    fn a_missed_ratio_states_by_how_much() {
        let mut results = Results::default();
        let case = Case::new(Scenario::Pingpong);
        add(&mut results, case, REFERENCE, Metric::Batch, &[100.0, 1_000.0, 200.0]);
        add(&mut results, case, OURS, Metric::Batch, &[150.0, 1_500.0, 300.0]);
        let aims = judge(&results);
        let aim = find(&aims, "polled one-way p50, 64 B, default");
        assert_eq!(aim.verdict, Verdict::Missed);
        assert!(aim.found.contains("25 % above"), "{}", aim.found);
        assert_eq!(find(&aims, "polled one-way p50, 64 B, SCHED_FIFO").verdict, Verdict::Unknown);
    }

    #[test]
    fn rates_below_the_aim_are_missed_and_above_reached() {
        let mut results = Results::default();
        let case = Case::new(Scenario::Throughput);
        add(&mut results, case, OURS, Metric::PerMessage, &[200.0]);
        let sleep = Case { mode: Mode::Sleep, ..case };
        add(&mut results, sleep, OURS, Metric::PerMessage, &[2_000.0]);
        let aims = judge(&results);
        assert_eq!(find(&aims, "one polling reader").verdict, Verdict::Reached);
        let missed = find(&aims, "one blocked reader");
        assert_eq!(missed.verdict, Verdict::Missed);
        assert!(missed.found.contains("50 % below"), "{}", missed.found);
    }

    #[test]
    fn a_single_row_behind_the_peer_is_named() {
        let mut results = Results::default();
        let case = Case::new(Scenario::Paced);
        add(&mut results, case, OURS, Metric::Service, &[100.0]);
        add(&mut results, case, "iceoryx2", Metric::Service, &[100.0]);
        assert_eq!(peer(&results).verdict, Verdict::Reached);
        add(&mut results, case, OURS_LOAN, Metric::Service, &[106.0]);
        add(&mut results, case, "iceoryx2-loan", Metric::Service, &[100.0]);
        let aim = peer(&results);
        assert_eq!(aim.verdict, Verdict::Missed);
        assert_eq!(aim.lost.len(), 1);
        assert!(
            aim.lost[0].starts_with("saltus-loan paced/2cores/default/poll/1w1r/64B service"),
            "{:?}",
            aim.lost
        );
    }

    #[test]
    fn one_system_call_too_many_is_seen() {
        let mut results = Results::default();
        let case = Case { mode: Mode::Sleep, readers: 8, ..Case::new(Scenario::Syscalls) };
        let calls = Calls::from([("futex".to_string(), 100)]);
        results.counted.push(Counted { case, contender: OURS, publishes: 100, calls });
        let aims = judge(&results);
        assert_eq!(find(&aims, "one wake system call").verdict, Verdict::Reached);
        assert_eq!(find(&aims, "no system call").verdict, Verdict::Unknown);
        let calls = Calls::from([("futex".to_string(), 101)]);
        results.counted.push(Counted { case, contender: OURS, publishes: 100, calls });
        assert_eq!(find(&judge(&results), "one wake system call").verdict, Verdict::Missed);
    }
}
