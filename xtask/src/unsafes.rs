//! Every `unsafe` of the workspace: where it is, and the reason beside it.

use crate::pages::{files, write};
use crate::run::{Outcome, read, root};
use crate::source::{self, Token};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The table that `cargo xtask unsafe` writes. It is long, and lines move: it is not stored.
pub const TABLE: &str = "target/unsafe.md";

/// The kind of an `unsafe`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A block: an operation whose rules the code must keep.
    Block,
    /// `unsafe impl`: a promise that a type keeps the rules of a trait.
    Impl,
    /// `unsafe fn`, `unsafe trait`, `unsafe extern`, `#[unsafe(...)]`: a rule that others must keep. Its documentation states it.
    Rule,
}

/// One `unsafe`.
#[derive(Debug)]
pub struct Unsafe {
    /// Its file, relative to the root.
    pub file: PathBuf,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub end: usize,
    /// What it is.
    pub kind: Kind,
    /// Whether it is in a test.
    pub in_test: bool,
    /// The text behind `SAFETY:`.
    pub reason: String,
}

impl Unsafe {
    /// The folder of its crate, such as `crates/os`.
    pub fn package(&self) -> String {
        let file = self.file.display().to_string();
        let folders = ["/src/", "/tests/", "/benches/", "/examples/", "/build.rs", "/targets/", "/drivers/"];
        let cut = folders.iter().filter_map(|folder| file.find(folder)).min();
        file[..cut.unwrap_or(file.len())].to_string()
    }

    /// Whether a block or an `impl` has no reason.
    fn lacks_reason(&self) -> bool {
        self.kind != Kind::Rule && self.reason.is_empty()
    }
}

/// All of them, by file and line.
pub fn all(root: &Path) -> Result<Vec<Unsafe>, String> {
    let mut found = Vec::new();
    for dir in ["crates", "bindings", "compat", "examples", "lab", "xtask"] {
        for file in files(root, Path::new(dir), "rs") {
            found.extend(of_file(&file, &read(&root.join(&file))?));
        }
    }
    Ok(found)
}

/// Those of one file.
fn of_file(file: &Path, text: &str) -> Vec<Unsafe> {
    let tokens = source::tokens(text);
    let lines: Vec<&str> = text.lines().collect();
    let is_test_file = file.components().any(|part| part.as_os_str() == "tests");
    let (_, tests) = source::apart(&tokens);
    let tested: BTreeSet<usize> =
        tests.iter().filter(|token| token.is("unsafe")).map(|token| token.line).collect();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.is("unsafe")) {
        let Some(next) = tokens.get(at + 1) else { continue };
        let (kind, end) = match next.text.as_str() {
            "{" => (Kind::Block, tokens[source::group_end(&tokens, at + 1)].end),
            "impl" => (Kind::Impl, token.line),
            _ => (Kind::Rule, token.line),
        };
        found.push(Unsafe {
            file: file.to_path_buf(),
            line: token.line + 1,
            end: end + 1,
            kind,
            in_test: is_test_file || tested.contains(&token.line),
            reason: reason(&lines, first_line(&tokens, at)..token.line + 1),
        });
    }
    found
}

/// The line on which the statement with this token begins.
fn first_line(tokens: &[Token], at: usize) -> usize {
    let begins = |token: &Token| [";", "{", "}"].iter().any(|mark| token.is(mark));
    let before = tokens[..at].iter().rposition(begins);
    tokens[before.map_or(0, |before| before + 1).min(at)].line
}

/// The text behind `SAFETY:` in a comment on these lines, or in the comment directly above them.
fn reason(lines: &[&str], statement: std::ops::Range<usize>) -> String {
    const MARK: &str = "SAFETY:";
    let is_comment = |n: &usize| lines[*n].trim_start().starts_with("//");
    // Attributes may be between a comment and its statement.
    let above = |n: &usize| is_comment(n) || lines[*n].trim_start().starts_with("#[");
    let from = (0..statement.start).rev().take_while(above).last().unwrap_or(statement.start);
    let Some(at) = (from..statement.end).rev().find(|n| lines[*n].contains(MARK)) else {
        return String::new();
    };
    let first = lines[at].split_once(MARK).map_or("", |(_, text)| text);
    let rest = (at + 1..statement.end).take_while(is_comment);
    let rest = rest.map(|n| lines[n].trim_start().trim_start_matches('/').trim());
    let words: Vec<&str> = [first.trim()].into_iter().chain(rest).collect();
    words.join(" ").trim_end_matches("*/").trim().to_string()
}

/// The check: fails on a block or an `impl` without a reason.
pub fn check() -> Outcome {
    let missing: Vec<String> = all(&root())?
        .iter()
        .filter(|one| one.lacks_reason())
        .map(|one| {
            format!("{}:{}: `unsafe` without `// SAFETY:` and the reason", one.file.display(), one.line)
        })
        .collect();
    if missing.is_empty() { Ok(()) } else { Err(missing.join("\n        ")) }
}

/// The number of blocks, `impl`s and rules of each crate, without its tests, and in tests.
pub fn counts(all: &[Unsafe]) -> BTreeMap<String, [usize; 4]> {
    let mut counts = BTreeMap::<String, [usize; 4]>::new();
    for one in all {
        let column = if one.in_test { 3 } else { one.kind as usize };
        counts.entry(one.package()).or_default()[column] += 1;
    }
    counts
}

/// Writes the table. `reached` names the test that reaches a block, if that was measured.
pub fn table(reached: &BTreeMap<(PathBuf, usize), String>) -> Outcome {
    let all = all(&root())?;
    let mut page = String::from(
        "# Every `unsafe`\n\n| where | what | reason | a test that reaches it |\n|---|---|---|---|\n",
    );
    for one in all.iter().filter(|one| !one.in_test) {
        let what = ["block", "`impl`", "a rule for others"][one.kind as usize];
        let test = reached.get(&(one.file.clone(), one.line)).map_or("", String::as_str);
        let reason = one.reason.replace('|', "\\|");
        let _ = writeln!(page, "| {}:{} | {what} | {reason} | {test} |", one.file.display(), one.line);
    }
    write(&root().join(TABLE), &page)?;
    let blocks = all.iter().filter(|one| one.kind != Kind::Rule && !one.in_test).count();
    println!("{blocks} blocks and `impl`s of products, tools and laboratory: {TABLE}");
    check()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Unsafe> {
        of_file(Path::new("crates/a/src/b.rs"), text)
    }

    #[test]
    fn each_is_found_with_its_reason_and_lines() {
        let found = of(
            "// SAFETY: one\n// and more.\nlet a = f(\n    unsafe { g() },\n);\n// SAFETY: two\n#[allow(x)]\nunsafe impl A for B {}\n\
                        /// # Safety\nunsafe fn c() {}\nlet d = \"unsafe { e }\";\n",
        );
        let told: Vec<_> = found.iter().map(|one| (one.line, one.kind, one.reason.as_str())).collect();
        assert_eq!(told, [(4, Kind::Block, "one and more."), (8, Kind::Impl, "two"), (10, Kind::Rule, "")]);
        assert_eq!(found[0].package(), "crates/a");
    }

    #[test]
    fn one_without_a_reason_is_found_and_a_reason_further_up_is_not_taken_for_it() {
        let found = of("// SAFETY: of the first alone\nunsafe { a() };\nunsafe { b() };\n");
        assert_eq!(found.iter().map(Unsafe::lacks_reason).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn those_of_tests_are_counted_apart() {
        let found = of(
            "// SAFETY: a\nfn a() { unsafe { b() } }\n#[cfg(test)]\nmod tests { fn c() { unsafe { d() } } }\n",
        );
        assert_eq!(counts(&found)["crates/a"], [1, 0, 0, 1]);
    }
}
