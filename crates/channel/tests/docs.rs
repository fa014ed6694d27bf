//! Documentation checks: each method of the four main types has an example and a complete description of its own.

use std::fs;
use std::path::Path;

/// All source files below `dir`, as text.
fn sources(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries
        .flat_map(
            |path| {
                if path.is_dir() { sources(&path) } else { vec![fs::read_to_string(&path).unwrap()] }
            },
        )
        .collect()
}

#[test]
fn every_public_method_has_an_example() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut methods, mut without) = (0, Vec::new());
    for text in sources(&src) {
        let (mut inside, mut example) = (false, false);
        for line in text.lines() {
            if line.starts_with("impl") || line.starts_with('}') {
                let types = ["impl Directory {", "impl Channel {", "impl Publisher {", "impl Subscriber {"];
                inside = types.contains(&line);
            }
            match line.trim_start() {
                doc if doc.starts_with("///") => example |= doc.contains("```"),
                attribute if attribute.starts_with("#[") => {}
                method if inside && method.starts_with("pub fn ") => {
                    methods += 1;
                    if !std::mem::take(&mut example) {
                        without.push(method.to_string());
                    }
                }
                _ => example = false,
            }
        }
    }
    assert!(methods >= 57 && without.is_empty(), "{methods} methods, without an example: {without:#?}");
}

/// A reader must find the whole contract in one place.
#[test]
fn no_contract_is_that_of_another_place() {
    for name in ["os", "ring", "channel"] {
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
        for text in sources(&src) {
            for line in text.lines().map(str::trim_start).filter(|line| line.starts_with("///")) {
                let elsewhere =
                    ["/// As [`", "/// As for [`", "/// As there", "/// As above", "/// The same"];
                assert!(!elsewhere.iter().any(|words| line.starts_with(words)), "{name}: {line}");
            }
        }
    }
}
