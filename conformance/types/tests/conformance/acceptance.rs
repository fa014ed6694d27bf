//! What LCM's generator accepts, our parser accepts, with the same hashes.

use crate::{directory, expect_none, extent, seed};
use saltus_conformance_types::oracle::{self, Verdict};
use saltus_conformance_types::rng::Rng;
use saltus_conformance_types::{odd_texts, tools};
use saltus_types::Loader;

/// What we refuse though LCM's generator takes it, by our own words. What it makes of each does not compile, or is
/// not what was written.
const REFUSED_ON_PURPOSE: [&str; 12] = [
    "there is no type",
    "contains itself",
    // A field as its own size, which is looked up before it is declared.
    "before this array",
    // `3abc`, `1e3`
    "is not a whole number",
    "is not a number",
    // Negative constants as sizes, numbers that wrap around.
    "cannot be the size of an array",
    "the size of an array must be at least 1",
    "this array is too large",
    "is too large",
    // Braces that run into names.
    "expected",
    // `int64_t` constants saturate there.
    "does not fit into",
    // Quotes and operators that it skips over or takes into a name.
    "has no meaning here",
];

/// What we warn of, because we read it otherwise: `x//c` is one name to LCM.
const READ_ON_PURPOSE: &str = "takes it for a part of the name";

/// Nothing if both agree; else what they say.
fn disagreement(path: &std::path::Path, text: &str) -> Option<String> {
    tools::write(path, text).unwrap_or_else(|why| panic!("{why}"));
    let Verdict::Accepted(theirs) = oracle::verdict(path).unwrap_or_else(|why| panic!("{why}")) else {
        return None; // ours may accept more
    };
    match Loader::new().text(path, text).load() {
        Err(said) => {
            let said = said.to_string();
            let on_purpose = REFUSED_ON_PURPOSE.iter().any(|words| said.contains(words));
            (!on_purpose).then(|| format!("refused: {text}\n{said}"))
        }
        Ok(loaded) => {
            let ours: Vec<u64> = loaded.schema.structs().iter().map(|s| s.base_hash).collect();
            let theirs: Vec<u64> = theirs.iter().map(|(_, hash)| *hash).collect();
            let warned = loaded.warnings.to_string().contains(READ_ON_PURPOSE);
            (ours != theirs && !warned).then(|| format!("other hashes: {text}\n{ours:016x?}\n{theirs:016x?}"))
        }
    }
}

#[test]
fn odd_texts_by_hand_are_read_as_lcm_reads_them() {
    let path = directory("texts").join("by-hand.lcm");
    let complaints: Vec<String> =
        odd_texts::BY_HAND.iter().filter_map(|text| disagreement(&path, text)).collect();
    expect_none(&complaints);
}

#[test]
fn odd_texts_at_random_are_read_as_lcm_reads_them() {
    let path = directory("texts").join("random.lcm");
    let mut rng = Rng::new(seed());
    let texts = (0..extent().odd_texts).map(|_| odd_texts::random(&mut rng));
    let complaints: Vec<String> = texts.filter_map(|text| disagreement(&path, &text)).collect();
    expect_none(&complaints);
}
