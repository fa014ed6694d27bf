//! Shell-like patterns over the bytes of a channel name.
//!
//! `*` matches any bytes, `/` too; `?` one byte; `[a-z]` one byte of a set, `[!a-z]` one byte outside it; a backslash makes the byte after
//! it ordinary, and `\xHH`, `\n`, `\r` and `\t` are the bytes that the tools print that way. A `[` without its `]` is an ordinary byte.
//! Matching takes at most pattern × name steps for any input.

use crate::escape::escape_sequence;

/// A compiled pattern.
pub struct Pattern {
    parts: Vec<Part>,
}

enum Part {
    Byte(u8),
    Any,
    Many,
    Set { negated: bool, ranges: Vec<(u8, u8)> },
}

impl Pattern {
    /// Compiles a pattern. Every byte string is valid.
    pub fn new(text: &[u8]) -> Pattern {
        let mut parts = Vec::new();
        let mut rest = text;
        while let [first, tail @ ..] = rest {
            let (part, after) = match first {
                b'*' => (Part::Many, tail),
                b'?' => (Part::Any, tail),
                b'[' => set(tail).unwrap_or((Part::Byte(b'['), tail)),
                b'\\' => {
                    let (byte, after) = quoted(tail);
                    (Part::Byte(byte), after)
                }
                byte => (Part::Byte(*byte), tail),
            };
            parts.push(part);
            rest = after;
        }
        Pattern { parts }
    }

    /// Whether the text has special characters, so that it is more than a name.
    pub fn is_one(text: &[u8]) -> bool {
        text.iter().any(|b| b"*?[\\".contains(b))
    }

    /// Whether the pattern matches the whole name.
    pub fn matches(&self, name: &[u8]) -> bool {
        let (mut part, mut at) = (0, 0);
        // The position to continue from after a mismatch: the last `*`, matching one more byte.
        let mut retry: Option<(usize, usize)> = None;
        loop {
            match (self.parts.get(part), name.get(at)) {
                (None, None) => return true,
                (Some(Part::Many), _) => {
                    part += 1;
                    retry = Some((part, at));
                }
                (Some(one), Some(byte)) if one.takes(*byte) => {
                    part += 1;
                    at += 1;
                }
                _ => match retry {
                    Some((after_star, from)) if from < name.len() => {
                        retry = Some((after_star, from + 1));
                        (part, at) = (after_star, from + 1);
                    }
                    _ => return false,
                },
            }
        }
    }
}

impl Part {
    fn takes(&self, byte: u8) -> bool {
        match self {
            Part::Byte(own) => *own == byte,
            Part::Any => true,
            Part::Many => false,
            Part::Set { negated, ranges } => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&byte)) != *negated
            }
        }
    }
}

/// The byte that an escape stands for. A backslash at the end stands for itself.
fn quoted(text: &[u8]) -> (u8, &[u8]) {
    match (escape_sequence(text), text) {
        (Some(sequence), _) => sequence,
        (None, [byte, rest @ ..]) => (*byte, rest),
        (None, []) => (b'\\', text),
    }
}

/// The set after a `[`, and the rest after its `]`; `None` if there is no `]`.
fn set(text: &[u8]) -> Option<(Part, &[u8])> {
    let (negated, mut rest) = match text {
        [b'!' | b'^', rest @ ..] => (true, rest),
        _ => (false, text),
    };
    let mut ranges = Vec::new();
    loop {
        rest = match rest {
            [b']', after @ ..] if !ranges.is_empty() => return Some((Part::Set { negated, ranges }, after)),
            [] => return None,
            _ => rest,
        };
        let (low, after) = set_byte(rest)?;
        let (high, after) = match after {
            [b'-', end, ..] if *end != b']' => set_byte(&after[1..])?,
            _ => (low, after),
        };
        ranges.push((low, high));
        rest = after;
    }
}

fn set_byte(text: &[u8]) -> Option<(u8, &[u8])> {
    match text {
        [b'\\', rest @ ..] if !rest.is_empty() => Some(quoted(rest)),
        [byte, rest @ ..] => Some((*byte, rest)),
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;

    fn fits(pattern: &[u8], name: &[u8]) -> bool {
        Pattern::new(pattern).matches(name)
    }

    #[test]
    fn a_star_matches_slashes_too() {
        assert!(fits(b"*", b"robot/arm.left"));
        assert!(fits(b"robot*left", b"robot/arm.left"));
        assert!(fits(b"*", b""));
        assert!(!fits(b"robot*right", b"robot/arm.left"));
    }

    #[test]
    fn escapes_name_any_byte() {
        assert!(fits(b"\\*", b"*"));
        assert!(!fits(b"\\*", b"a"));
        assert!(fits(b"a\\x00\\xFF", b"a\x00\xff"));
        assert!(fits(b"[\\x00-\\x1f]", b"\n"));
        assert!(fits(b"\\n", b"\n"));
    }

    /// Compares every pattern of up to five characters, from an alphabet of all special characters, with every short name.
    #[cfg(unix)]
    #[test]
    fn the_same_as_fnmatch_of_the_c_library() {
        let names: Vec<Vec<u8>> = (0..=3).flat_map(|n| strings(b"a/]", n)).collect();
        let c_names: Vec<CString> = names.iter().map(|n| CString::new(n.clone()).unwrap()).collect();
        let (mut checked, mut matched) = (0, 0);
        for pattern in (0..=5).flat_map(|n| strings(b"a*?[]!-/", n)) {
            // A range such as `*-!` that runs backwards is an error to fnmatch and empty to us: neither matches.
            let ours = Pattern::new(&pattern);
            let c_pattern = CString::new(pattern.clone()).unwrap();
            for (name, c_name) in names.iter().zip(&c_names) {
                // SAFETY: both are strings that end with a zero byte, and fnmatch only reads them.
                let theirs = unsafe { libc::fnmatch(c_pattern.as_ptr(), c_name.as_ptr(), 0) } == 0;
                let (p, n) = (String::from_utf8_lossy(&pattern), String::from_utf8_lossy(name));
                assert_eq!(ours.matches(name), theirs, "pattern {p} and name {n}");
                checked += 1;
                matched += usize::from(theirs);
            }
        }
        assert!(checked > 1_000_000 && matched > 10_000, "{matched} of {checked} matched");
    }

    #[test]
    fn many_stars_stay_cheap() {
        assert!(!fits("*a".repeat(500).as_bytes(), "a".repeat(499).as_bytes()));
    }

    fn strings(alphabet: &[u8], length: usize) -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        for _ in 0..length {
            all = all
                .iter()
                .flat_map(|s| alphabet.iter().map(move |b| s.iter().chain([b]).copied().collect()))
                .collect();
        }
        all
    }
}
