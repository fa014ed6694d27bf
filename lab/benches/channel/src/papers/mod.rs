//! Output of the papers' sets: figures like theirs, and sentences with the findings. Every number in them is computed
//! from the results.

mod ach;
mod dali;
mod features;
pub mod figure;
mod lcm;
pub mod lines_of_code;

use crate::diagrams::diagrams;
use crate::error::Fallible;
use crate::gone;
use crate::results::Results;
use crate::set::Set;
use figure::Figure;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Writes the figures as SVG and the sentences as `SET.md` next to them, with the report's `header`; returns the
/// sentences.
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
            // Tables are kept as they are.
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

#[cfg(test)]
mod tests {
    use super::figure::{at, ends, lines, ranking, rows};
    use super::*;
    use crate::case::{Case, Mode, Scenario};
    use crate::outcome::Metric;
    use crate::results::Note;
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
    fn lines_run_left_to_right_and_sentences_state_the_measurement() {
        let results = results();
        let rows = rows(&results, Scenario::Paced, |case| case.size == 50);
        let drawn = lines(&rows, |case| case.readers as f64, |row| at(row, 1.0));
        assert_eq!(drawn.len(), 2);
        let x: Vec<f64> = drawn[1].points.iter().map(|point| point.0).collect();
        assert_eq!((&*drawn[1].name, &x[..]), ("udpm://", &[1.0, 10.0][..]));
        let reported = ends(&rows, |case| case.readers as f64, "subscribers");
        assert!(reported[0].starts_with("`shm://`, 1 subscribers: p50 1.00 us"), "{reported:?}");
        assert!(reported[1].contains("10 subscribers: p50 30.0 us"), "{reported:?}");
        let reported = ranking(rows.iter().filter(|row| row.cell.case.readers == 10), "here").expect("two");
        assert!(
            reported.contains("lowest p99 `shm://`") && reported.contains("highest `udpm://`"),
            "{reported}"
        );
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
            let reported = write(set, &results(), "# Here\n", &out).expect("written");
            assert!(reported.contains("What it shows"), "{reported}");
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
