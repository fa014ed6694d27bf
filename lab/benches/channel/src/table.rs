//! The tables for people.

use crate::case::{Mode, Scenario};
use crate::contender::Contender;
use crate::results::{Results, Row};
use crate::stats::median;
use std::fmt::Write;

/// The rows of one scenario.
pub fn table(results: &Results, scenario: Scenario) -> String {
    let mut out = String::new();
    let rows = results.rows(scenario);
    if rows.is_empty() {
        return out;
    }
    let _ = writeln!(out, "\n## {}\n", scenario.name());
    let mut group = String::new();
    for row in &rows {
        let title = format!("{} {}", row.cell.case, row.metric.name());
        if group != title && scenario != Scenario::Floors {
            let _ = writeln!(out, "{title}");
        }
        if group.is_empty() || (group != title && scenario != Scenario::Floors) {
            let _ = writeln!(
                out,
                "  {:<26} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}  {:<24}{}",
                "",
                "p50",
                "p99",
                "p99.9",
                "max",
                "count",
                "cpu/msg",
                "ratio of p50 (min..max)",
                if with_rate(scenario) { "  received/s each, missed" } else { "" }
            );
        }
        group = title;
        let _ = writeln!(out, "{}", line(row));
    }
    out
}

fn line(row: &Row<'_>) -> String {
    let at = |q: f64| ns(row.times.value_at_quantile(q) as f64 / row.metric.per_ns());
    let name = match row.cell.case.scenario {
        Scenario::Floors => format!("{} {}", row.cell.contender, floor_of(row)),
        _ => row.cell.contender.to_string(),
    };
    let mut line = format!(
        "  {name:<26} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        at(0.5),
        at(0.99),
        at(0.999),
        ns(row.times.max() as f64 / row.metric.per_ns()),
        row.times.len(),
        row.cell.cpu_per_message().map_or("-".into(), ns),
    );
    if let Some(ratio) = &row.ratio {
        let _ = write!(line, "  {:<24}", format!("{:.2} ({:.2}..{:.2})", ratio.median, ratio.min, ratio.max));
    }
    if with_rate(row.cell.case.scenario)
        && let Some(rate) = median(&row.cell.rates())
    {
        let _ = write!(line, "  {} ({:.2} % missed)", count(rate), 100.0 * row.cell.missed());
    }
    line
}

fn with_rate(scenario: Scenario) -> bool {
    scenario == Scenario::Throughput || scenario.counts_losses()
}

fn floor_of(row: &Row<'_>) -> String {
    let case = &row.cell.case;
    match row.cell.contender {
        "memcpy" => crate::case::size_name(case.size),
        "futex" => case.to_string().split('/').skip(1).take(2).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    }
}

/// The counted system calls.
pub fn syscalls(results: &Results) -> String {
    let mut out = String::new();
    if results.counted.is_empty() {
        return out;
    }
    let _ = writeln!(out, "\n## syscalls: calls of one publish, counted under ptrace\n");
    let mut cases: Vec<_> = results.counted.iter().map(|c| c.case).collect();
    cases.dedup();
    for case in cases {
        let mode = match case.mode {
            Mode::Poll => "polling",
            Mode::Sleep => "sleeping",
            Mode::Stopped => "stopped",
        };
        let _ = writeln!(out, "{} {mode} readers", case.readers);
        for counted in results.counted.iter().filter(|c| c.case == case) {
            let calls: Vec<String> = (counted.calls.iter())
                .map(|(name, n)| format!("{name} {:.2}", *n as f64 / counted.publishes as f64))
                .collect();
            let calls = if calls.is_empty() { "none".into() } else { calls.join(", ") };
            let _ = writeln!(out, "  {:<16} {:>6.2}   {calls}", counted.contender, counted.per_publish());
        }
    }
    out
}

/// The counted instructions.
pub fn instructions(results: &Results) -> String {
    let mut out = String::new();
    let mut last = None;
    for steps in &results.steps {
        if last.is_none() {
            let _ = writeln!(out, "\n## instructions of one message in and out, outside the kernel\n");
        }
        if last.replace(steps.case) != Some(steps.case) {
            let _ = writeln!(out, "{}", steps.case);
        }
        let _ = writeln!(out, "  {:<16} {:>9.1}", steps.contender, steps.per_message);
    }
    out
}

/// The findings in words.
pub fn notes(results: &Results) -> String {
    let mut out = String::new();
    for note in &results.notes {
        if out.is_empty() {
            out += "\n## Limits\n\n";
        }
        let _ = writeln!(
            out,
            "  {:<12} {:<10} repetition {}: {}",
            note.case.scenario.name(),
            note.contender,
            note.rep + 1,
            note.text
        );
    }
    out
}

/// What was not measured, one line for each reason.
pub fn skipped(results: &Results) -> String {
    let mut reasons: Vec<(&str, &str, usize)> = Vec::new();
    for (_, who, why) in &results.skipped {
        match reasons.iter_mut().find(|(w, y, _)| w == who && y == why) {
            Some((_, _, cases)) => *cases += 1,
            None => reasons.push((who, why, 1)),
        }
    }
    let mut out = String::new();
    if !reasons.is_empty() {
        let _ = writeln!(out, "\n## Not measured\n");
    }
    for (who, why, cases) in reasons {
        let _ = writeln!(out, "  {who:<16} {why} ({cases} cases)");
    }
    out
}

/// The versions of the contenders that are not part of this workspace.
pub fn versions(contenders: &[Box<dyn Contender>]) -> String {
    let mut out = String::new();
    for contender in contenders {
        if let Some(version) = contender.version() {
            out += if out.is_empty() { "\n## Versions\n\n" } else { "" };
            let _ = writeln!(out, "  {:<16} {version}", contender.name());
        }
    }
    out
}

/// Nanoseconds with three significant digits and a unit.
pub fn ns(value: f64) -> String {
    let (scaled, unit) = match value {
        v if v < 1e3 => (v, "ns"),
        v if v < 1e6 => (v / 1e3, "us"),
        v if v < 1e9 => (v / 1e6, "ms"),
        v => (v / 1e9, "s"),
    };
    format!("{} {unit}", digits(scaled))
}

/// A count with a letter for thousands and millions.
pub fn count(value: f64) -> String {
    match value {
        v if v < 1e3 => digits(v),
        v if v < 1e6 => format!("{}k", digits(v / 1e3)),
        v => format!("{}M", digits(v / 1e6)),
    }
}

fn digits(value: f64) -> String {
    let decimals = match value {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_three_digits() {
        assert_eq!(ns(7.254), "7.25 ns");
        assert_eq!(ns(43.4), "43.4 ns");
        assert_eq!(ns(1_270.0), "1.27 us");
        assert_eq!(ns(35_400_000.0), "35.4 ms");
        assert_eq!(ns(2e9), "2.00 s");
        assert_eq!(count(8_600_000.0), "8.60M");
        assert_eq!(count(154_321.0), "154k");
        assert_eq!(count(12.0), "12.0");
    }
}
