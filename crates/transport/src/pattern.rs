//! Patterns: which channels a subscriber receives.

use crate::{Error, Result};
use regex::bytes::Regex;
use saltus_channel::Name;
use saltus_net::tcpq::full_match;

/// One channel by its name, or all whose whole name a regular expression matches.
///
/// ```
/// use saltus_transport::Pattern;
/// let arms = Pattern::regex("ARM_(LEFT|RIGHT)").unwrap();
/// assert!(arms.matches(b"ARM_LEFT") && !arms.matches(b"ARM_LEFT_2"));
/// assert!(Pattern::name("a.b").unwrap().matches(b"a.b") && !Pattern::name("a.b").unwrap().matches(b"axb"));
/// ```
#[derive(Clone, Debug)]
pub struct Pattern(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Name(Name),
    /// Compiled to match whole names, and its original text.
    Regex(Regex, Box<str>),
    All,
}

/// Most memory for a compiled expression, which may come from the network.
const MOST_BYTES: usize = 1 << 20;

impl Pattern {
    /// The channel of exactly this name, 1 to 63 bytes.
    pub fn name(name: impl AsRef<[u8]>) -> Result<Pattern> {
        Ok(Pattern(Kind::Name(Name::new(name)?)))
    }
    /// All channels whose whole name `expression` matches, in the syntax of the `regex` crate.
    ///
    /// LCM anchors without a group, so that its `A|B` also matches `Axx`; here it matches only `A` and `B`.
    pub fn regex(expression: &str) -> Result<Pattern> {
        let bad = |e| Error::invalid(format!("`{expression}` is not a regular expression: {e}"));
        let whole = full_match(expression, MOST_BYTES).map_err(bad)?;
        Ok(Pattern(Kind::Regex(whole, expression.into())))
    }
    /// All channels.
    pub fn all() -> Pattern {
        Pattern(Kind::All)
    }

    /// Whether the pattern names this channel.
    #[inline]
    pub fn matches(&self, name: impl AsRef<[u8]>) -> bool {
        match &self.0 {
            Kind::Name(own) => own.as_bytes() == name.as_ref(),
            Kind::Regex(regex, _) => regex.is_match(name.as_ref()),
            Kind::All => true,
        }
    }
    /// The pattern as an expression for other programs, which must match whole names with it.
    pub fn expression(&self) -> Vec<u8> {
        match &self.0 {
            Kind::Name(name) => {
                let special = |b: &u8| br"\.^$*+?()[]{}|".contains(b);
                let signs = name.as_bytes().iter();
                signs.flat_map(|b| special(b).then_some(b'\\').into_iter().chain([*b])).collect()
            }
            Kind::Regex(_, text) => text.as_bytes().into(),
            Kind::All => b".*".into(),
        }
    }
    /// The name, if the pattern is a name.
    #[inline]
    pub fn exact(&self) -> Option<&Name> {
        match &self.0 {
            Kind::Name(name) => Some(name),
            Kind::Regex(..) | Kind::All => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_matches_whole_names_only() {
        let p = |e: &str| Pattern::regex(e).unwrap();
        assert!(p("A|B").matches(b"A") && p("A|B").matches(b"B"));
        assert!(!p("A|B").matches(b"Axxx") && !p("A|B").matches(b"xxxB"));
        assert!(!p("A").matches(b"A\n") && p(".*").matches(b"any thing"));
        assert!(Pattern::all().matches(b"\xff\n\x00"));
        assert!(p("(?x) A # a comment").matches(b"A"));
        assert!(p("A").exact().is_none() && Pattern::name("A").unwrap().exact().is_some());
    }

    #[test]
    fn a_pattern_is_sent_to_peers_as_an_expression() {
        assert_eq!(Pattern::name("a.b_c-1|").unwrap().expression(), br"a\.b_c-1\|");
        assert_eq!(Pattern::regex("A|B").unwrap().expression(), b"A|B");
        assert_eq!(Pattern::all().expression(), b".*");
    }

    #[test]
    fn an_invalid_expression_is_refused_in_words() {
        for bad in ["(", "a)(b", "[z-a]", "(?:a{1000}){1000}"] {
            let text = Pattern::regex(bad).unwrap_err().to_string();
            assert!(text.contains(bad), "{text}");
        }
    }
}
