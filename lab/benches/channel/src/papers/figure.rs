//! Building blocks for the figures of all papers.

use crate::case::{Case, Policy, Scenario};
use crate::diagrams::{Axis, Line, Panel, Rows};
use crate::outcome::Metric;
use crate::results::{Note, Results, Row};
use crate::stats::median;
use crate::table::ns;

/// A figure and its findings.
#[derive(Default)]
pub struct Figure {
    /// The last part of its file's name, after the set's.
    pub name: &'static str,
    /// The panels; empty, if there are only findings.
    pub panels: Vec<Panel>,
    /// Bars, drawn below the panels.
    pub rows: Vec<Rows>,
    /// The findings, one line each.
    pub shows: Vec<String>,
}

/// A value of a row, in ns, by its name.
pub type Value = (&'static str, fn(&Row<'_>) -> f64);

/// The values of a distribution that are drawn: average and maximum, as in the paper, and percentiles in between.
pub const VALUES: [Value; 4] = [
    ("average", |row| row.times.mean() / row.metric.per_ns()),
    ("p50", |row| at(row, 0.5)),
    ("p99", |row| at(row, 0.99)),
    ("worst", |row| at(row, 1.0)),
];

/// A quantile in ns.
pub fn at(row: &Row<'_>, quantile: f64) -> f64 {
    row.times.value_at_quantile(quantile) as f64 / row.metric.per_ns()
}

/// The rows of a scenario's response times with default scheduling that pass `is_wanted`.
pub fn rows<'a>(results: &'a Results, scenario: Scenario, is_wanted: impl Fn(&Case) -> bool) -> Vec<Row<'a>> {
    let rows = results.rows(scenario).into_iter();
    rows.filter(|row| {
        let case = &row.cell.case;
        row.metric == Metric::Response && case.policy == Policy::Default && is_wanted(case)
    })
    .collect()
}

/// One line for each contender.
pub fn lines(rows: &[Row<'_>], x: impl Fn(&Case) -> f64, y: impl Fn(&Row<'_>) -> f64) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for row in rows {
        let point = (x(&row.cell.case), y(row));
        match lines.iter_mut().find(|line| line.name == row.cell.contender) {
            Some(line) => line.points.push(point),
            None => lines.push(Line { name: row.cell.contender.into(), points: vec![point] }),
        }
    }
    lines.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    lines
}

/// Panels of latency against something, for each of `values`.
pub fn latency(
    rows: &[Row<'_>],
    title: &str,
    x: (&str, Axis),
    of: impl Fn(&Case) -> f64,
    values: &[Value],
) -> Vec<Panel> {
    let panel = |(name, value): &Value| Panel {
        title: format!("{title}: {name}"),
        x: (x.0.into(), x.1),
        y: ("latency since due".into(), Axis::Time),
        lines: lines(rows, &of, value),
    };
    if rows.is_empty() { Vec::new() } else { values.iter().map(panel).collect() }
}

/// A distribution as text.
pub fn words(row: &Row<'_>) -> String {
    if row.times.is_empty() {
        return "nothing came".into();
    }
    let [p50, p99, p99_9, max] = [0.5, 0.99, 0.999, 1.0].map(|q| ns(at(row, q)));
    let lost = row.cell.missed();
    let lost = if lost > 0.0 { format!(", {:.3} % lost", 100.0 * lost) } else { String::new() };
    format!("p50 {p50}, p99 {p99}, p99.9 {p99_9}, max {max} ({} messages{lost})", row.times.len())
}

/// The numbers in each contender's notes: the median over the repetitions of a case.
pub fn medians<'a>(notes: &[&'a Note]) -> Vec<(&'a Note, f64)> {
    let first = notes.iter().filter(|note| note.rep == 0);
    let middle = |note: &&'a Note| {
        let same = notes.iter().filter(|n| n.contender == note.contender && n.case == note.case);
        Some((*note, median(&same.filter_map(|n| n.value).collect::<Vec<f64>>())?))
    };
    first.filter_map(middle).collect()
}

/// For each contender, the findings of its first and last row by `of`.
pub fn ends(rows: &[Row<'_>], of: impl Fn(&Case) -> f64, unit: &str) -> Vec<String> {
    let mut names: Vec<&str> = rows.iter().map(|row| row.cell.contender).collect();
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    let tell = |name: &str| {
        let mut own: Vec<&Row<'_>> = rows.iter().filter(|row| row.cell.contender == name).collect();
        own.sort_by(|a, b| of(&a.cell.case).total_cmp(&of(&b.cell.case)));
        let (first, last) = (own.first()?, own.last()?);
        let end = |row: &Row<'_>| format!("{} {unit}: {}", of(&row.cell.case), words(row));
        Some(match own.len() {
            1 => format!("`{name}`, {}", end(first)),
            _ => format!("`{name}`, {}; {}", end(first), end(last)),
        })
    };
    names.into_iter().filter_map(tell).collect()
}

/// The contenders with the lowest and the highest p99 among these rows, which are of one case.
pub fn ranking<'a, 'r: 'a>(rows: impl Iterator<Item = &'a Row<'r>>, what: &str) -> Option<String> {
    let mut own: Vec<&Row<'_>> = rows.filter(|row| !row.times.is_empty()).collect();
    own.sort_by(|a, b| at(a, 0.99).total_cmp(&at(b, 0.99)));
    let [first, .., last] = own[..] else { return None };
    let name = |row: &Row<'_>| format!("`{}` ({})", row.cell.contender, ns(at(row, 0.99)));
    Some(format!("{what}: lowest p99 {}, highest {}", name(first), name(last)))
}
