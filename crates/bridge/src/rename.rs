//! Renaming channels with `sed` expressions.

use regex::bytes::{NoExpand, Regex};
use saltus_domain::{Error, Result};
use std::borrow::Cow;
use std::str::FromStr;

/// `s/EXPRESSION/REPLACEMENT/`, or with another separator than `/`; with a trailing `g`, all matches are replaced.
/// In the replacement, `\1` to `\9` stand for groups and `&` for the match.
///
/// ```
/// let rename: saltus_bridge::Rename = "s/^ARM_(.*)/left_\\1/".parse().unwrap();
/// assert_eq!(&*rename.apply(b"ARM_pose"), b"left_pose");
/// assert_eq!(&*rename.apply(b"base"), b"base");
/// ```
#[derive(Clone, Debug)]
pub struct Rename {
    expression: Regex,
    replacement: Vec<u8>,
    /// Whether the replacement contains no groups.
    literal: bool,
    all: bool,
}

impl Rename {
    /// The new name; the same name if the expression does not match.
    pub fn apply<'a>(&self, name: &'a [u8]) -> Cow<'a, [u8]> {
        let limit = if self.all { 0 } else { 1 };
        if self.literal {
            self.expression.replacen(name, limit, NoExpand(&self.replacement))
        } else {
            self.expression.replacen(name, limit, &self.replacement[..])
        }
    }
}

impl FromStr for Rename {
    type Err = Error;
    fn from_str(text: &str) -> Result<Rename> {
        let bad = |why: &str| Error::Invalid {
            what: format!("`{text}` is not a renaming: {why}; expected, for example, s/^ARM_/left_arm_/"),
        };
        let rest = text.strip_prefix('s').ok_or_else(|| bad("it does not begin with `s`"))?;
        let sign = rest.chars().next().filter(|c| !c.is_alphanumeric() && *c != '\\');
        let sign = sign.ok_or_else(|| bad("a separator such as `/` must follow the `s`"))?;
        let parts = split(&rest[sign.len_utf8()..], sign);
        let [expression, replacement, flags] = &parts[..] else {
            return Err(bad(&format!("it must have the separator `{sign}` three times")));
        };
        let all = match flags.as_str() {
            "" => false,
            "g" => true,
            _ => return Err(bad("only `g` may follow it")),
        };
        let expression = Regex::new(expression).map_err(|e| bad(&e.to_string()))?;
        let (replacement, groups) = expand(replacement);
        if groups >= expression.captures_len() {
            return Err(bad(&format!("the expression has no group {groups}")));
        }
        let literal = !replacement.contains(&b'$');
        Ok(Rename { expression, replacement, literal, all })
    }
}

/// The parts between unescaped separators; an escaped separator stands for itself.
fn split(text: &str, sign: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let part = parts.len() - 1;
        match c {
            '\\' => match chars.next() {
                Some(next) if next == sign => parts[part].push(next),
                Some(next) => parts[part].extend(['\\', next]),
                None => parts[part].push('\\'),
            },
            c if c == sign => parts.push(String::new()),
            c => parts[part].push(c),
        }
    }
    parts
}

/// Converts a `sed` replacement to the syntax of the `regex` crate; also returns the highest group in it.
fn expand(text: &str) -> (Vec<u8>, usize) {
    let (mut out, mut highest) = (String::new(), 0);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str("${0}"),
            '$' => out.push_str("$$"),
            '\\' => match chars.next() {
                Some(digit) if digit.is_ascii_digit() => {
                    out.push_str(&format!("${{{digit}}}"));
                    highest = highest.max(digit as usize - '0' as usize);
                }
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            c => out.push(c),
        }
    }
    (out.into_bytes(), highest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_changed_as_sed_does() {
        for (rename, name, expected) in [
            ("s/A/B/", "AAA", "BAA"),
            ("s/A/B/g", "AAA", "BBB"),
            ("s|/|_|g", "/a/b", "_a_b"),
            (r"s/\/scan/scan/", "/scan", "scan"),
            (r"s/(.*)_(.*)/\2_\1/", "left_arm", "arm_left"),
            ("s/$/_raw/", "scan", "scan_raw"),
            ("s/scan/[&]/", "scan", "[scan]"),
            (r"s/scan/\&$1/", "scan", "&$1"),
            ("s/x//", "fox", "fo"),
        ] {
            let made: Rename = rename.parse().unwrap();
            assert_eq!(String::from_utf8_lossy(&made.apply(name.as_bytes())), expected, "{rename}");
        }
    }

    #[test]
    fn an_invalid_renaming_is_refused_in_words() {
        for (bad, word) in [
            ("", "begin with"),
            ("s", "separator"),
            ("sabac", "separator"),
            ("s/a/b", "three times"),
            ("s/a/b/x", "only `g`"),
            ("s/(/b/", "unclosed"),
            (r"s/a/\1/", "no group 1"),
        ] {
            let reported = bad.parse::<Rename>().unwrap_err().to_string();
            assert!(reported.contains(word), "{bad}: {reported}");
        }
    }
}
