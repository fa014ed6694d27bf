//! Differences between types that should be the same.

use saltus_log::Kind;
use saltus_types::diff::diff;
use std::sync::Arc;

/// Most differences that are listed.
const MOST: usize = 8;

/// The type key as digits.
pub(crate) fn digits(key: [u8; 8]) -> String {
    format!("{:016x}", u64::from_be_bytes(key))
}

/// The differences of `new`, in words.
pub(crate) fn differences(old: &Kind, new: &Kind) -> String {
    let changes = diff(old.schema(), old.id(), new.schema(), new.id());
    let all: Vec<String> = changes.iter().filter(|c| c.alters_fingerprint()).map(|c| c.to_string()).collect();
    match all.len() {
        0 if old.name() == new.name() && old.encoding() != new.encoding() => {
            format!("encoded as {} and as {}", old.encoding(), new.encoding())
        }
        0 => "only the name differs".into(),
        n if n > MOST => format!("{}; and {} more", all[..MOST].join("; "), n - MOST),
        _ => all.join("; "),
    }
}

/// The warning for a channel with messages of two types.
pub(crate) fn two(first: Option<&Arc<Kind>>, second: Option<&Arc<Kind>>, keys: [[u8; 8]; 2]) -> String {
    let name = |kind: Option<&Arc<Kind>>, key: [u8; 8]| match kind {
        Some(kind) => kind.name(),
        None => format!("an unknown type ({})", digits(key)),
    };
    let names = format!("both {} and {} arrive", name(first, keys[0]), name(second, keys[1]));
    match (first, second) {
        (Some(first), Some(second)) => format!("{names}: {}", differences(first, second)),
        _ => names,
    }
}

/// The warning for a channel whose type differs from the one of that name in the type directories.
pub(crate) fn local(local: &Kind, published: &Kind) -> String {
    format!("{} differs in your type files: there, {}", published.name(), differences(published, local))
}
