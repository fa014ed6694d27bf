//! What is made of the papers' sets: figures like theirs, and sentences that say what the figures show. Every number in them is
//! computed from the results.

mod ach;
mod dali;
mod features;
mod lcm;
pub mod lines_of_code;

use crate::case::{Case, Policy, Scenario};
use crate::error::Fallible;
use crate::gone;
use crate::outcome::Metric;
use crate::results::{Note, Results, Row};
use crate::set::Set;
use crate::stats::median;
use crate::table::ns;
use saltus_measure::report::{Axis, Line, Panel, Rows, diagrams};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// A figure and what it shows.
#[derive(Default)]
pub struct Figure {
    /// The name of its file, behind the set's.
    pub name: &'static str,
    /// What is drawn; none, where there is only something to say.
    pub panels: Vec<Panel>,
    /// What is drawn below that.
    pub rows: Vec<Rows>,
    /// What it shows, one line each.
    pub shows: Vec<String>,
}

/// Writes the figures as SVG and the sentences as `SET.md` beside them, below the report's `header`; gives the sentences.
pub fn write(set: Set, results: &Results, header: &str, out: &Path) -> Fallible<String> {
    let figures = match set {
        Set::Dali => dali::figures(results),
        Set::Ach => ach::figures(results),
        _ => lcm::figures(results),
    };
    let gone = Figure { name: "who-cannot-be-measured", shows: gone::table(), ..Figure::default() };
    let mut text = String::from("\n## What it shows\n");
    for figure in
        figures.iter().chain((set == Set::Ach).then_some(&gone)).filter(|figure| !figure.shows.is_empty())
    {
        let _ = writeln!(text, "\n### {}\n", figure.name.replace('-', " "));
        figure.shows.iter().for_each(|line| {
            // A table stands as it is.
            let _ = writeln!(text, "{}{line}", if line.starts_with('|') { "" } else { "- " });
        });
        if !(figure.panels.is_empty() && figure.rows.is_empty()) {
            let file = format!("{}-{}.svg", set.name(), figure.name);
            fs::write(out.join(&file), diagrams(&figure.panels, &figure.rows)?)?;
            let _ = writeln!(text, "\n![{}]({file})", figure.name);
        }
    }
    let command: Vec<String> = std::env::args().skip(1).collect();
    let page = format!("{header}\n    saltus-bench-channel {}\n{text}", command.join(" "));
    fs::write(out.join(format!("{}.md", set.name())), page)?;
    Ok(text)
}

/// A value of a row, in ns, by its name.
pub type Value = (&'static str, fn(&Row<'_>) -> f64);

/// What of a distribution is drawn: the paper's average and worst, and what lies between.
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

/// The rows of a scenario's times since due, with default scheduling, that `is_wanted` lets through.
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

/// A distribution in words.
pub fn words(row: &Row<'_>) -> String {
    if row.times.is_empty() {
        return "nothing came".into();
    }
    let [p50, p99, p99_9, max] = [0.5, 0.99, 0.999, 1.0].map(|q| ns(at(row, q)));
    let lost = row.cell.missed();
    let lost = if lost > 0.0 { format!(", {:.3} % lost", 100.0 * lost) } else { String::new() };
    format!("p50 {p50}, p99 {p99}, p99.9 {p99_9}, max {max} ({} messages{lost})", row.times.len())
}

/// What each contender's notes say in numbers: the middle one of all repetitions of a case.
pub fn medians<'a>(notes: &[&'a Note]) -> Vec<(&'a Note, f64)> {
    let first = notes.iter().filter(|note| note.rep == 0);
    let middle = |note: &&'a Note| {
        let same = notes.iter().filter(|n| n.contender == note.contender && n.case == note.case);
        Some((*note, median(&same.filter_map(|n| n.value).collect::<Vec<f64>>())?))
    };
    first.filter_map(middle).collect()
}

/// For each contender, what the first and the last of its rows by `of` showed.
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

/// Who had the lowest and the highest p99 of these rows, which are of one case.
pub fn ranking<'a, 'r: 'a>(rows: impl Iterator<Item = &'a Row<'r>>, what: &str) -> Option<String> {
    let mut own: Vec<&Row<'_>> = rows.filter(|row| !row.times.is_empty()).collect();
    own.sort_by(|a, b| at(a, 0.99).total_cmp(&at(b, 0.99)));
    let [first, .., last] = own[..] else { return None };
    let name = |row: &Row<'_>| format!("`{}` ({})", row.cell.contender, ns(at(row, 0.99)));
    Some(format!("{what}: lowest p99 {}, highest {}", name(first), name(last)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Mode;
    use crate::results::tests::add;

    fn results() -> Results {
        let mut results = Results { reference: "shm://", ..Results::default() };
        for (who, factor) in [("shm://", 1.0), ("udpm://", 3.0)] {
            for readers in [10, 1] {
                let case = Case { readers, size: 50, mode: Mode::Sleep, ..Case::new(Scenario::Paced) };
                let value = 1_000.0 * factor * readers as f64;
                add(&mut results, case, who, Metric::Response, &[value, 2.0 * value]);
            }
            let case = Case { part: "brakes", writers: 2, ..Case::new(Scenario::Cwalker) };
            add(&mut results, case, who, Metric::Response, &[9_000.0 * factor]);
            let case = Case::new(Scenario::Connections);
            for (rep, opened) in [30.0, 10.0, 20.0].into_iter().enumerate() {
                let value = Some(opened * factor);
                results.notes.push(Note { case, contender: who, rep, value, text: "refused".into() });
            }
        }
        results
    }

    #[test]
    fn lines_go_from_left_to_right_and_sentences_say_what_was_measured() {
        let results = results();
        let rows = rows(&results, Scenario::Paced, |case| case.size == 50);
        let drawn = lines(&rows, |case| case.readers as f64, |row| at(row, 1.0));
        assert_eq!(drawn.len(), 2);
        let x: Vec<f64> = drawn[1].points.iter().map(|point| point.0).collect();
        assert_eq!((&*drawn[1].name, &x[..]), ("udpm://", &[1.0, 10.0][..]));
        let told = ends(&rows, |case| case.readers as f64, "subscribers");
        assert!(told[0].starts_with("`shm://`, 1 subscribers: p50 1.00 us"), "{told:?}");
        assert!(told[1].contains("10 subscribers: p50 30.0 us"), "{told:?}");
        let told = ranking(rows.iter().filter(|row| row.cell.case.readers == 10), "here").expect("two");
        assert!(told.contains("lowest p99 `shm://`") && told.contains("highest `udpm://`"), "{told}");
    }

    #[test]
    fn of_three_repetitions_the_middle_one_is_drawn_and_every_module_has_its_diagram() {
        let figures = dali::figures(&results());
        let rows = |name| figures.iter().find(|figure| figure.name == name).map(|figure| &figure.rows[..]);
        let row = |who: &str, values: &[f64]| (who.to_owned(), values.to_vec());
        let Some([connections]) = rows("connections") else { panic!("one diagram") };
        assert_eq!(connections.rows, [row("shm://", &[20.0]), row("udpm://", &[60.0])]);
        let Some([brakes]) = rows("cwalker") else { panic!("one module") };
        assert_eq!(brakes.title, "The cWalker's brakes, 2 inputs");
        let names: Vec<&str> = brakes.rows.iter().map(|(name, _)| &**name).collect();
        assert_eq!((&names[..], brakes.marks.len()), (&["shm://", "udpm://"][..], 3));
    }

    #[test]
    fn every_set_of_a_paper_has_figures_and_files_even_of_little() {
        let out = std::env::temp_dir().join(format!("saltus-bench-papers-{}", std::process::id()));
        fs::create_dir_all(&out).expect("a directory");
        for set in [Set::Dali, Set::Ach, Set::Lcm] {
            let told = write(set, &results(), "# Here\n", &out).expect("written");
            assert!(told.contains("What it shows"), "{told}");
            let page = fs::read_to_string(out.join(format!("{}.md", set.name()))).expect("a page");
            for line in page.lines().filter(|line| line.starts_with("![")) {
                let file = line.split(['(', ')']).nth(1).expect("a file");
                let svg = fs::read_to_string(out.join(file)).expect("the figure beside it");
                assert!(svg.contains("</svg>"), "{file}");
            }
        }
        assert!(out.join("dali-against-subscribers.svg").is_file());
        let bars = fs::read_to_string(out.join("ach-lines-of-code.svg")).expect("bars");
        assert!(bars.contains("cyclonedds"), "{bars}");
        fs::remove_dir_all(&out).expect("only ours");
    }
}
