//! Subscriptions of clients, as a hub matches them against channel names.

use super::EXPRESSION;
use regex::bytes::{Regex, RegexBuilder};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, meta};

/// Most memory of one compiled expression. Any client can send one.
const MOST_BYTES: usize = 256 << 10;
/// Most memory used for matching, shared by all expressions of a hub.
const SCRATCH: usize = 1 << 20;

/// Compiles `expression` so that it matches whole names only, in the syntax of the `regex` crate.
///
/// # Errors
/// An invalid expression, or one that needs more than `memory` bytes.
pub fn full_match(expression: &str, memory: usize) -> Result<Regex, regex::Error> {
    let compile = |text: &str| RegexBuilder::new(text).size_limit(memory).dfa_size_limit(memory).build();
    // Checked on its own first: the group added around it must not make `a)(b` well-formed.
    compile(expression)?;
    // It may end in a comment, `(?x) … # so`, which goes to the end of the line.
    compile(&format!("^(?:{expression})\\z")).or_else(|_| compile(&format!("^(?:{expression}\n)\\z")))
}

/// A subscription. Most are one name or everything, which cost only a comparison.
#[derive(Clone, Debug)]
pub struct Expression {
    text: Box<[u8]>,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    All,
    Name(Box<[u8]>),
    Regex(meta::Regex),
}

/// Temporary memory for matching. One is enough for all: it is prepared for each expression, so that expressions
/// need only their own memory.
#[derive(Debug, Default)]
pub(crate) struct Scratch(Option<meta::Cache>);

impl Expression {
    /// Compiles a client's expression.
    ///
    /// # Errors
    /// The reason in words.
    pub fn new(text: &[u8]) -> Result<Expression, String> {
        let shown = || String::from_utf8_lossy(text);
        if text.len() > EXPRESSION {
            return Err(format!(
                "an expression of {} bytes, where at most {EXPRESSION} are allowed",
                text.len()
            ));
        }
        let kind = match (text, literal(text)) {
            (b".*", _) => Kind::All,
            (_, Some(name)) => Kind::Name(name),
            _ => {
                let expression = std::str::from_utf8(text)
                    .map_err(|_| format!("expression `{}` is not valid UTF-8", shown()))?;
                let regex = compile(expression)
                    .map_err(|e| format!("`{expression}` is not a regular expression: {e}"))?;
                Kind::Regex(regex)
            }
        };
        Ok(Expression { text: text.into(), kind })
    }
    /// The expression as it was sent.
    pub fn text(&self) -> &[u8] {
        &self.text
    }
    /// Whether it is neither one name nor everything.
    pub fn is_costly(&self) -> bool {
        matches!(self.kind, Kind::Regex(_))
    }
    /// Bytes of memory in addition to its text.
    pub fn memory(&self) -> usize {
        match &self.kind {
            Kind::All => 0,
            Kind::Name(name) => name.len(),
            Kind::Regex(regex) => regex.memory_usage(),
        }
    }
    /// Whether it matches the whole name of a channel.
    pub fn matches(&self, channel: &[u8]) -> bool {
        self.matches_with(&mut Scratch::default(), channel)
    }
    /// As `matches`, with reused memory.
    pub(crate) fn matches_with(&self, scratch: &mut Scratch, channel: &[u8]) -> bool {
        match &self.kind {
            Kind::All => true,
            Kind::Name(name) => **name == *channel,
            Kind::Regex(regex) => {
                let cache = match &mut scratch.0 {
                    Some(cache) => {
                        cache.reset(regex);
                        cache
                    }
                    none => none.insert(regex.create_cache()),
                };
                let input = Input::new(channel).anchored(Anchored::Yes).earliest(true);
                regex.search_half_with(cache, &input).is_some()
            }
        }
    }
}

/// As [`full_match`], without memory that stays with each expression.
fn compile(expression: &str) -> Result<meta::Regex, String> {
    let words = |e: meta::BuildError| match (e.syntax_error(), e.size_limit()) {
        (Some(error), _) => error.to_string(),
        (_, Some(limit)) => format!("compiled it takes more than {limit} bytes"),
        _ => e.to_string(),
    };
    let build = |text: &str| {
        let config = meta::Config::new()
            .utf8_empty(false)
            .nfa_size_limit(Some(MOST_BYTES))
            .hybrid_cache_capacity(SCRATCH)
            .onepass(false)
            .which_captures(regex_automata::nfa::thompson::WhichCaptures::Implicit);
        let syntax = syntax::Config::new().utf8(false);
        meta::Builder::new().syntax(syntax).configure(config).build(text).map_err(words)
    };
    // Checked on its own first: the group added around it must not make `a)(b` well-formed.
    regex_automata::util::syntax::parse_with(expression, &syntax::Config::new().utf8(false))
        .map_err(|error| error.to_string())?;
    // It may end in a comment, `(?x) … # so`, which goes to the end of the line.
    build(&format!("^(?:{expression})\\z")).or_else(|_| build(&format!("^(?:{expression}\n)\\z")))
}

/// The one name that a simple expression matches, if it has only escaped operators.
fn literal(text: &[u8]) -> Option<Box<[u8]>> {
    let mut name = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'\\' => name.push(*bytes.next().filter(|b| b.is_ascii_punctuation() && !b"<>".contains(b))?),
            b'.' | b'^' | b'$' | b'*' | b'+' | b'?' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'|' => {
                return None;
            }
            _ => name.push(byte),
        }
    }
    Some(name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(text: &str, channel: &str) -> bool {
        Expression::new(text.as_bytes()).unwrap().matches(channel.as_bytes())
    }

    #[test]
    fn whole_names_are_matched() {
        assert!(
            matches("A|B", "A") && matches("A|B", "B") && !matches("A|B", "Axx") && !matches("A|B", "xxB")
        );
        assert!(matches("ARM_[0-9]+", "ARM_12") && !matches("ARM_[0-9]+", "ARM_12_X"));
        assert!(matches(".*", "") && Expression::new(b".*").unwrap().matches(b"\xff\n"));
        assert!(matches("POSE", "POSE") && !matches("POSE", "POSE2") && !matches("POSE", "XPOSE"));
        assert!(matches(r"a\.b", "a.b") && !matches(r"a\.b", "axb") && matches("a.b", "axb"));
        assert!(matches(r"\d+", "12") && !matches(r"\d+", "d+"), "an escaped letter is not a literal letter");
    }

    #[test]
    fn one_name_and_everything_are_not_compiled() {
        let kind = |text: &[u8]| Expression::new(text).unwrap().kind;
        assert!(matches!(kind(b".*"), Kind::All));
        assert!(matches!(kind(br"a\.b\-c"), Kind::Name(name) if *name == *b"a.b-c"));
        assert!(matches!(kind(b"\xff"), Kind::Name(_)), "a name is any bytes");
        for usual in [&b"a.*"[..], br"(ARM|LEG)_(LEFT|RIGHT)_[0-9]+", br"\w+_\d{1,3}", b"^POSE.{0,20}$"] {
            assert!(matches!(kind(usual), Kind::Regex(_)));
        }
    }

    #[test]
    fn what_is_too_much_is_refused_in_words() {
        for bad in [&b"("[..], b"a)(b", b"(?:a{1000}){1000}", b"\xff.", &[b'.'; EXPRESSION + 1]] {
            let why = Expression::new(bad).unwrap_err();
            assert!(why.contains("expression"), "{why}");
        }
    }
}
