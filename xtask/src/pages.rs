//! The pages that people read: their paths and links, and whether ARCHITECTURE.md names existing files, functions
//! and dependencies.

use crate::run::{Outcome, failed, read, root};
use crate::workspace::{self, Package};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Directories without our pages.
const SKIPPED: &[&str] = &["target", ".git", "node_modules", "vendor", "corpus"];

/// All files below `dir` whose names end in `.extension`, sorted, relative to `root`.
pub fn files(root: &Path, dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = fs::read_dir(root.join(dir)).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let here = dir.join(&name);
        if path.is_dir() && !SKIPPED.contains(&name.as_str()) {
            found.extend(files(root, &here, extension));
        } else if path.is_file() && path.extension().is_some_and(|e| e == extension) {
            found.push(here);
        }
    }
    found.sort();
    found
}

/// The lines of a page that are not in a fenced block, with their numbers from 1.
pub fn prose_lines(text: &str) -> Vec<(usize, &str)> {
    let mut fence = None;
    let mut lines = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let mark = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|fence| mark.starts_with(fence));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) => lines.push((n + 1, line)),
            _ => {}
        }
    }
    lines
}

/// A line without its code spans.
pub fn without_code(line: &str) -> String {
    let ticks = line.matches('`').count();
    let parts = line.split('`').enumerate();
    // An unmatched backtick opens nothing.
    parts.filter(|(n, _)| n % 2 == 0 || (ticks % 2 == 1 && *n == ticks)).map(|(_, part)| part).collect()
}

/// The code spans of a text.
fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// A link in a line: the bytes of its target.
fn targets(line: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    for (open, close) in [("](", ')'), ("src=\"", '"'), ("srcset=\"", '"')] {
        let mut from = 0;
        while let Some(at) = line[from..].find(open) {
            let start = from + at + open.len();
            let Some(len) = line[start..].find(close) else { break };
            if line[..start].matches('`').count().is_multiple_of(2) {
                found.push(start..start + len);
            }
            from = start + len;
        }
    }
    found
}

/// A path without `.` and `..`.
pub fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

/// The file and the anchor that a link of `page` leads to; `None` for other targets than files of this repository.
fn destination(page: &Path, link: &str) -> Option<(PathBuf, String)> {
    if link.contains("://") || link.starts_with("mailto:") || link.starts_with("data:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let dir = page.parent().unwrap_or(Path::new(""));
    let file = if file.is_empty() { page.to_path_buf() } else { normal(&dir.join(file)) };
    Some((file, anchor.to_string()))
}

/// The anchors of a page, made from its headings as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    for (_, line) in prose_lines(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        // Of a link, only the text counts.
        let mut plain = String::new();
        let mut rest = title.trim();
        while let Some((before, after)) = rest.split_once("](") {
            plain.push_str(before);
            rest = after.split_once(')').map_or("", |(_, rest)| rest);
        }
        plain.push_str(rest);
        let kept = plain.to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let id: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let again = (1..).map(|n| format!("{id}-{n}")).find(|id| !all.contains(id));
        let id = if all.contains(&id) { again.unwrap_or_default() } else { id };
        all.insert(id);
    }
    all
}

/// Links of a page without a target.
fn broken(root: &Path, page: &Path) -> Result<Vec<String>, String> {
    let text = read(&root.join(page))?;
    let mut found = Vec::new();
    for (n, line) in prose_lines(&text) {
        for link in targets(line).into_iter().map(|range| &line[range]) {
            let Some((file, anchor)) = destination(page, link) else { continue };
            let here = format!("{}:{n}: {link}", page.display());
            if !root.join(&file).exists() {
                found.push(format!("{here}: no such file"));
            } else if !anchor.is_empty() && !anchors(&read(&root.join(&file))?).contains(&anchor) {
                found.push(format!("{here}: no such heading"));
            }
        }
    }
    Ok(found)
}

/// The pages of the book, in order, relative to the root: those of docs/SUMMARY.md.
pub fn book(root: &Path) -> Result<Vec<PathBuf>, String> {
    let summary = Path::new("docs/SUMMARY.md");
    let text = read(&root.join(summary))?;
    let lines = text.lines().flat_map(|line| targets(line).into_iter().map(|range| line[range].to_string()));
    Ok(lines.filter_map(|link| destination(summary, &link).map(|(file, _)| file)).collect())
}

/// Fails if a link between pages has no target, or a page of docs is not in the book.
pub fn links() -> Outcome {
    let root = root();
    let pages = files(&root, Path::new(""), "md");
    let mut found = Vec::new();
    for page in &pages {
        found.extend(broken(&root, page)?);
    }
    let book = book(&root)?;
    let missing = pages
        .iter()
        .filter(|page| page.starts_with("docs") && !book.contains(page) && !page.ends_with("SUMMARY.md"));
    found.extend(missing.map(|page| format!("{} is not in docs/SUMMARY.md", page.display())));
    if found.is_empty() { Ok(()) } else { Err(found.join("\n        ")) }
}

/// Fails if ARCHITECTURE.md names a file or function that does not exist, or other dependencies than the manifests.
pub fn architecture() -> Outcome {
    let root = root();
    let text = read(&root.join("ARCHITECTURE.md"))?;
    let mut found = missing_files(&root, &text);
    found.extend(missing_functions(&root, &text));
    let packages = workspace::packages(&root)?;
    found.extend(wrong_dependencies(&root, &text, &packages));
    found.extend(wrong_layers(&root, &text, &packages));
    if found.is_empty() { Ok(()) } else { Err(found.join("\n        ")) }
}

/// Whether a code span names a file of the repository.
fn is_path(span: &str) -> bool {
    let first = span.split('/').next().unwrap_or_default();
    let is_ours = ["crates", "bindings", "compat", "docs", "examples", "lab", "xtask"].contains(&first);
    is_ours && span.contains('/') && !span.contains(['*', ' ', '<']) && !span.contains("NAME")
}

fn missing_files(root: &Path, text: &str) -> Vec<String> {
    let spans =
        prose_lines(text).into_iter().flat_map(|(n, line)| code_spans(line).map(move |span| (n, span)));
    let missing = spans.filter(|(_, span)| is_path(span) && !root.join(span).exists());
    missing.map(|(n, span)| format!("ARCHITECTURE.md:{n}: there is no {span}")).collect()
}

/// In the numbered items, `Type::function` must be in one of the files that the item names.
fn missing_functions(root: &Path, text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for (_, line) in prose_lines(text) {
        let number = line.split_once(". ").is_some_and(|(n, _)| n.parse::<u32>().is_ok());
        match items.last_mut() {
            _ if number => items.push(line.into()),
            Some(item) if line.starts_with("   ") => *item += &format!(" {line}"),
            _ => {}
        }
    }
    let mut found = Vec::new();
    for item in items {
        let sources = code_spans(&item).filter(|span| is_path(span));
        let sources: String =
            sources.map(|span| fs::read_to_string(root.join(span)).unwrap_or_default()).collect();
        for (_, function) in code_spans(&item).filter_map(|span| span.split_once("::")) {
            if !function.contains("::") && !sources.is_empty() && !sources.contains(&format!("fn {function}"))
            {
                found.push(format!("ARCHITECTURE.md: no `{function}` in the files of: {item:.60}"));
            }
        }
    }
    found
}

/// The table of crates against the manifests.
fn wrong_dependencies(root: &Path, text: &str, packages: &[Package]) -> Vec<String> {
    let mut found = Vec::new();
    let mut rows = 0;
    for package in packages {
        let dir = package.dir.strip_prefix(root).unwrap_or(&package.dir).display().to_string();
        let Some(row) = text.lines().find(|line| line.starts_with(&format!("| `{dir}` |"))) else { continue };
        rows += 1;
        let last = row.trim_end_matches([' ', '|']).rsplit('|').next().unwrap_or_default();
        let reported: BTreeSet<&str> = code_spans(last).collect();
        let real: BTreeSet<&str> = package.ours.iter().map(|name| short(name)).collect();
        if reported != real {
            let real: Vec<String> = real.iter().map(|name| format!("`{name}`")).collect();
            found.push(format!("ARCHITECTURE.md: {dir} depends on {}", real.join(", ")));
        }
    }
    if rows < 30 {
        found.push(format!("ARCHITECTURE.md: {rows} rows of crates"));
    }
    found
}

/// The name of a package in ARCHITECTURE.md.
fn short(name: &str) -> &str {
    name.trim_start_matches("saltus-")
}

/// The rows of crates, the first block of the section: each crate must be in one, and depend only on those below it.
fn wrong_layers(root: &Path, text: &str, packages: &[Package]) -> Vec<String> {
    let block =
        text.split("## Crates").nth(1).and_then(|section| section.split("```").nth(1)).unwrap_or_default();
    let is_in = |line: &str, name: &str| line.split([' ', '/']).any(|word| word == name);
    let row = |name: &str| block.lines().skip(1).position(|line| is_in(line, short(name)));
    let mut found = Vec::new();
    for package in packages {
        let name = &package.name;
        match row(name) {
            Some(own) => {
                let above = package.ours.iter().filter(|needed| row(needed).is_some_and(|row| row <= own));
                found.extend(above.map(|needed| format!("ARCHITECTURE.md: {name} is not above {needed}")));
            }
            None if package.dir.starts_with(root.join("crates")) => {
                found.push(format!("ARCHITECTURE.md: {name} is in no row of crates"));
            }
            None => {}
        }
    }
    found
}

/// A page of the book for the copy: links to files that are not in the book become plain text.
pub fn for_book(page: &Path, text: &str, book: &[PathBuf]) -> String {
    let prose: BTreeSet<usize> = prose_lines(text).into_iter().map(|(n, _)| n).collect();
    let mut copy = String::new();
    for (n, line) in text.lines().enumerate() {
        let mut line = line.to_string();
        if prose.contains(&(n + 1)) {
            for range in targets(&line).into_iter().rev() {
                let is_link = line[..range.start].ends_with("](");
                let outside = destination(page, &line[range.clone()])
                    .is_some_and(|(file, _)| !book.contains(&file) && !file.starts_with("docs"));
                let Some(open) = line[..range.start].rfind('[').filter(|_| is_link && outside) else {
                    continue;
                };
                let label = line[open + 1..range.start - 2].to_string();
                line.replace_range(open..range.end + 1, &label);
            }
        }
        copy += &line;
        copy.push('\n');
    }
    copy
}

/// Writes a file and the directories above it.
pub fn write(path: &Path, text: &str) -> Outcome {
    if let Some(dir) = path.parent() {
        fs::create_dir_all(dir).map_err(failed(dir))?;
    }
    fs::write(path, text).map_err(failed(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_the_anchors_that_links_use() {
        let text = "# How *large*, how deep\n```\n# a comment\n```\n## `shm://`\n## `shm://`\n## [A](b.md) c\n#include\n";
        let anchors = anchors(text);
        let wanted = ["how-large-how-deep", "shm", "shm-1", "a-c"];
        assert_eq!(anchors, wanted.iter().map(|id| id.to_string()).collect());
    }

    #[test]
    fn links_in_code_are_ignored() {
        let line = "a [b](c.md#d), `[x](y)` and <img src=\"e.png\">";
        let found: Vec<&str> = targets(line).into_iter().map(|range| &line[range]).collect();
        assert_eq!(found, ["c.md#d", "e.png"]);
        assert_eq!(destination(Path::new("docs/a.md"), "../b.md#c"), Some(("b.md".into(), "c".into())));
        assert_eq!(destination(Path::new("docs/a.md"), "#c"), Some(("docs/a.md".into(), "c".into())));
        assert_eq!(destination(Path::new("a.md"), "https://a.b/c"), None);
    }

    #[test]
    fn broken_links_and_orphans_are_found() {
        let dir = std::env::temp_dir().join(format!("saltus-pages-{}", std::process::id()));
        write(&dir.join("docs/a.md"), "# A\n[b](b.md#b) [c](c.md) [d](b.md#d)\n").unwrap();
        write(&dir.join("docs/b.md"), "# B\n").unwrap();
        let found = broken(&dir, Path::new("docs/a.md")).unwrap();
        fs::remove_dir_all(&dir).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("c.md: no such file") && found[1].contains("b.md#d: no such heading"));
    }

    #[test]
    fn a_link_out_of_the_book_becomes_its_text() {
        let text = "see [the code](../crates/a.rs) and [b](b.md)\n```\n[c](../c.rs)\n```\n";
        let copy = for_book(Path::new("docs/a.md"), text, &["docs/b.md".into()]);
        assert_eq!(copy, "see the code and [b](b.md)\n```\n[c](../c.rs)\n```\n");
    }

    #[test]
    fn a_missing_function_or_file_named_in_architecture_is_found() {
        let root = root();
        let text =
            "1. `xtask/src/pages.rs`: `Pages::links`, then `Pages::vanished`.\n2. `xtask/src/gone.rs`\n";
        assert_eq!(missing_functions(&root, text).len(), 1);
        assert_eq!(missing_files(&root, text).len(), 1);
    }

    #[test]
    fn a_crate_not_above_its_dependencies_is_found() {
        let package = |name: &str, ours: &[&str]| Package {
            name: name.into(),
            ours: ours.iter().map(|name| name.to_string()).collect(),
            ..Package::new(Path::new("/r/crates/x"))
        };
        let packages = [package("saltus-top", &["saltus-low"]), package("saltus-low", &[])];
        let layers = |rows: &str| {
            wrong_layers(Path::new("/r"), &format!("## Crates\n```text\n{rows}```\n"), &packages)
        };
        assert_eq!(layers(" a  top\n b  low\n"), Vec::<String>::new());
        assert_eq!(layers(" a  top low\n").len(), 1);
        assert_eq!(layers(" a  low\n b  top\n").len(), 1);
        assert_eq!(layers(" a  low\n").len(), 1);
    }
}
