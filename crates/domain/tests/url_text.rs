//! Programs do not use the text of a URL to decide what its domain can do: the table of schemes does that.

use regex::Regex;
use saltus_domain::SCHEMES;
use std::fs;
use std::path::{Path, PathBuf};

/// Where URLs are parsed: the URL's own module, the table, and the crate for shared memory only.
const READS_URLS: [&str; 3] =
    ["crates/transport/src/url.rs", "crates/domain/src/schemes.rs", "crates/channel/src/directory.rs"];

/// Code that makes a decision by the scheme of a URL.
fn tests_of_text() -> Regex {
    let names = SCHEMES.iter().map(|scheme| scheme.name).collect::<Vec<_>>().join("|");
    let url = format!(r#""({names})(:/*)?""#);
    let calls = format!(r#"(starts_with|ends_with|strip_prefix|split_once)\(\s*&?"({names}):"#);
    let lists = format!(r#"\[(\s*"({names}):/*"\s*,?)+\s*\]\s*\.\s*(contains|(into_)?iter\(\)\s*\.\s*any)"#);
    let matched = format!(r#"matches!\([^;{{}}]*{url}|{url}\s*(\||=>)"#);
    let compared = format!(r#"(==|!=)\s*"({names}):/*""#);
    Regex::new(&[calls, lists, matched, compared].join("|")).unwrap()
}

/// The Rust sources below `at`, except those of tests, but including the conformance suite of domains.
fn sources(at: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(at).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let skipped = ["target", "tests"].iter().any(|name| path.ends_with(name));
        match path.is_dir() {
            true if !skipped || path.ends_with("domain/tests") => sources(&path, found),
            false if path.extension().is_some_and(|e| e == "rs") => found.push(path),
            _ => {}
        }
    }
}

#[test]
fn the_text_of_a_url_decides_nothing() {
    let (root, tests, mut files) =
        (Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), tests_of_text(), vec![]);
    ["crates", "bindings", "examples", "lab"].iter().for_each(|part| sources(&root.join(part), &mut files));
    assert!(files.len() > 100, "the sources were found");
    let mut wrong = Vec::new();
    for file in files.iter().filter(|file| !READS_URLS.iter().any(|path| file.ends_with(path))) {
        let text = fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let line = |at: usize| code[..at].lines().count().max(1);
        wrong.extend(
            tests.find_iter(code).map(|m| format!("{}:{}: {}", file.display(), line(m.start()), m.as_str())),
        );
    }
    assert!(wrong.is_empty(), "read `Domain::traits` or `Scheme::of(url)` instead:\n{}", wrong.join("\n"));
}

#[test]
fn tests_of_text_are_found() {
    let tests = tests_of_text();
    for wrong in [
        r#"url.starts_with("shm:")"#,
        r#"["mem://", "memq://"].iter().any(|scheme| url.starts_with(scheme))"#,
        r#"if scheme == "udpm://" {"#,
        r#"match scheme { "udpm" | "mpudpm" => 1, _ => 2 }"#,
        r#"matches!(*name, "shm" | "mem")"#,
    ] {
        assert!(tests.is_match(wrong), "{wrong}");
    }
    assert!(!tests.is_match(r#"Domain::open("mem://")"#));
}
