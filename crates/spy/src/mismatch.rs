//! How types differ that should be the same.

use saltus_log::Kind;
use saltus_types::diff::diff;
use std::sync::Arc;

/// Differences that are told.
const MOST: usize = 8;

/// What messages of a type begin with, as digits.
pub(crate) fn digits(key: [u8; 8]) -> String {
    format!("{:016x}", u64::from_be_bytes(key))
}

/// In words, what is different in `new`.
pub(crate) fn differences(old: &Kind, new: &Kind) -> String {
    let changes = diff(old.schema(), old.id(), new.schema(), new.id());
    let all: Vec<String> = changes.iter().filter(|c| c.alters_fingerprint()).map(|c| c.to_string()).collect();
    match all.len() {
        0 if old.name() == new.name() && old.encoding() != new.encoding() => {
            format!("encoded as {} and as {}", old.encoding(), new.encoding())
        }
        0 => "nothing but the name differs".into(),
        n if n > MOST => format!("{}; and {} more", all[..MOST].join("; "), n - MOST),
        _ => all.join("; "),
    }
}

/// What a channel with messages of two types says.
pub(crate) fn two(first: Option<&Arc<Kind>>, second: Option<&Arc<Kind>>, keys: [[u8; 8]; 2]) -> String {
    let name = |kind: Option<&Arc<Kind>>, key: [u8; 8]| match kind {
        Some(kind) => kind.name(),
        None => format!("an unknown type ({})", digits(key)),
    };
    let names = format!("both {} and {} come", name(first, keys[0]), name(second, keys[1]));
    match (first, second) {
        (Some(first), Some(second)) => format!("{names}: {}", differences(first, second)),
        _ => names,
    }
}

/// What a channel says whose type is another than the one of that name in the folders of types.
pub(crate) fn local(local: &Kind, published: &Kind) -> String {
    format!("{} is another in your type files: there, {}", published.name(), differences(published, local))
}
