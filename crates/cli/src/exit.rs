//! Failures of commands, their exit codes, and messages on standard error.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use saltus_text::escape;
use saltus_text::words::{bounded, plain};

/// The result of every command.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// The exit codes that scripts may rely on. 0 means success; so does an end by the first Ctrl-C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    /// The operation failed.
    Failed = 1,
    /// The command line is invalid.
    Usage = 2,
    /// No such channel, or a named channel never appeared.
    NotFound = 3,
    /// No message arrived within the timeout.
    TimedOut = 4,
    /// Messages were lost although the options forbid it.
    Lost = 5,
    /// Two types differ.
    Differ = 6,
    /// A check of `doctor` found something that does not work on this machine.
    Unfit = 7,
}

/// The reason why a command ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A sentence with a remedy, not yet printed.
    Message(Code, String),
    /// Already printed, for one of several channels.
    Reported(Code),
    /// The reader of the output is gone, or Ctrl-C arrived while a write was blocked. Prints nothing; the exit code is 0.
    Quiet,
}

impl Failure {
    /// A failure with a message.
    pub(crate) fn new(code: Code, words: impl Into<String>) -> Failure {
        Failure::Message(code, words.into())
    }

    /// The exit code, or `None` if the command exits with 0.
    pub(crate) fn code(&self) -> Option<Code> {
        match self {
            Failure::Message(code, _) | Failure::Reported(code) => Some(*code),
            Failure::Quiet => None,
        }
    }

    /// Prints the message, if it is not printed yet, and returns the exit code; `None` if the command exits with 0.
    pub(crate) fn report(&self) -> Option<Code> {
        if let Failure::Message(_, words) = self {
            note(words);
        }
        self.code()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Message(_, words) => f.write_str(&plain(words)),
            Failure::Reported(_) => f.write_str("already reported"),
            Failure::Quiet => f.write_str("standard output was closed"),
        }
    }
}

impl From<saltus_channel::Error> for Failure {
    fn from(error: saltus_channel::Error) -> Failure {
        let code = match error {
            saltus_channel::Error::NotFound { .. } => Code::NotFound,
            saltus_channel::Error::Invalid { .. } => Code::Usage,
            _ => Code::Failed,
        };
        Failure::new(code, error.to_string())
    }
}

impl From<saltus_domain::Error> for Failure {
    fn from(error: saltus_domain::Error) -> Failure {
        use saltus_domain::Error::{Channel, Invalid, NoProvider, Unsupported};
        match error {
            Channel(error) => error.into(),
            Invalid { .. } | NoProvider { .. } | Unsupported { .. } => {
                Failure::new(Code::Usage, error.to_string())
            }
            _ => Failure::new(Code::Failed, error.to_string()),
        }
    }
}

impl From<saltus_aliases::Error> for Failure {
    fn from(error: saltus_aliases::Error) -> Failure {
        match error {
            saltus_aliases::Error::Options(error) => printed(&error),
            saltus_aliases::Error::Refused(words) => Failure::new(Code::Usage, words),
        }
    }
}

/// Prints help, or a mistake, as clap does.
pub(crate) fn printed(error: &clap::Error) -> Failure {
    let _ = error.print(); // nothing is left to tell if that fails
    if error.use_stderr() { Failure::Reported(Code::Usage) } else { Failure::Quiet }
}

/// The failure to read a file, in the same words in every command.
pub(crate) fn unreadable(path: impl fmt::Display, error: &io::Error) -> Failure {
    let remedy = match error.kind() {
        ErrorKind::NotFound => "check its name",
        ErrorKind::PermissionDenied => "its owner can allow it with `chmod`",
        ErrorKind::IsADirectory => "name a file in it",
        _ => return Failure::new(Code::Failed, format!("cannot read `{path}`: {error}")),
    };
    Failure::new(Code::Failed, format!("cannot read `{path}`: {error}; {remedy}"))
}

/// Fails unless `path` is a readable file.
pub(crate) fn readable(path: &Path) -> Outcome {
    let is_dir = |file: File| Ok(file.metadata()?.is_dir());
    match File::open(path).and_then(is_dir) {
        Ok(false) => Ok(()),
        Ok(true) => Err(unreadable(path.display(), &ErrorKind::IsADirectory.into())),
        Err(error) => Err(unreadable(path.display(), &error)),
    }
}

/// The failure to write a file, in the same words in every command.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    let remedy = match error.kind() {
        ErrorKind::BrokenPipe => return Failure::Quiet,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => "free some space",
        _ => "name a file that you may write",
    };
    Failure::new(Code::Failed, format!("cannot write `{path}`: {error}; {remedy}"))
}

/// The refusal to overwrite a file, in the same words in every command.
pub(crate) fn taken(path: &Path) -> Failure {
    let words = format!("`{}` exists: choose another name, or overwrite it with --force", path.display());
    Failure::new(Code::Failed, words)
}

/// Prints a line on standard error, without control bytes (a channel's name may contain some). Ignores write errors: there is nowhere to
/// report them.
pub(crate) fn note(words: impl fmt::Display) {
    let words = bounded(&escape::harmless(&plain(&words.to_string())));
    let _ = writeln!(io::stderr(), "saltus: {words}");
}

/// Prints that a channel of `domain`, or the list of its channels, could not be read.
pub(crate) fn note_unread(domain: &str, channel: Option<&saltus_channel::Name>, why: &str) {
    let what = match channel {
        Some(name) => format!("channel `{}`", escape::escaped(name.as_bytes())),
        None => "some channels".into(),
    };
    note(format_args!("{domain}: {what} could not be read: {why}"));
}

/// Prints the failure of a command, if any, and returns its exit code.
pub(crate) fn exit_code(outcome: Outcome) -> ExitCode {
    match outcome.err().and_then(|failure| failure.report()) {
        Some(code) => ExitCode::from(code as u8),
        None => ExitCode::SUCCESS,
    }
}

/// Runs `action` for each item, and continues after failures. Returns the first failure's code.
pub(crate) fn for_each<T>(
    items: impl IntoIterator<Item = T>,
    mut action: impl FnMut(T) -> Outcome,
) -> Outcome {
    let mut first = None;
    for item in items {
        match action(item) {
            Ok(()) => {}
            Err(Failure::Quiet) => return Err(Failure::Quiet),
            Err(failure) => first = first.or(failure.report()),
        }
    }
    first.map_or(Ok(()), |code| Err(Failure::Reported(code)))
}

/// Errors of a network that may be temporary. Each is reported; when they follow each other too fast, the command ends. Damaged messages
/// never end it, and are reported at most every [`APART`].
#[derive(Default)]
pub(crate) struct Troubles {
    last: Option<Instant>,
    undecodable: Option<Instant>,
}

/// Network errors that follow each other faster than this count as permanent.
const APART: Duration = Duration::from_millis(500);

impl Troubles {
    /// Reports the error, or returns it if it is permanent.
    pub(crate) fn pass(&mut self, error: saltus_domain::Error) -> Outcome {
        let (last, ends) = match error {
            saltus_domain::Error::DecodeFailed { .. } => (&mut self.undecodable, false),
            saltus_domain::Error::Network(_) => (&mut self.last, true),
            error => return Err(error.into()),
        };
        if last.is_some_and(|at| at.elapsed() < APART) {
            return if ends { Err(error.into()) } else { Ok(()) };
        }
        *last = Some(Instant::now());
        note(format_args!("{error}; continuing"));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_messages_end_nothing_however_many_there_are() {
        let mut troubles = Troubles::default();
        for _ in 0..3 {
            troubles
                .pass(saltus_domain::Error::DecodeFailed { what: "a message".into() })
                .expect("continues");
        }
        assert!(troubles.pass(saltus_domain::Error::Invalid { what: "a value".into() }).is_err());
    }
}
