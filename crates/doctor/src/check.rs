//! A check, and what it finds.

use crate::Host;

/// How it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// As it should be, or of no matter here.
    Ok,
    /// The machine hides what was to be read.
    CannotTell,
    /// It can make a program late, or lose something.
    Warning,
    /// Something does not work.
    Problem,
}

impl State {
    /// Its name, as programs read it.
    pub fn name(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::CannotTell => "cannot tell",
            State::Warning => "warning",
            State::Problem => "problem",
        }
    }

    /// Its sign, one column wide.
    pub fn sign(self) -> char {
        match self {
            State::Ok => '✓',
            State::CannotTell => '?',
            State::Warning => '!',
            State::Problem => '✗',
        }
    }
}

/// What to do about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fix {
    /// In words; may be empty.
    pub words: String,
    /// To be typed in a shell, by root unless the words say otherwise.
    pub commands: Vec<String>,
}

impl Fix {
    /// To be typed.
    pub fn typed(commands: impl IntoIterator<Item = impl Into<String>>) -> Fix {
        Fix { words: String::new(), commands: commands.into_iter().map(Into::into).collect() }
    }

    /// In words alone.
    pub fn words(words: impl Into<String>) -> Fix {
        Fix { words: words.into(), commands: Vec::new() }
    }

    /// With these words, too.
    pub fn and(self, words: impl Into<String>) -> Fix {
        Fix { words: words.into(), ..self }
    }
}

/// What a check has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How it stands.
    pub state: State,
    /// What was read, in words. Names of processes may stand in it as they are.
    pub found: String,
    /// What to do.
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

/// Something to look at.
pub struct Check {
    /// Its name, such as `mem.swap`.
    pub id: &'static str,
    /// What it looks at, in a few words.
    pub title: &'static str,
    /// What it reads or tries.
    pub reads: &'static [&'static str],
    /// What is good.
    pub good: &'static str,
    /// Why it matters.
    pub why: &'static str,
    pub(crate) run: fn(&Host) -> Finding,
}

impl Check {
    /// Looks. Reads files; does not wait.
    pub fn run(&self, host: &Host) -> Finding {
        (self.run)(host)
    }
}
