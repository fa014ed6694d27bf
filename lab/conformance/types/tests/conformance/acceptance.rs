//! Our parser accepts what LCM's generator accepts, with the same hashes.

use crate::{directory, expect_none, extent, seed};
use saltus_conformance_types::oracle::{self, Verdict};
use saltus_conformance_types::rng::Rng;
use saltus_conformance_types::{odd_texts, tools};
use saltus_types::{Loader, Severity};
use std::path::Path;

/// What we refuse although LCM's generator accepts it, by our messages. Its output for each does not compile, or is
/// not what was written.
const REFUSED_ON_PURPOSE: [&str; 9] = [
    "there is no type",
    "contains itself",
    // A field as its own size, which is looked up before it is declared.
    "before this array",
    // `3abc`, `1e3`: LCM uses only the first digits.
    "is not a whole number",
    "is not a number",
    // Negative constants as sizes, numbers that wrap around.
    "cannot be the size of an array",
    "this array is too large",
    // LCM silently drops everything after `/*`.
    "a comment that does not end",
    // `struct .a_t` and `struct a_t.`, which no language can represent.
    "a dot must be between two names",
];

/// A warning, because we interpret it differently: `x//c` is one name to LCM.
const READ_ON_PURPOSE: &str = "treats it as part of the name";

/// The result for a text.
enum Found {
    /// LCM's generator refuses it; ours may accept more.
    Refused,
    /// Both accept it, with the same hashes.
    Same,
    /// Only LCM's generator accepts it, or it interprets it differently, on purpose.
    OnPurpose,
    /// They disagree.
    Other(String),
}

fn check(path: &Path, text: &str) -> Found {
    tools::write(path, text).unwrap_or_else(|why| panic!("{why}"));
    let Verdict::Accepted(theirs) = oracle::verdict(path).unwrap_or_else(|why| panic!("{why}")) else {
        return Found::Refused;
    };
    match Loader::new().text(path, text).load() {
        Err(printed) => {
            let errors = printed.list.iter().filter(|d| d.severity == Severity::Error);
            let unmeant = errors.filter(|d| {
                let printed = format!("{} {}", d.message, d.label);
                !REFUSED_ON_PURPOSE.iter().any(|words| printed.contains(words))
            });
            if unmeant.count() == 0 || has_brace_in_name(path, text) {
                Found::OnPurpose
            } else {
                Found::Other(format!("refused: {text}\n{printed}"))
            }
        }
        Ok(loaded) => {
            let ours: Vec<u64> = loaded.schema.structs().iter().map(|s| s.base_hash).collect();
            let theirs: Vec<u64> = theirs.iter().map(|(_, hash)| *hash).collect();
            let warned = loaded.warnings.to_string().contains(READ_ON_PURPOSE);
            match ours == theirs {
                true => Found::Same,
                false if warned => Found::OnPurpose,
                false => Found::Other(format!("other hashes: {text}\n{ours:016x?}\n{theirs:016x?}")),
            }
        }
    }
}

/// Whether LCM's generator treats a brace as part of a name. We do not, so we accept `struct a_t{`. With blanks
/// around its braces it refuses the text itself.
fn has_brace_in_name(path: &Path, text: &str) -> bool {
    let apart = text.replace('{', " { ").replace('}', " } ");
    tools::write(path, &apart).unwrap_or_else(|why| panic!("{why}"));
    matches!(oracle::verdict(path), Ok(Verdict::Refused))
}

/// Compares all texts; returns how many both accept.
fn compare(name: &str, texts: impl Iterator<Item = String>) -> usize {
    let path = directory("texts").join(name);
    let (mut complaints, mut same, mut refused, mut on_purpose) = (Vec::new(), 0, 0, 0);
    for text in texts {
        match check(&path, &text) {
            Found::Refused => refused += 1,
            Found::Same => same += 1,
            Found::OnPurpose => on_purpose += 1,
            Found::Other(why) => complaints.push(why),
        }
    }
    expect_none(&complaints);
    println!(
        "{name}: {same} texts are read the same, {on_purpose} otherwise on purpose, {refused} LCM refuses"
    );
    same
}

#[test]
fn odd_texts_by_hand_are_read_as_lcm_reads_them() {
    let same = compare("by-hand.lcm", odd_texts::BY_HAND.iter().map(|text| text.to_string()));
    assert!(same > 20);
}

#[test]
fn odd_texts_at_random_are_read_as_lcm_reads_them() {
    let mut rng = Rng::new(seed());
    let count = extent().odd_texts;
    let same = compare("random.lcm", (0..count).map(|_| odd_texts::random(&mut rng)));
    assert!(same > count / 4, "most texts should have content");
}
