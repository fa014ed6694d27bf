//! Types named on the command line; errors in type files are printed on standard error.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::{Arc, Once};

use clap::Args;
use saltus_channel::Description;
use saltus_decode::{Decoder, Dictionary, Encoder, Kind, TypeText, Types, Unexpected, files};
use saltus_types::{Diagnostics, Loaded, Loader, Schema, Severity};

use crate::exit::{self, Code, Failure, Outcome, note};
use saltus_text::escape::harmless;
use saltus_text::human::plural;
use saltus_text::terminal;
use saltus_text::words;

/// Directories in which types are searched for.
#[derive(Args)]
pub(crate) struct TypeDirs {
    /// Search DIR recursively for .lcm type files (repeatable)
    ///
    /// The directories of $SALTUS_TYPES, separated by colons, are searched after these.
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
}

impl TypeDirs {
    /// The directories of `-I`, which must exist, then those of the variable.
    pub(crate) fn all(&self) -> Outcome<Vec<PathBuf>> {
        for dir in &self.include {
            fs::read_dir(dir).map_err(|e| exit::unreadable(dir.display(), &e))?;
        }
        Ok(self.include.iter().cloned().chain(usual()).collect())
    }
}

/// The directories of `SALTUS_TYPES`. Missing ones are skipped with a warning.
fn usual() -> Vec<PathBuf> {
    static MAX_REPORTED: Once = Once::new();
    let variable = saltus_os::process::variable("SALTUS_TYPES").unwrap_or_default();
    let (found, absent): (Vec<_>, Vec<_>) = std::env::split_paths(&variable)
        .filter(|dir| !dir.as_os_str().is_empty())
        .partition(|dir| dir.is_dir());
    MAX_REPORTED.call_once(|| {
        for dir in absent {
            note(format_args!("warning: SALTUS_TYPES: `{}` is not a directory; skipped", dir.display()));
        }
    });
    found
}

impl From<files::Unreadable> for Failure {
    fn from(error: files::Unreadable) -> Failure {
        exit::unreadable(error.directory.display(), &error.error)
    }
}

impl From<Unexpected> for Failure {
    fn from(error: Unexpected) -> Failure {
        Failure::new(Code::Differ, error.to_string())
    }
}

/// Loads the files, and prints errors and warnings on standard error.
pub(crate) fn load(loader: Loader) -> Outcome<Loaded> {
    match loader.load() {
        Ok(loaded) => {
            print(&loaded.warnings);
            Ok(loaded)
        }
        Err(diagnostics) => {
            print(&diagnostics);
            Err(Failure::new(Code::Failed, format!("{} in type files", tally(&diagnostics))))
        }
    }
}

/// Whether the file can be loaded; prints its errors. Warnings are printed when all files are loaded.
pub(crate) fn load_alone(loader: Loader) -> bool {
    loader.load().inspect_err(print).is_ok()
}

/// The type of that name in these files or directories.
pub(crate) fn find(name: &str, files: &[PathBuf], include: &[PathBuf]) -> Outcome<Kind> {
    let schema = load(files::loader(files, include).want(name))?.schema;
    match schema.find(name) {
        Some(id) => Ok(Kind::lcm(&Arc::new(schema), id)),
        None => Err(Failure::new(Code::Failed, format!("`{name}` is an enum; name a struct"))),
    }
}

/// All types of these directories. Files with errors are reported and skipped.
pub(crate) fn everything(dirs: &TypeDirs) -> Outcome<Vec<Arc<Schema>>> {
    let all = files::everything(&dirs.all()?)?;
    for problem in &all.problems {
        print(&problem.diagnostics);
        if problem.diagnostics.has_errors() {
            let words = tally(&problem.diagnostics);
            note(format_args!("{}: {words} in type files; skipped", problem.file.display()));
        }
    }
    Ok(all.schemas.into_iter().map(Arc::new).collect())
}

/// The built-in types: those of CARMEN logs.
pub(crate) fn carried() -> Option<Arc<Schema>> {
    saltus_types::parse("carmen.lcm", saltus_carmen::typed::SCHEMA).ok().map(Arc::new)
}

/// The built-in types, for looking up the types of messages.
pub(crate) fn types(dirs: &TypeDirs) -> Outcome<Types> {
    let mut types = Types::new();
    everything(dirs)?.iter().chain(&carried()).for_each(|schema| types.add_all(schema));
    Ok(types)
}

/// The type files of these paths, which are files or directories.
pub(crate) fn files_of(paths: &[PathBuf]) -> Outcome<Vec<PathBuf>> {
    for path in paths.iter().filter(|path| !path.is_dir()) {
        exit::readable(path)?;
    }
    let files = files::named(paths)?;
    if files.is_empty() {
        let words = "no .lcm file in these directories: name a directory with type files";
        return Err(Failure::new(Code::Failed, words));
    }
    Ok(files)
}

/// A decoder for the types in these directories, and for types that publishers describe. With `name`, messages of all other types are
/// errors.
pub(crate) fn decoder(name: Option<&str>, dirs: &TypeDirs) -> Outcome<Decoder> {
    Ok(match name {
        None => {
            let mut decoder = Decoder::new();
            everything(dirs)?.iter().for_each(|schema| decoder.dictionary.add_all(schema));
            carried().iter().for_each(|schema| decoder.dictionary.carry(schema));
            decoder
        }
        Some(name) if dirs.include.is_empty() => match perhaps(name) {
            Some(kind) => Decoder::expecting(kind.schema(), kind.id()),
            None => Decoder::named(name),
        },
        Some(name) => {
            let kind = find(name, &[], &dirs.all()?)?;
            Decoder::expecting(kind.schema(), kind.id())
        }
    })
}

/// The type `name` in the directories of `SALTUS_TYPES`, if it exists.
fn perhaps(name: &str) -> Option<Kind> {
    let dirs = usual();
    let schema =
        (!dirs.is_empty()).then(|| files::loader(&[], &dirs).want(name).load().ok()).flatten()?.schema;
    let id = schema.find(name)?;
    Some(Kind::lcm(&Arc::new(schema), id))
}

/// An encoder for the type `name`. Its declaration comes from these directories, or, if none are given, from `known`: the types stored with
/// the channel.
pub(crate) fn encoder(
    name: &str,
    dirs: &TypeDirs,
    plain: bool,
    known: impl FnOnce() -> Outcome<Dictionary>,
) -> Outcome<Encoder> {
    let failed = |words: String| Failure::new(Code::Failed, words);
    let kind = if !dirs.include.is_empty() {
        find(name, &[], &dirs.all()?)?
    } else if let Some(kind) = perhaps(name) {
        kind
    } else {
        let dictionary = known()?;
        let kind = dictionary.named(name).ok_or_else(|| failed(dictionary.lacks(name)))?;
        Kind::clone(&kind)
    };
    if !plain {
        return Ok(Encoder::new(kind));
    }
    let words = || format!("`{name}` has no plain layout: it has strings, or arrays whose size varies");
    Kind::plain(kind.schema(), kind.id()).map(Encoder::new).ok_or_else(|| failed(words()))
}

/// The remedy for messages of an unknown type.
pub(crate) const UNKNOWN: &str = "name the directory of its .lcm file with -I or $SALTUS_TYPES";

/// Descriptions by publishers, in the form that a dictionary accepts.
pub(crate) fn texts(said: Vec<Description>) -> Vec<TypeText> {
    said.into_iter().map(|said| TypeText { name: said.name, text: said.schema }).collect()
}

/// Prints errors and warnings on standard error, in the style of rustc.
fn print(diagnostics: &Diagnostics) {
    let text = render(diagnostics, io::stderr().is_terminal());
    // Write errors are ignored: there is nowhere to report them.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Errors and warnings as text, on a terminal in color if the environment allows that. The renderer replaces control characters of the
/// files, so that those in colored text are its own. Without color none are left.
pub(crate) fn render(diagnostics: &Diagnostics, on_terminal: bool) -> String {
    let colour = on_terminal && terminal::colors();
    let text = words::plain(&diagnostics.render(colour));
    if colour {
        return text;
    }
    text.lines().map(|line| harmless(line) + "\n").collect()
}

/// `2 errors and 1 warning`.
pub(crate) fn tally(diagnostics: &Diagnostics) -> String {
    let count = |severity| diagnostics.list.iter().filter(|d| d.severity == severity).count() as u64;
    match (count(Severity::Error), count(Severity::Warning)) {
        (errors, 0) => plural(errors, "error"),
        (0, warnings) => plural(warnings, "warning"),
        (errors, warnings) => format!("{} and {}", plural(errors, "error"), plural(warnings, "warning")),
    }
}
