//! Checks and findings.

use crate::Host;

/// The state of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// Good, or not relevant here.
    Ok,
    /// The machine hides the data of the check.
    CannotTell,
    /// It can delay a program, or lose data.
    Warning,
    /// Something does not work.
    Problem,
}

impl State {
    /// Its name, for programs.
    pub fn name(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::CannotTell => "cannot tell",
            State::Warning => "warning",
            State::Problem => "problem",
        }
    }

    /// Its mark, one column wide.
    pub fn sign(self) -> char {
        match self {
            State::Ok => '✓',
            State::CannotTell => '?',
            State::Warning => '!',
            State::Problem => '✗',
        }
    }
}

/// A remedy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fix {
    /// Text; may be empty.
    pub words: String,
    /// Shell commands, to be run by root unless the text differs.
    pub commands: Vec<String>,
}

impl Fix {
    /// A remedy of commands.
    pub fn typed(commands: impl IntoIterator<Item = impl Into<String>>) -> Fix {
        Fix { words: String::new(), commands: commands.into_iter().map(Into::into).collect() }
    }

    /// A remedy of text only.
    pub fn words(words: impl Into<String>) -> Fix {
        Fix { words: words.into(), commands: Vec::new() }
    }

    /// Adds text.
    pub fn and(self, words: impl Into<String>) -> Fix {
        Fix { words: words.into(), ..self }
    }
}

/// The finding of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The state of a finding.
    pub state: State,
    /// The result as text. It may contain process names, unescaped.
    pub found: String,
    /// The remedy.
    pub fix: Fix,
}

impl Finding {
    pub(crate) fn ok(found: impl Into<String>) -> Finding {
        Finding { state: State::Ok, found: found.into(), fix: Fix::default() }
    }

    pub(crate) fn cannot_tell(found: impl Into<String>) -> Finding {
        Finding { state: State::CannotTell, found: found.into(), fix: Fix::default() }
    }

    pub(crate) fn warning(found: impl Into<String>, fix: Fix) -> Finding {
        Finding { state: State::Warning, found: found.into(), fix }
    }

    pub(crate) fn problem(found: impl Into<String>, fix: Fix) -> Finding {
        Finding { state: State::Problem, found: found.into(), fix }
    }
}

/// A check.
pub struct Check {
    /// Its name, such as `mem.swap`.
    pub id: &'static str,
    /// Its subject, in a few words.
    pub title: &'static str,
    /// The files that it reads, and the operations that it tries.
    pub reads: &'static [&'static str],
    /// The good result.
    pub good: &'static str,
    /// Why it matters.
    pub why: &'static str,
    pub(crate) run: fn(&Host) -> Finding,
}

impl Check {
    /// Runs the check. Reads files; does not wait.
    pub fn run(&self, host: &Host) -> Finding {
        (self.run)(host)
    }
}
