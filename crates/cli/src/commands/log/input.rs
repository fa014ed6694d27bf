//! Input logs: errors name the log, and a terminal shows progress.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::Path;

use saltus_log::edit::{ReadError, Source};
use saltus_log::{Damage, Error, Keep, Log};

use crate::exit::{Code, Failure, Outcome, note, unreadable};
use crate::print::progress::Progress;
use crate::stop;
use saltus_text::escape::harmless;

/// Opens a log for random access. A terminal shows progress.
pub(crate) fn open(path: &Path, quiet: bool) -> Outcome<Log> {
    let mut progress = None;
    let opened = Log::open_with(path, Keep::default(), &mut |done, size| {
        progress.get_or_insert_with(|| Progress::new(size, quiet)).draw(done);
        !stop::requested()
    });
    progress.iter().for_each(Progress::clear);
    let shown = harmless(&path.display().to_string());
    opened.map_err(|error| match error {
        _ if stop::requested() => Failure::Quiet,
        Error::Io(_, e) => unreadable(&shown, &e),
        Error::NotALog(_) => no_log(&shown, path.metadata().is_ok_and(|m| m.len() == 0)),
        error => Failure::new(Code::Failed, format!("`{shown}`: {error}")),
    })
}

/// A log, or standard input, for sequential reading.
pub(crate) struct Input {
    /// Its name, without control characters.
    pub(crate) name: String,
    pub(crate) source: Source<File>,
    size: u64,
}

impl Input {
    /// Opens a log; `-` is standard input.
    pub(crate) fn open(path: &Path) -> Outcome<Input> {
        let stdin = path == Path::new("-");
        let name = if stdin { "standard input".into() } else { harmless(&path.display().to_string()) };
        let failed = |e: io::Error| unreadable(&name, &e);
        let file = if stdin { stop::input().map_err(failed)? } else { File::open(path).map_err(failed)? };
        let metadata = file.metadata().map_err(failed)?;
        if metadata.is_dir() {
            return Err(unreadable(&name, &ErrorKind::IsADirectory.into()));
        }
        let source = Source::new(file).map_err(failed)?;
        Ok(Input { name, source, size: metadata.len() })
    }

    /// Runs `read` on the log. `read` reports its position to the callback, which returns whether to continue. `taken` converts an error
    /// from processing an event.
    pub(crate) fn read<T, E>(
        self,
        quiet: bool,
        read: impl FnOnce(Source<File>, &mut dyn FnMut(u64) -> bool) -> Result<T, ReadError<E>>,
        taken: impl FnOnce(E) -> Failure,
    ) -> Outcome<T> {
        let (name, empty) = (self.name, self.source.beginning().is_empty());
        let mut progress = Progress::new(self.size, quiet);
        let done = read(self.source, &mut |done| {
            progress.draw(done);
            !stop::requested()
        });
        progress.clear();
        done.map_err(|error| match error {
            ReadError::NotALog => no_log(&name, empty),
            ReadError::Read(error) => unreadable(&name, &error),
            ReadError::Take(error) => taken(error),
        })
    }

    /// Fails if this is not a log.
    pub(crate) fn check(&self) -> Outcome {
        match self.source.format() {
            Some(_) => Ok(()),
            None => Err(no_log(&self.name, self.source.beginning().is_empty())),
        }
    }
}

/// Reports the damage of a log, if any.
pub(crate) fn warn_of_damage(name: &str, damage: &Damage) {
    if *damage != Damage::default() {
        note(format_args!("{name}: {damage}; the rest was read"));
    }
}

fn no_log(name: &str, empty: bool) -> Failure {
    let words = match empty {
        true => format!("`{name}` is empty: expected a log of LCM or MCAP"),
        false => format!("`{name}` is not a log: expected one of LCM or MCAP"),
    };
    Failure::new(Code::Failed, words)
}
