//! Ach's figures: one and two receivers, histograms at 1 and 8 kHz, latency by period against frequency, latency against hops,
//! and the lines of code of each contender.

use super::figure::{Figure, VALUES, at, ends, latency, lines, ranking, rows, words};
use super::lines_of_code;
use crate::case::{Case, Policy, Scenario};
use crate::diagrams::{Axis, Line, Panel};
use crate::outcome::Metric;
use crate::plan_papers::ACH_HISTOGRAMS;
use crate::results::{Results, Row};
use crate::table::ns;

/// All figures of the paper.
pub fn figures(results: &Results) -> Vec<Figure> {
    vec![
        receivers(results),
        histograms(results),
        against_frequency(results),
        against_hops(results),
        lines_of_code::figure(),
    ]
}

/// The paper's mean, 99 % and maximum, and other percentiles.
fn receivers(results: &Results) -> Figure {
    let all = results.rows(Scenario::Paced);
    let mut shows = Vec::new();
    for (class, policy) in [("default", Policy::Default), ("SCHED_FIFO", Policy::Fifo)] {
        for readers in [1, 2] {
            let own = all.iter().filter(|row| {
                let case = &row.cell.case;
                row.metric == Metric::Response
                    && (case.policy, case.readers, case.rate) == (policy, readers, 1_000)
            });
            shows.extend(own.map(|row| {
                let mean = ns((VALUES[0].1)(row));
                format!("{class}, {readers} receivers, `{}`: mean {mean}, {}", row.cell.contender, words(row))
            }));
        }
    }
    let rows = rows(results, Scenario::Paced, |case| case.rate == 1_000);
    let two = rows.iter().filter(|row| row.cell.case.readers == 2);
    shows.extend(ranking(two, "two receivers at 1 kHz"));
    let x = ("receivers", Axis::Even);
    let panels = latency(&rows, "64 B at 1 kHz, against receivers", x, |case| case.readers as f64, &VALUES);
    Figure { name: "receivers", panels, shows, ..Figure::default() }
}

/// The histogram of latencies: one line for each contender.
fn histograms(results: &Results) -> Figure {
    let mut figure = Figure { name: "histograms", ..Figure::default() };
    for rate in ACH_HISTOGRAMS {
        let rows = rows(results, Scenario::Paced, |case| (case.rate, case.readers) == (rate, 1));
        if rows.is_empty() {
            continue;
        }
        let lines = rows.iter().map(|row| Line { name: row.cell.contender.into(), points: bars(row) });
        figure.panels.push(Panel {
            title: format!("Histogram of latencies at {} kHz", rate / 1_000),
            x: ("latency since due".into(), Axis::Time),
            y: ("messages".into(), Axis::Log),
            lines: lines.collect(),
        });
        let reported = rows.iter().map(|row| format!("{rate} Hz, `{}`: {}", row.cell.contender, words(row)));
        figure.shows.extend(reported);
    }
    figure
}

/// Counts by the logarithm of the time, ten bins per decade.
fn bars(row: &Row<'_>) -> Vec<(f64, f64)> {
    let mut bars = std::collections::BTreeMap::<i64, u64>::new();
    for step in row.times.iter_recorded() {
        let time = step.value_iterated_to() as f64 / row.metric.per_ns();
        *bars.entry((time.max(1.0).log10() * 10.0).floor() as i64).or_default() +=
            step.count_since_last_iteration();
    }
    bars.into_iter().map(|(bar, n)| (10_f64.powf((bar as f64 + 0.5) / 10.0), n as f64)).collect()
}

fn against_frequency(results: &Results) -> Figure {
    let rows = rows(results, Scenario::Paced, |case| case.readers == 1 && case.rate > 0);
    let hertz = |case: &Case| f64::from(case.rate);
    let panel = |(name, quantile): (&str, f64)| Panel {
        title: format!("Latency by period, against frequency: {name}"),
        x: ("messages a second".into(), Axis::Log),
        y: ("latency since due, in periods".into(), Axis::Log),
        lines: lines(&rows, hertz, |row| at(row, quantile) * hertz(&row.cell.case) / 1e9),
    };
    let mut shows = ends(&rows, hertz, "Hz");
    let mut names: Vec<&str> = Vec::new();
    rows.iter().for_each(|row| {
        if !names.contains(&row.cell.contender) {
            names.push(row.cell.contender);
        }
    });
    shows.extend(names.into_iter().map(|name| {
        let kept = |row: &&Row<'_>| at(row, 0.99) * hertz(&row.cell.case) < 1e9 && row.cell.missed() == 0.0;
        let own = rows.iter().filter(|row| row.cell.contender == name && !row.times.is_empty());
        let highest = own.filter(kept).map(|row| row.cell.case.rate).max();
        let highest = highest.map_or("at none of these rates".into(), |rate| format!("up to {rate} Hz"));
        format!("`{name}` stays within one period at the 99th percentile, without loss, {highest}")
    }));
    let panels = if rows.is_empty() { Vec::new() } else { [("p50", 0.5), ("p99", 0.99)].map(panel).into() };
    Figure { name: "against-frequency", panels, shows, ..Figure::default() }
}

fn against_hops(results: &Results) -> Figure {
    let rows = rows(results, Scenario::Hops, |_| true);
    let hops = |case: &Case| case.hops as f64;
    let x = ("hops", Axis::Log);
    let panels = latency(&rows, "64 B at 1 kHz through a chain of processes", x, hops, &VALUES[1..]);
    Figure { name: "against-hops", panels, shows: ends(&rows, hops, "hops"), ..Figure::default() }
}
