//! How a command can end other than well, and the exit code that says so.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use saltus_text::escape;
use saltus_text::words::{bounded, plain};

/// What every command gives back.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

/// The exit codes that scripts may rely on; 0 is a good end, the first Ctrl-C included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    /// It could not be done.
    Failed = 1,
    /// The command line asks for something that makes no sense.
    Usage = 2,
    /// There is no such channel, or a named one never appeared.
    NotFound = 3,
    /// Nothing came in the time given.
    TimedOut = 4,
    /// Messages were lost where none may be.
    Lost = 5,
    /// Two types are not the same.
    Differ = 6,
    /// Something on this machine does not work.
    Unfit = 7,
}

/// Why a command ends.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something to tell: a sentence and a remedy.
    Message(Code, String),
    /// It has been told already, for one of several channels.
    Reported(Code),
    /// Nobody reads the output any more, or Ctrl-C came while it was stuck: a quiet, good end.
    Quiet,
}

impl Failure {
    /// A failure in words.
    pub(crate) fn new(code: Code, words: impl Into<String>) -> Failure {
        Failure::Message(code, words.into())
    }

    /// The exit code for it; none for a good end.
    pub(crate) fn code(&self) -> Option<Code> {
        match self {
            Failure::Message(code, _) | Failure::Reported(code) => Some(*code),
            Failure::Quiet => None,
        }
    }

    /// Tells the failure, if there is something to tell, and gives the exit code for it; `None` is a good end.
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
            Failure::Reported(_) => f.write_str("told before"),
            Failure::Quiet => f.write_str("nobody reads the output"),
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

/// Why a file cannot be read, in the same words in every command.
pub(crate) fn unreadable(path: impl fmt::Display, error: &io::Error) -> Failure {
    let remedy = match error.kind() {
        ErrorKind::NotFound => "check its name",
        ErrorKind::PermissionDenied => "its owner can allow it with `chmod`",
        ErrorKind::IsADirectory => "name a file in it",
        _ => return Failure::new(Code::Failed, format!("cannot read `{path}`: {error}")),
    };
    Failure::new(Code::Failed, format!("cannot read `{path}`: {error}; {remedy}"))
}

/// Fails if this is not a file that can be read.
pub(crate) fn readable(path: &Path) -> Outcome {
    let is_dir = |file: File| Ok(file.metadata()?.is_dir());
    match File::open(path).and_then(is_dir) {
        Ok(false) => Ok(()),
        Ok(true) => Err(unreadable(path.display(), &ErrorKind::IsADirectory.into())),
        Err(error) => Err(unreadable(path.display(), &error)),
    }
}

/// Why a file cannot be written, in the same words in every command.
pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let path = path.display();
    let remedy = match error.kind() {
        ErrorKind::BrokenPipe => return Failure::Quiet,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => "free some space",
        _ => "name a file that you may write",
    };
    Failure::new(Code::Failed, format!("cannot write `{path}`: {error}; {remedy}"))
}

/// Why an output is not written that exists, in the same words in every command.
pub(crate) fn taken(path: &Path) -> Failure {
    let words = format!("`{}` exists: choose another name, or overwrite it with --force", path.display());
    Failure::new(Code::Failed, words)
}

/// A sentence on standard error, without the control bytes that a channel's name may bring along. Nothing can be done
/// when nobody hears it.
pub(crate) fn note(words: impl fmt::Display) {
    let words = bounded(&escape::harmless(&plain(&words.to_string())));
    let _ = writeln!(io::stderr(), "saltus: {words}");
}

/// The exit code of a command, told in words where it failed.
pub(crate) fn exit_code(outcome: Outcome) -> ExitCode {
    match outcome.err().and_then(|failure| failure.report()) {
        Some(code) => ExitCode::from(code as u8),
        None => ExitCode::SUCCESS,
    }
}

/// Does one thing for each of several items, going on where one fails; ends with the first failure's code.
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

/// Errors of a network that may pass: it is told of each, and given up when they do not end. Damaged messages are passed over without
/// an end, and told of now and then.
#[derive(Default)]
pub(crate) struct Troubles {
    last: Option<Instant>,
    undecodable: Option<Instant>,
}

/// Errors that follow each other faster are one that does not pass.
const APART: Duration = Duration::from_millis(500);

impl Troubles {
    /// Says it and goes on, if that may help.
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
        note(format_args!("{error}; going on"));
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
                .expect("it goes on");
        }
        assert!(troubles.pass(saltus_domain::Error::Invalid { what: "a value".into() }).is_err());
    }
}
