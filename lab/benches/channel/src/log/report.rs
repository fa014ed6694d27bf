//! Tables for people, JSON for programs.

use super::play::{PLAYERS, Played};
use super::record::Run;
use crate::stats::median;
use crate::table::{count, ns};
use serde_json::{Value, json};
use std::fmt::Write;

/// Recorders, case by case: sums over the repetitions; of the processor time the median, the minimum and the maximum.
pub fn record(runs: &[Run]) -> String {
    let mut out = String::from("\n## Recording to a tmpfs\n");
    let mut rows: Vec<&Run> = Vec::new();
    for run in runs {
        if !rows.iter().any(|row| (row.case, row.who) == (run.case, run.who)) {
            rows.push(run);
        }
    }
    let mut title = String::new();
    for row in rows {
        if title != row.case.to_string() {
            title = row.case.to_string();
            let head = ["published", "published/s", "in file", "lost", "missed", "dropped"];
            let head = head.map(|word| format!(" {word:>11}")).concat();
            let _ = writeln!(out, "\n{title}\n  {:<20}{head}  cpu/msg (min..max)", "");
        }
        let same: Vec<&Run> = runs.iter().filter(|run| (run.case, run.who) == (row.case, row.who)).collect();
        let sum = |of: fn(&Run) -> u64| same.iter().map(|run| of(run)).sum::<u64>();
        let reported = |of: fn(&Run) -> Option<u64>| {
            let all: Option<Vec<u64>> = same.iter().map(|run| of(run)).collect();
            all.map_or("untold".into(), |all| all.iter().sum::<u64>().to_string())
        };
        let cpu: Vec<f64> = same.iter().filter_map(|run| run.cpu_per_message()).collect();
        let (least, most) = cpu.iter().fold((f64::MAX, 0.0_f64), |(a, b), x| (a.min(*x), b.max(*x)));
        let cpu = match median(&cpu) {
            Some(cpu) => format!("{} ({}..{})", ns(cpu), ns(least), ns(most)),
            None => "nothing in the file".into(),
        };
        let rates: Vec<f64> = same.iter().map(|run| run.rate).collect();
        let inexact = same.iter().any(|run| run.account.is_some_and(|account| !account.exact));
        let _ = writeln!(
            out,
            "  {:<20} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}  {cpu}{}",
            row.who.name(),
            sum(|run| run.published),
            count(median(&rates).unwrap_or(0.0)),
            sum(|run| run.in_file),
            sum(Run::lost),
            reported(|run| run.account.map(|account| account.missed)),
            reported(|run| run.account.map(|account| account.dropped)),
            if inexact { "  ITS COUNTS ARE WRONG" } else { "" },
        );
    }
    out
}

/// Players.
pub fn play(played: &Played) -> String {
    let mut out = String::from("\n## Playing at 1 x: error against the recorded time\n\n");
    let _ = writeln!(
        out,
        "  {:<24} {:>9} {:>9} {:>9} {:>9} {:>7} {:>6}  p99 of single turns",
        "", "p50", "p99", "p99.9", "max", "count", "lost"
    );
    for (at, who) in PLAYERS.iter().enumerate().filter(|(at, _)| !played.errors[*at].is_empty()) {
        let errors = &played.errors[at];
        let value = |q: f64| ns(errors.value_at_quantile(q) as f64);
        let turns = &played.turns[at];
        let (least, most) = (turns.iter().min().unwrap_or(&0), turns.iter().max().unwrap_or(&0));
        let _ = writeln!(
            out,
            "  {:<24} {:>9} {:>9} {:>9} {:>9} {:>7} {:>6}  {}..{}",
            who.name(),
            value(0.5),
            value(0.99),
            value(0.999),
            ns(errors.max() as f64),
            errors.len(),
            played.lost[at],
            ns(*least as f64),
            ns(*most as f64),
        );
    }
    out + "\n  The zero of each turn is its earliest event, for all contenders. In shared memory the publisher's own timestamp counts, on\n  \
           the network the kernel's.\n"
}

/// The whole report.
pub fn json(runs: &[Run], played: &Played) -> Value {
    let recorded = runs.iter().map(|run| {
        json!({
            "case": run.case.to_string(),
            "recorder": run.who.name(),
            "rep": run.rep,
            "published": run.published,
            "published_per_second": run.rate,
            "in_file": run.in_file,
            "missed": run.account.map(|account| account.missed),
            "dropped": run.account.map(|account| account.dropped),
            "account_is_exact": run.account.map(|account| account.exact),
            "cpu_ns_per_message": run.cpu_per_message(),
        })
    });
    let played = PLAYERS.iter().enumerate().map(|(at, who)| {
        let value = |q: f64| played.errors[at].value_at_quantile(q);
        json!({
            "player": who.name(),
            "count": played.errors[at].len(),
            "lost": played.lost[at],
            "p50_ns": value(0.5),
            "p99_ns": value(0.99),
            "p99_9_ns": value(0.999),
            "max_ns": played.errors[at].max(),
            "p99_ns_of_turns": played.turns[at],
        })
    });
    json!({ "recorded": recorded.collect::<Vec<_>>(), "played": played.collect::<Vec<_>>() })
}
