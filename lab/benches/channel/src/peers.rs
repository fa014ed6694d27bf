//! The table of the set of peers: a line for each peer, with its version and the compared figures.

mod figure;

use crate::case::{Case, Place, Scenario};
use crate::contender::Contender;
use crate::error::Fallible;
use crate::gone;
use crate::outcome::Metric;
use crate::plan_peers;
use crate::results::{Results, Row};
use crate::stats::median;
use crate::table::{count, ns};
use std::fmt::Write;
use std::fs;
use std::path::Path;

const HEADER: &str = "
## Peers

One sender, one receiver, which sleeps; 64 B, but for the last column. Times are p50 / p99 / p99.9 / max (count), of all repetitions;
the ping-pong's are half of the way there and back, those at 1 kHz are since the message was due. Processor time is that of both
processes at 1 kHz, user and system. The last column is the highest rate of messages of 1 MB at which nothing was lost and p99 stayed
below 50 ms: the median of the repetitions.

| | version | ping-pong, one core | ping-pong, two cores | 1 kHz, two cores | processor time for each message | 1 MB without loss, messages/s |
|---|---|---|---|---|---|---|
";

/// The table, as Markdown.
pub fn table(results: &Results, contenders: &[Box<dyn Contender>]) -> String {
    let mut out = String::from(HEADER);
    let lines = [Scenario::Pingpong, Scenario::Paced, Scenario::Lossless].map(|s| results.rows(s));
    let [pingpong, paced, lossless] = &lines;
    for contender in contenders {
        let name = contender.name();
        let find = |rows: &'_ [Row<'_>], metric, is_wanted: &dyn Fn(&Case) -> bool| {
            let is_it = |row: &&Row<'_>| {
                (row.cell.contender, row.metric) == (name, metric) && is_wanted(&row.cell.case)
            };
            rows.iter().find(is_it).map(|row| (times(row), row.cell.cpu_per_message(), row.cell.rates()))
        };
        let trip = |place| find(pingpong, Metric::OneWay, &|case| case.place == place).map(|found| found.0);
        let [one_core, two_cores] = [Place::OneCore, Place::TwoCores].map(|place| reported(trip(place)));
        let way = find(paced, Metric::Response, &|_| true);
        let cpu = reported(way.as_ref().and_then(|found| found.1).map(ns));
        let rate = find(lossless, Metric::Response, &|case| case.size == plan_peers::LARGE);
        let rate = rate.and_then(|found| median(&found.2)).map(|rate| match rate {
            rate if rate > 0.0 => count(rate),
            _ => "not at 30".into(),
        });
        let _ = writeln!(
            out,
            "| `{name}` | {} | {one_core} | {two_cores} | {} | {cpu} | {} |",
            reported(contender.version()),
            reported(way.map(|found| found.0)),
            reported(rate)
        );
    }
    let _ = write!(out, "\nOf these only the paper's figures exist:\n\n{}\n", gone::table().join("\n"));
    let mut missing: Vec<String> = Vec::new();
    let skipped = results.skipped.iter().map(|(case, who, why)| (case, who, *why));
    for (case, who, why) in skipped.chain(results.failed.iter().map(|(case, who, why)| (case, who, &**why))) {
        // A peer that is missing entirely is listed once.
        let line = match results.cells.iter().any(|cell| cell.contender == *who) {
            true => format!("`{who}` in {case}: {why}"),
            false => format!("`{who}`: {why}"),
        };
        if !missing.contains(&line) {
            missing.push(line);
        }
    }
    if !missing.is_empty() {
        let _ = write!(out, "\nNot measured:\n\n- {}\n", missing.join("\n- "));
    }
    out
}

fn times(row: &Row<'_>) -> String {
    let at = |q: f64| ns(row.times.value_at_quantile(q) as f64 / row.metric.per_ns());
    format!("{} / {} / {} / {} ({})", at(0.5), at(0.99), at(0.999), at(1.0), row.times.len())
}

fn reported(value: Option<String>) -> String {
    value.unwrap_or("–".into())
}

/// Writes the table as `peers.md`, with the report's `header`, the figure and its findings; returns it.
pub fn write(
    results: &Results,
    contenders: &[Box<dyn Contender>],
    header: &str,
    out: &Path,
) -> Fallible<String> {
    let table = table(results, contenders) + &figure::write(results, out)?;
    let command: Vec<String> = std::env::args().skip(1).collect();
    fs::write(
        out.join("peers.md"),
        format!("{header}\n    saltus-bench-channel {}\n{table}", command.join(" ")),
    )?;
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contenders;
    use crate::results::tests::add;

    #[test]
    fn every_peer_has_a_line_and_missing_ones_a_reason() {
        let mut results = Results { reference: contenders::net::REFERENCE, ..Results::default() };
        let [one_core, two_cores] = &plan_peers::cases(Scenario::Pingpong, false)[..] else {
            panic!("two places")
        };
        add(&mut results, *one_core, "multicast", Metric::OneWay, &[1_000.0, 2_000.0]);
        add(&mut results, *two_cores, "multicast", Metric::OneWay, &[40_000.0]);
        let paced = plan_peers::cases(Scenario::Paced, false)[0];
        add(&mut results, paced, "multicast", Metric::Response, &[50_000.0]);
        results.skipped.push((*one_core, "roscpp", "no roscpp"));
        results.skipped.push((*two_cores, "roscpp", "no roscpp"));
        results.failed.push((paced, "multicast", "broke".into()));
        let contenders = contenders::net::peers();
        let table = table(&results, &contenders);
        let line = table.lines().find(|line| line.starts_with("| `multicast`")).expect("a line");
        assert!(
            line.contains("| 1.00 us / 2.00 us / 2.00 us / 2.00 us (2) | 40.0 us / ")
                && line.ends_with("| – |"),
            "{line}"
        );
        for (gone, _) in gone::GONE {
            assert!(table.contains(&format!("\n| {gone} | {} |", gone::NO_FIGURE)), "{table}");
        }
        for contender in &contenders {
            assert!(table.contains(&format!("| `{}` |", contender.name())), "{table}");
        }
        assert!(
            table.ends_with(
                "\n- `roscpp`: no roscpp\n- `multicast` in paced/2cores/default/sleep/1w1r/64B: broke\n"
            ),
            "{table}"
        );
    }
}
