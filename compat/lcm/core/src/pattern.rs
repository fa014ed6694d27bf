//! LCM's patterns: regular expressions in the syntax of PCRE, anchored without a group.

use fancy_regex::{Regex, RegexBuilder};
use saltus_domain::Pattern as Filter;
use std::ffi::CStr;

/// Most steps back while one name is matched. A pattern that needs more does not match.
const MOST_STEPS: usize = 100_000;

/// A pattern of channel names.
pub(crate) struct Pattern {
    text: String,
    /// `None`: the text has no special character, and is the name itself.
    regex: Option<Regex>,
}

impl Pattern {
    /// # Errors
    /// It is not UTF-8, or not an expression.
    pub fn new(text: &CStr) -> Result<Pattern, String> {
        let text = text.to_str().map_err(|_| format!("the pattern {text:?} is not UTF-8"))?;
        let regex = if text.contains(|c: char| r"\.^$*+?()[]{}|".contains(c)) {
            // As LCM composes it: `A|B` also matches `Axx` and `xxB`.
            let whole = RegexBuilder::new(&format!("^{text}$")).backtrack_limit(MOST_STEPS).build();
            Some(whole.map_err(|e| format!("`{text}` is not a regular expression: {e}"))?)
        } else {
            None
        };
        Ok(Pattern { text: text.into(), regex })
    }

    /// Whether it matches this channel. As in PCRE, its end is also before a final newline.
    pub fn matches(&self, channel: &[u8]) -> bool {
        let ends = [Some(channel), channel.strip_suffix(b"\n")];
        match &self.regex {
            None => ends.into_iter().flatten().any(|name| name == self.text.as_bytes()),
            Some(regex) => {
                let texts = ends.into_iter().flatten().filter_map(|name| std::str::from_utf8(name).ok());
                texts.into_iter().any(|name| regex.is_match(name).unwrap_or(false))
            }
        }
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// A pattern for Saltus that matches at least the same names. With `raw`, its text is passed on as it is, to peers that match whole
    /// names with it.
    pub fn filter(&self, raw: bool) -> Filter {
        if self.regex.is_none() {
            return Filter::name(&self.text).unwrap_or_else(|_| Filter::all());
        }
        let text = if raw || !self.text.contains('|') { self.text.clone() } else { self.whole() };
        Filter::regex(&text).unwrap_or_else(|_| Filter::all())
    }

    /// An expression that matches the same names as a whole.
    pub fn whole(&self) -> String {
        match self.regex {
            None => self.text.clone(),
            Some(_) if self.text.contains('|') => format!("(?s:.*)(?:^{}$)(?s:.*)", self.text),
            Some(_) => format!("(?:{})", self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;

    fn pattern(text: &str) -> Pattern {
        Pattern::new(&CString::new(text).unwrap()).unwrap()
    }

    #[test]
    fn a_pattern_is_anchored_as_lcm_does() {
        let alternatives = pattern("A|B");
        for name in ["A", "Axx", "B", "xxB", "B\n"] {
            assert!(alternatives.matches(name.as_bytes()), "{name}");
        }
        assert!(!alternatives.matches(b"xAx"));
        assert!(pattern("POSE").matches(b"POSE") && !pattern("POSE").matches(b"POSE2"));
        assert!(pattern("POSE.*").matches(b"POSE2") && !pattern("POSE.*").matches(b"MY_POSE"));
        assert!(!pattern(".*").matches(b"\xff"), "names must be UTF-8 for an expression");
        let but = pattern("(?!IMAGE).*");
        assert!(but.matches(b"POSE") && !but.matches(b"IMAGE_LEFT"));
        assert!(pattern("").matches(b"") && !pattern("").matches(b"A"));
    }

    #[test]
    fn what_saltus_receives_is_at_least_what_the_pattern_matches() {
        let names = ["A", "Axx", "B", "xxB", "xAx", "IMAGE", "a.b", "azb", "POSE_1", ""];
        for text in ["A|B", "A", "(A|B)", "a.b", "(?!IMAGE).*", "POSE_[0-9]", "", "A.*|.*B", ".*"] {
            for raw in [true, false] {
                let (pattern, filter) = (pattern(text), pattern(text).filter(raw));
                for name in names.iter().filter(|name| pattern.matches(name.as_bytes())) {
                    // A hub matches whole names: there LCM's own clients receive less too.
                    assert!(filter.matches(name) || raw && text.contains('|'), "{text} {name}");
                }
            }
        }
    }

    #[test]
    fn a_bad_pattern_is_named() {
        for bad in ["(", "[z-a]", "a)(b", "*"] {
            let why = Pattern::new(&CString::new(bad).unwrap()).err().unwrap_or_default();
            assert!(why.contains(bad), "{bad}: {why}");
        }
        assert!(Pattern::new(c"\xff").is_err());
    }

    #[test]
    fn an_expensive_pattern_ends() {
        assert!(!pattern("(a+)+\\1b").matches(&[b'a'; 63]));
    }
}
