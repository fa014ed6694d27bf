//! Selection of channels: by name, pattern or regular expression, or all channels except those.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::Arc;

use clap::Args;
use saltus_channel::{Directory, Name};
use saltus_domain::Pattern;
use saltus_text::escape::{escaped, unescaped};
use saltus_text::glob;

use crate::exit::{self, Code, Failure, Outcome};
use crate::flags::domain;

/// Existing channels, as typed; at least one.
#[derive(Args)]
pub(crate) struct Names {
    /// Channels, by name or pattern
    #[arg(value_name = "NAME", required_unless_present = "regex")]
    names: Vec<OsString>,

    #[command(flatten)]
    matching: Matching,
}

/// Channels, as typed; all if none is given.
#[derive(Args)]
pub(crate) struct AnyNames {
    /// Channels, by name or pattern [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<OsString>,

    #[command(flatten)]
    matching: Matching,
}

/// Channels by regular expression, as typed.
#[derive(Args, Default)]
pub(crate) struct Regexes {
    /// Select channels whose whole name matches REGEX (repeatable)
    #[arg(short = 'e', long, value_name = "REGEX")]
    regex: Vec<String>,
}

/// The same, with `--invert`.
#[derive(Args, Default)]
pub(crate) struct Matching {
    #[command(flatten)]
    regexes: Regexes,

    /// Select all other channels instead
    #[arg(short = 'v', long)]
    invert: bool,
}

impl Names {
    /// The channels that are meant.
    pub(crate) fn meant(&self) -> Outcome<Selection> {
        Selection::of(&self.names, &self.matching)
    }
}

impl AnyNames {
    /// The channels that are meant.
    pub(crate) fn meant(&self) -> Outcome<Selection> {
        Selection::of(&self.names, &self.matching)
    }
}

impl Matching {
    /// Whether anything was typed.
    pub(crate) fn is_given(&self) -> bool {
        self.invert || !self.regexes.regex.is_empty()
    }
    /// The expressions as typed.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.regexes.regex.iter().map(String::as_str)
    }
    /// The selected channels, or all except those if the second field is set.
    pub(crate) fn meant(&self) -> Outcome<(Pattern, bool)> {
        if self.invert && self.regexes.regex.is_empty() {
            return Err(nothing_to_leave_out());
        }
        Ok((self.regexes.meant()?, self.invert))
    }
}

impl Regexes {
    /// The selected channels: all if none was typed.
    pub(crate) fn meant(&self) -> Outcome<Pattern> {
        // Each is compiled by itself, so that the error names the invalid one.
        self.regex.iter().try_for_each(|text| Pattern::regex(text).map(drop))?;
        Ok(match &self.regex[..] {
            [] => Pattern::all(),
            [one] => Pattern::regex(one)?,
            all => Pattern::regex(&all.iter().map(|one| format!("(?:{one})")).collect::<Vec<_>>().join("|"))?,
        })
    }
}

fn nothing_to_leave_out() -> Failure {
    Failure::new(Code::Usage, "--invert needs channels to leave out: name some, or give --regex")
}

/// The channels that are meant.
#[derive(Clone)]
pub(crate) struct Selection {
    /// Selects all channels if empty.
    choices: Vec<Choice>,
    invert: bool,
}

/// One argument.
#[derive(Clone)]
enum Choice {
    /// A name, or a pattern if no channel has that name.
    Named(Vec<u8>),
    /// An expression that matches whole names, with its text.
    Matching(Pattern, String),
}

/// Selects channels by name.
pub(crate) type Wants = Arc<dyn Fn(&Name) -> bool + Send + Sync>;

impl Selection {
    /// The selection by these names and expressions.
    pub(crate) fn of(names: &[OsString], matching: &Matching) -> Outcome<Selection> {
        let regex = |text: &str| Ok(Choice::Matching(Pattern::regex(text)?, text.to_owned()));
        let named = |name: &OsString| Ok(Choice::Named(name.as_encoded_bytes().to_vec()));
        let choices = names.iter().map(named).chain(matching.regexes.regex.iter().map(|text| regex(text)));
        let choices: Vec<Choice> = choices.collect::<Outcome<_>>()?;
        if matching.invert && choices.is_empty() {
            return Err(nothing_to_leave_out());
        }
        Ok(Selection { choices, invert: matching.invert })
    }

    /// The arguments, for messages.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> {
        self.choices.iter().map(|choice| match choice {
            Choice::Named(text) => escaped(text),
            Choice::Matching(_, text) => escaped(text.as_bytes()),
        })
    }

    /// Whether this channel is selected.
    pub(crate) fn includes(&self, name: &Name) -> bool {
        let one = std::slice::from_ref(name);
        self.choices.is_empty()
            || self.choices.iter().any(|choice| !choice.among(one).is_empty()) != self.invert
    }

    /// The selected channels of the domain, in its order. Fails with the first argument that selects none.
    pub(crate) fn existing(&self, domain: &Directory) -> Outcome<Vec<Name>> {
        let all = domain.list()?;
        match self.choices.iter().find(|choice| choice.among(&all).is_empty()) {
            Some(choice) => Err(choice.none(&all, &domain.url())),
            None => Ok(self.among(&all)),
        }
    }

    /// The reason for each argument that selects none of these names. Empty with `--invert`.
    pub(crate) fn missing(&self, all: &[Name], url: &str) -> Vec<Failure> {
        let choices = self.choices.iter().filter(|_| !self.invert);
        choices.filter(|choice| choice.among(all).is_empty()).map(|choice| choice.none(all, url)).collect()
    }

    /// The same, but an argument may select no channel.
    pub(crate) fn present(&self, domain: &Directory) -> Outcome<Vec<Name>> {
        Ok(self.among(&domain.list()?))
    }

    fn among(&self, all: &[Name]) -> Vec<Name> {
        let chosen: BTreeSet<&Name> = self.choices.iter().flat_map(|choice| choice.among(all)).collect();
        let meant = |name: &&Name| self.choices.is_empty() || chosen.contains(name) != self.invert;
        all.iter().filter(meant).cloned().collect()
    }

    /// Runs `action` once for each selected channel, and continues after failures. An argument that selects none is a failure, unless
    /// `missing_ok`.
    pub(crate) fn for_each(
        &self,
        domain: &Directory,
        none_is_fine: bool,
        mut action: impl FnMut(&Name) -> Outcome,
    ) -> Outcome {
        if self.invert {
            let meant = if none_is_fine { self.present(domain) } else { self.existing(domain) };
            return exit::for_each(&meant?, action);
        }
        let all = domain.list()?;
        let mut done = BTreeSet::new();
        exit::for_each(&self.choices, |choice| {
            let meant = choice.among(&all);
            if meant.is_empty() && !none_is_fine {
                return Err(choice.none(&all, &domain.url()));
            }
            exit::for_each(meant, |name| if done.insert(name) { action(name) } else { Ok(()) })
        })
    }

    /// The pattern to subscribe to, and the filter for the channels of the messages that arrive; `None` accepts all.
    pub(crate) fn subscription(&self) -> Outcome<(Pattern, Option<Wants>)> {
        let pattern = match (&self.choices[..], self.invert) {
            ([], _) => Some(Pattern::all()),
            ([Choice::Matching(pattern, _)], false) => Some(pattern.clone()),
            ([Choice::Named(name)], false) if !glob::Pattern::is_one(name) => Some(Pattern::name(name)?),
            _ => None,
        };
        Ok(match pattern {
            Some(pattern) => (pattern, None),
            None => {
                let selection = self.clone();
                (Pattern::all(), Some(Arc::new(move |name: &Name| selection.includes(name))))
            }
        })
    }
}

impl Choice {
    /// The names that the argument selects: exactly that name, else the one whose escaped name it is, else those that match the pattern.
    fn among<'a>(&self, all: &'a [Name]) -> Vec<&'a Name> {
        let matching = |is: &dyn Fn(&[u8]) -> bool| all.iter().filter(|name| is(name.as_bytes())).collect();
        let text = match self {
            Choice::Matching(pattern, _) => return matching(&|name| pattern.matches(name)),
            Choice::Named(text) => text,
        };
        let exact = |bytes: &[u8]| all.iter().find(|name| name.as_bytes() == bytes);
        match exact(text).or_else(|| unescaped(text).and_then(|bytes| exact(&bytes))) {
            Some(name) => vec![name],
            None if glob::Pattern::is_one(text) => {
                let pattern = glob::Pattern::new(text);
                matching(&|name| pattern.matches(name))
            }
            None => Vec::new(),
        }
    }

    /// The failure to select any of these names.
    fn none(&self, all: &[Name], url: &str) -> Failure {
        let shown = match self {
            Choice::Matching(_, text) => escaped(text.as_bytes()),
            Choice::Named(text) if glob::Pattern::is_one(text) => escaped(text),
            Choice::Named(text) => return domain::absent(text, all, url),
        };
        let words = format!("no channel in {url} matches `{shown}`: `saltus ls` lists all channels");
        Failure::new(Code::NotFound, words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    /// A command line that is only a selection.
    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        names: AnyNames,
    }

    fn meant(arguments: &[&str]) -> Outcome<Selection> {
        Line::parse_from(["x"].iter().chain(arguments)).names.meant()
    }

    fn chosen(arguments: &[&str]) -> Vec<String> {
        let all = ["CAMERA", "POSE", "POSE_2", "a*", "ab"].map(|name| Name::new(name).unwrap());
        let selection = meant(arguments).unwrap();
        let of = selection.among(&all);
        let includes: Vec<Name> = all.iter().filter(|name| selection.includes(name)).cloned().collect();
        // Without a list of names, an argument that is also a pattern does not exclude other names.
        if !arguments.contains(&"a*") {
            assert_eq!(of, includes, "{arguments:?}");
        }
        of.iter().map(|name| String::from_utf8(name.as_bytes().to_vec()).unwrap()).collect()
    }

    #[test]
    fn names_patterns_and_expressions_add_up() {
        assert_eq!(chosen(&[]), ["CAMERA", "POSE", "POSE_2", "a*", "ab"]);
        assert_eq!(chosen(&["POSE"]), ["POSE"]);
        assert_eq!(chosen(&["P*"]), ["POSE", "POSE_2"]);
        assert_eq!(chosen(&["a*"]), ["a*"], "an exact name comes first");
        assert_eq!(chosen(&["-e", "POSE"]), ["POSE"], "the whole name");
        assert_eq!(chosen(&["-e", "POSE.+", "--regex", "C.*"]), ["CAMERA", "POSE_2"]);
        assert_eq!(chosen(&["CAMERA", "-e", "POSE"]), ["CAMERA", "POSE"]);
    }

    #[test]
    fn invert_means_all_the_others() {
        assert_eq!(chosen(&["-v", "P*", "ab"]), ["CAMERA", "a*"]);
        assert_eq!(chosen(&["-v", "-e", "[A-Z0-9_]+"]), ["a*", "ab"]);
        let failure = meant(&["-v"]).err().expect("needs channels");
        assert_eq!(failure.code(), Some(Code::Usage));
    }

    #[test]
    fn expressions_alone_become_one_pattern() {
        let regexes = |all: &[&str]| Regexes { regex: all.iter().map(|one| (*one).to_owned()).collect() };
        let matches = |all: &[&str], name: &str| regexes(all).meant().unwrap().matches(name);
        assert!(matches(&[], "POSE") && matches(&["A|POSE"], "POSE") && matches(&["A", "P.*"], "POSE"));
        assert!(!matches(&["A|PO", "SE"], "POSE") && !matches(&["A"], "POSE"));
        assert!(regexes(&["a)|(b", "c"]).meant().is_err(), "each is compiled by itself");
        let nothing = Matching { regexes: regexes(&[]), invert: true };
        assert_eq!(nothing.meant().err().and_then(|failure| failure.code()), Some(Code::Usage));
    }

    #[test]
    fn an_invalid_expression_is_a_usage_error() {
        assert_eq!(meant(&["-e", "("]).err().and_then(|failure| failure.code()), Some(Code::Usage));
    }

    #[test]
    fn one_choice_is_subscribed_to_as_it_is() {
        let filtered = |arguments: &[&str]| meant(arguments).unwrap().subscription().unwrap().1.is_some();
        assert!(!filtered(&[]) && !filtered(&["POSE"]) && !filtered(&["-e", "P.*"]));
        assert!(filtered(&["P*"]) && filtered(&["POSE", "CAMERA"]) && filtered(&["-v", "POSE"]));
    }
}
