//! A table of the workspace: lines, tests, public items, dependencies and cycles of each package.

use crate::circles;
use crate::run::{Outcome, read};
use crate::source::{self, Kind, Token};
use crate::workspace::{self, Package};
use std::collections::BTreeSet;
use std::fs;
use std::ops::AddAssign;
use std::path::{Path, PathBuf};

/// Folders whose packages are not for users, besides `xtask`; the last ones are those of earlier trees.
const LABORATORY: [&str; 7] =
    ["lab", "benches", "campaigns", "conformance", "fuzz", "crates/netns", "crates/peers"];

/// The counts of a package.
#[derive(Clone, Copy, Default)]
struct Counts {
    lines: usize,
    other: usize,
    tests: usize,
    public: usize,
    ours: usize,
    foreign: usize,
    circles: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.lines += other.lines;
        self.other += other.other;
        self.tests += other.tests;
        self.public += other.public;
        self.ours += other.ours;
        self.foreign += other.foreign;
        self.circles += other.circles;
    }
}

/// Prints the table of the checkout in `root`.
pub fn print(root: &Path) -> Outcome {
    let (mut product, mut laboratory) = (Counts::default(), Counts::default());
    println!(
        "{:28} {:>8} {:>8} {:>8} {:>7} {:>5} {:>8} {:>8}",
        "package", "lines", "other", "tests", "public", "ours", "foreign", "circles"
    );
    let mut packages = workspace::packages(root)?;
    packages.sort_by_key(|package| (is_laboratory(package, root), package.dir.clone()));
    for package in &packages {
        let counts = count(package)?;
        let dir = package.dir.strip_prefix(root).unwrap_or(&package.dir);
        row(&dir.display().to_string(), counts);
        *(if is_laboratory(package, root) { &mut laboratory } else { &mut product }) += counts;
    }
    row("product", product);
    row("laboratory", laboratory);
    println!(
        "\nlines: Rust that is no comment and no test. other: the same of other languages, comments of whole lines left out.\n\
         tests: below tests/, in tests.rs and under #[cfg(test)], any language. public: `pub` items, methods among them.\n\
         ours, foreign: packages that it is built from. circles: groups of files that need each other."
    );
    Ok(())
}

fn row(name: &str, counts: Counts) {
    let Counts { lines, other, tests, public, ours, foreign, circles } = counts;
    println!("{name:28} {lines:8} {other:8} {tests:8} {public:7} {ours:5} {foreign:8} {circles:8}");
}

fn is_laboratory(package: &Package, root: &Path) -> bool {
    let dir = package.dir.strip_prefix(root).unwrap_or(&package.dir);
    package.name == "xtask" || LABORATORY.iter().any(|place| dir.starts_with(place))
}

fn count(package: &Package) -> Result<Counts, String> {
    let mut counts = Counts {
        ours: package.ours.len(),
        foreign: package.foreign,
        circles: circles::of(package)?.len(),
        ..Counts::default()
    };
    for file in files(&package.dir) {
        let below = file.strip_prefix(&package.dir).unwrap_or(&file);
        let is_test = below.file_stem().is_some_and(|stem| stem == "tests")
            || below.components().any(|part| ["tests", "test"].iter().any(|name| part.as_os_str() == *name));
        let is_rust = file.extension().is_some_and(|extension| extension == "rs");
        let Ok(text) = read(&file) else { continue };
        if !is_rust {
            *(if is_test { &mut counts.tests } else { &mut counts.other }) += lines_of_others(&text);
            continue;
        }
        let all = source::tokens(&text);
        if is_test {
            counts.tests += lines(&all);
            continue;
        }
        let (code, tests) = source::apart(&all);
        counts.lines += lines(&code);
        counts.tests += lines(&tests);
        counts.public += public(&code);
    }
    Ok(counts)
}

/// Source files of a package, without those of packages inside it, of third parties, and of build output.
fn files(dir: &Path) -> Vec<PathBuf> {
    const LANGUAGES: [&str; 14] =
        ["rs", "c", "h", "cc", "cpp", "hpp", "py", "java", "m", "js", "css", "html", "sh", "cmake"];
    let mut found = Vec::new();
    for path in fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if path.is_dir() {
            let is_other = ["target", "vendor", "node_modules"].contains(&&*name) || name.starts_with('.');
            if !is_other && !path.join("Cargo.toml").is_file() && !path.is_symlink() {
                found.extend(files(&path));
            }
        } else if LANGUAGES.contains(&extension) {
            found.push(path);
        }
    }
    found
}

/// Lines that contain a token.
fn lines(tokens: &[Token]) -> usize {
    tokens.iter().flat_map(|token| token.line..=token.end).collect::<BTreeSet<_>>().len()
}

/// Lines of other languages that are neither empty nor start as a comment.
fn lines_of_others(text: &str) -> usize {
    let is_code = |line: &str| {
        let marks = ["//", "/*", "*/", "* ", "# ", "#!", "%", "<!--", "\"\"\""];
        !line.is_empty() && line != "*" && line != "#" && !marks.iter().any(|mark| line.starts_with(mark))
    };
    text.lines().map(str::trim).filter(|line| is_code(line)).count()
}

/// Items after a plain `pub`, without fields.
fn public(tokens: &[Token]) -> usize {
    const ITEMS: [&str; 10] =
        ["fn", "struct", "enum", "union", "trait", "type", "const", "static", "mod", "use"];
    let behind = |at: usize| {
        let mut rest = tokens[at + 1..].iter();
        rest.find(|token| token.kind != Kind::Text && !["unsafe", "async", "extern"].contains(&&*token.text))
    };
    let is_item = |(at, token): (usize, &Token)| {
        token.kind == Kind::Word
            && token.is("pub")
            && behind(at).is_some_and(|next| ITEMS.contains(&next.text.as_str()))
    };
    tokens.iter().enumerate().filter(|(at, token)| is_item((*at, token))).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_items_are_counted() {
        let text = "//! a\npub struct A {\n    pub b: u8,\n}\n\n/* c */ pub(crate) fn d() {}\npub unsafe extern \"C\" fn e() {\n    \"x\n\ny\";\n}\n#[cfg(test)]\nmod t {}\n";
        let (code, tests) = source::apart(&source::tokens(text));
        assert_eq!((lines(&code), lines(&tests), public(&code)), (9, 2, 2));
        assert_eq!(lines_of_others("a\n\n// b\n * c\n*d = e;\n#include <f>\n# g\n"), 3);
    }
}
