//! Checks the words of pages and messages: retired ones, numbers of system errors, and misspelt ones.

use crate::pages::{files, prose_lines, without_code};
use crate::run::{Outcome, output, read, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The spelling checker from PyPI, and its version.
const CODESPELL: &str = "codespell==2.4.1";

/// American spelling is checked in pages; these are in messages of programs that pages quote.
const BRITISH: &str = "metres,grey";

/// A retired word, and what to write instead.
#[derive(Debug, PartialEq)]
struct Retired {
    word: String,
    /// Longer words that begin with it are retired too.
    begins: bool,
    instead: String,
}

/// Words that are refused in the same places.
#[derive(Debug, Default)]
struct Section {
    places: Vec<String>,
    words: Vec<Retired>,
}

/// Parses the list; xtask/words.txt describes its format.
fn sections(text: &str) -> Result<Vec<Section>, String> {
    let mut all: Vec<Section> = Vec::new();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines {
        if let Some(places) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            if all.last().is_none_or(|section| !section.words.is_empty()) {
                all.push(Section::default());
            }
            if let Some(section) = all.last_mut() {
                section.places.extend(places.split_whitespace().map(String::from));
            }
            continue;
        }
        let (word, instead) =
            line.split_once(" -> ").ok_or(format!("xtask/words.txt: no ` -> ` in: {line}"))?;
        let section = all.last_mut().ok_or(format!("xtask/words.txt: no places before: {line}"))?;
        let (word, begins) = (word.trim_end_matches('*').to_lowercase(), word.ends_with('*'));
        section.words.push(Retired { word, begins, instead: instead.into() });
    }
    Ok(all)
}

/// The files of a place.
fn of_place(root: &Path, place: &str) -> Vec<PathBuf> {
    match place.strip_suffix("/*.rs") {
        Some(dir) => files(root, Path::new(dir), "rs"),
        None if root.join(place).is_dir() => files(root, Path::new(place), "md"),
        None => vec![place.into()],
    }
}

/// Text to search: lower case, with each space or line end as one space; and the line of each byte.
#[derive(Default)]
struct Prose {
    text: String,
    lines: Vec<usize>,
}

impl Prose {
    fn add(&mut self, line: usize, text: &str) {
        for c in text.to_lowercase().chars().chain([' ']) {
            if c.is_whitespace() && self.text.ends_with(' ') {
                continue;
            }
            self.text.push(if c.is_whitespace() { ' ' } else { c });
            self.lines.resize(self.text.len(), line);
        }
    }

    /// The lines that contain a word.
    fn find(&self, retired: &Retired) -> Vec<usize> {
        let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
        let found = self.text.match_indices(&retired.word).filter(|(at, word)| {
            let after = self.text[at + word.len()..].chars().next();
            !is_part(self.text[..*at].chars().next_back()) && (retired.begins || !is_part(after))
        });
        found.map(|(at, _)| self.lines[at]).collect()
    }
}

/// The text of a page outside of code, or of a Rust source in `///` comments and strings.
fn prose(path: &Path, text: &str) -> Prose {
    let mut prose = Prose::default();
    if path.extension().is_none_or(|extension| extension != "rs") {
        prose_lines(text).into_iter().for_each(|(n, line)| prose.add(n, &without_code(line)));
        return prose;
    }
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    for (n, line) in code.lines().enumerate() {
        match line.trim_start().strip_prefix("///") {
            Some(comment) => prose.add(n + 1, &without_code(comment)),
            None => line.split('"').skip(1).step_by(2).for_each(|string| prose.add(n + 1, string)),
        }
    }
    prose
}

/// Fails if a retired word is in a place where the list refuses it.
pub fn retired() -> Outcome {
    let root = root();
    let mut found = Vec::new();
    for section in sections(&read(&root.join("xtask/words.txt"))?)? {
        for path in section.places.iter().flat_map(|place| of_place(&root, place)) {
            let prose = prose(&path, &read(&root.join(&path))?);
            for retired in &section.words {
                let lines = prose.find(retired).into_iter();
                found.extend(lines.map(|line| {
                    format!("{}:{line}: `{}`; write: {}", path.display(), retired.word, retired.instead)
                }));
            }
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found.join("\n        ")) }
}

/// Fails if a page has the number of a system error where a message has the reason.
pub fn system_errors() -> Outcome {
    let root = root();
    let mut found = Vec::new();
    for page in files(&root, Path::new(""), "md") {
        let text = read(&root.join(&page))?;
        let lines = text.lines().enumerate().filter(|(_, line)| line.contains("(os error "));
        found.extend(lines.map(|(n, line)| format!("{}:{}: {}", page.display(), n + 1, line.trim())));
    }
    if found.is_empty() { Ok(()) } else { Err(found.join("\n        ")) }
}

/// Fails if a word is misspelt anywhere in the repository, or not in American spelling in a page.
pub fn spelling() -> Outcome {
    let codespell = codespell()?;
    let run = |args: &[&str]| {
        let mut command = Command::new(&codespell);
        let found = output(command.args(["--config", "xtask/codespell.cfg"]).args(args)).map(drop);
        // Its output, without the command line, which contains all pages.
        found.map_err(|why| why.rsplit("codespell.cfg\n").next().unwrap_or(&why).trim().to_string())
    };
    run(&["."])?;
    let root = root();
    let pages = files(&root, Path::new(""), "md");
    let pages: Vec<&str> = pages.iter().filter_map(|page| page.to_str()).collect();
    run(&[&["--builtin", "en-GB_to_en-US", "--ignore-words-list", BRITISH], &pages[..]].concat())
}

/// The spelling checker, which is installed into target/tools if necessary.
fn codespell() -> Result<PathBuf, String> {
    let tools = root().join("target/tools/codespell");
    let program = tools.join("bin/codespell");
    let wanted = CODESPELL.rsplit('=').next().unwrap_or_default();
    let is_there = program.is_file()
        && output(Command::new(&program).arg("--version")).is_ok_and(|version| version.trim() == wanted);
    if !is_there {
        output(Command::new("python3").args(["-m", "venv"]).arg(&tools)).map_err(|why| {
            format!("{why}; the spelling checker needs Python's venv: apt install python3-venv")
        })?;
        output(Command::new(tools.join("bin/pip")).args(["install", "--quiet", CODESPELL]))?;
    }
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retired_word(word: &str) -> Retired {
        let list = format!("[a b/*.rs]\n{word} -> that\n");
        sections(&list).unwrap().remove(0).words.remove(0)
    }

    #[test]
    fn a_retired_word_is_found_across_lines_and_not_in_code() {
        let page = "He is told\nof it. `is told of`\n```\nis told of\n```\nThis told of\n";
        let prose = prose(Path::new("a.md"), page);
        assert_eq!(prose.find(&retired_word("is told of")), [1]);
        assert_eq!(prose.find(&retired_word("told of")), [1, 6]);
        assert_eq!(prose.find(&retired_word("tol")), [0; 0]);
        assert_eq!(prose.find(&retired_word("tol*")).len(), 2);
    }

    #[test]
    fn of_a_source_comments_of_items_and_strings_count() {
        let source = "//! anew\n/// Opens anew.\nlet anew = 1; // anew\nfail(\"open it anew\");\n#[cfg(test)]\n\"anew\"";
        assert_eq!(prose(Path::new("a.rs"), source).find(&retired_word("anew")), [2, 4]);
    }

    #[test]
    fn a_list_that_cannot_be_read_is_an_error() {
        assert!(sections("word -> that\n").is_err());
        assert!(sections("[a]\nword\n").is_err());
        let list = sections("# x\n[a b]\n[c]\nW* -> that\n[d]\nX -> that\n").unwrap();
        assert_eq!(
            (&list[0].places[..], &list[1].places[..]),
            (&["a", "b", "c"].map(String::from)[..], &["d".to_string()][..])
        );
    }
}
