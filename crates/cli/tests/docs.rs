//! Pages with command lines, and with names in each language, are correct.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use support::Place;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The cells of the table of a page, row by row, the heading first. An escaped bar does not end a cell.
fn table(page: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("docs").join(page)).expect("a page");
    let rows = text.lines().filter(|line| line.starts_with('|') && !line.starts_with("|---"));
    let cells = |row: &str| {
        let row = row.replace("\\|", "\u{1}");
        let cells = row.trim_matches('|').split('|').map(|cell| cell.trim().replace('\u{1}', "|"));
        cells.collect()
    };
    rows.map(cells).collect()
}

/// The text between backticks.
fn code(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Parses a command line of Saltus. The text after a pipe belongs to another program.
fn parses(place: &Place, line: &str) {
    let own = line.split(" | ").next().unwrap_or(line);
    let arguments = own.strip_prefix("saltus ").unwrap_or_else(|| panic!("{line}: not of saltus"));
    let quoted = arguments.split('\'').enumerate();
    let words: Vec<&str> = quoted
        .flat_map(|(n, part)| if n % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
        .collect();
    // With --help at the end, a command line is parsed, but not executed.
    place.run(words.iter().copied().chain(["--help"])).with(0);
}

#[test]
fn every_command_of_the_cheat_sheet_and_of_the_table_of_names_parses() {
    let place = Place::new();
    for (page, least) in [("cheatsheet.md", 25), ("names.md", 15)] {
        let rows = table(page);
        let lines: Vec<&str> = rows[1..].iter().flat_map(|row| code(row.last().expect("a cell"))).collect();
        assert!(lines.len() >= least, "{page}: {} commands", lines.len());
        lines.iter().for_each(|line| parses(&place, line));
    }
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The sources of a language: each file's name and its words outside of comments, which begin with `comment`.
fn sources(paths: &[&str], comment: &str) -> Vec<(String, BTreeSet<String>)> {
    let mut files = Vec::new();
    let mut left: Vec<PathBuf> = paths.iter().map(|path| root().join(path)).collect();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                fs::read_dir(&path).expect("a directory").map(|entry| entry.expect("an entry").path()),
            );
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_default(); // pictures have no words
        let code = text.lines().filter(|line| !line.trim_start().starts_with(['*', '/']));
        let code = code.flat_map(|line| words(line.split(comment).next().unwrap_or(line)));
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        files.push((name, code.map(String::from).collect()));
    }
    files
}

#[test]
fn every_name_is_in_the_sources_of_its_language() {
    const RUST: &[&str] = &[
        "crates/domain/src",
        "crates/channel/src",
        "crates/os/src",
        "crates/ring/src",
        "crates/transport/src",
        "crates/types/src",
        "crates/log/src",
    ];
    let rows = table("names.md");
    for (language, paths, comment) in [
        ("Rust", RUST, "//"),
        ("C", &["bindings/c/include/saltus.h"][..], "//"),
        ("C++", &["bindings/c/include/saltus"], "//"),
        ("Python", &["bindings/python/python/saltus"], "#"),
        ("Java", &["bindings/java/src/main/java"], "//"),
        ("Octave", &["bindings/octave/+saltus"], "%"),
    ] {
        let column = rows[0].iter().position(|cell| cell == language).expect("a column of each language");
        let files = sources(paths, comment);
        let is_known = |name: &str| match name.strip_prefix("saltus.") {
            // In Octave, each function has its own file.
            Some(function) => files.iter().any(|(file, _)| file == function),
            // Members are in the same file as their type.
            None => files.iter().any(|(_, known)| words(name).all(|word| known.contains(word))),
        };
        let mut checked = 0;
        for row in &rows[1..] {
            for name in code(&row[column]) {
                assert!(is_known(name), "{language} has no `{name}`: {row:?}");
                checked += words(name).count();
            }
        }
        assert!(checked > 25, "{language}: {checked} words of names");
    }
}
