//! Types as they are named on the command line, and what is wrong with their files, on standard error.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use saltus_channel::Description;
use saltus_decode::{Decoder, Dictionary, Encoder, Kind, TypeText, Types, Unexpected, files};
use saltus_types::{Diagnostics, Loaded, Loader, Schema, Severity};

use crate::exit::{Code, Failure, Outcome, say};
use saltus_text::escape::harmless;
use saltus_text::human::plural;

/// Where types are looked for.
#[derive(Args)]
pub(crate) struct TypeDirs {
    /// Look for types in the .lcm files of this directory and below it; may be given several times
    #[arg(short = 'I', long = "include", alias = "types", value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
}

impl From<files::Unreadable> for Failure {
    fn from(error: files::Unreadable) -> Failure {
        Failure::new(Code::Failed, error.to_string())
    }
}

impl From<Unexpected> for Failure {
    fn from(error: Unexpected) -> Failure {
        Failure::new(Code::Differ, error.to_string())
    }
}

/// Loads; what is wrong is told on standard error.
pub(crate) fn load(loader: Loader) -> Outcome<Loaded> {
    match loader.load() {
        Ok(loaded) => {
            tell(&loaded.warnings);
            Ok(loaded)
        }
        Err(diagnostics) => {
            tell(&diagnostics);
            Err(Failure::new(Code::Failed, format!("{} in type files", tally(&diagnostics))))
        }
    }
}

/// The type of that name in these files or directories.
pub(crate) fn find(name: &str, files: &[PathBuf], include: &[PathBuf]) -> Outcome<Kind> {
    let schema = load(files::loader(files, include).want(name))?.schema;
    match schema.find(name) {
        Some(id) => Ok(Kind::lcm(&Arc::new(schema), id)),
        None => Err(Failure::new(Code::Failed, format!("`{name}` is no struct: name one"))),
    }
}

/// All types of these directories. A file that is wrong is told, and left out.
pub(crate) fn everything(directories: &[PathBuf]) -> Outcome<Vec<Arc<Schema>>> {
    let all = files::everything(directories)?;
    for problem in &all.problems {
        tell(&problem.said);
        if problem.said.has_errors() {
            let words = tally(&problem.said);
            say(format_args!("{}: {words} in type files; left out", problem.file.display()));
        }
    }
    Ok(all.schemas.into_iter().map(Arc::new).collect())
}

/// The same, to look messages up in.
pub(crate) fn types(directories: &[PathBuf]) -> Outcome<Types> {
    let mut types = Types::new();
    everything(directories)?.iter().for_each(|schema| types.add_all(schema));
    Ok(types)
}

/// The type files that are meant by these paths: files, and directories of them.
pub(crate) fn files_of(paths: &[PathBuf]) -> Outcome<Vec<PathBuf>> {
    let files = files::named(paths)?;
    if files.is_empty() {
        let words = "there is no .lcm file in these directories: name one that has some";
        return Err(Failure::new(Code::Failed, words));
    }
    Ok(files)
}

/// A decoder that knows the types in these directories, and those that publishers describe. With `name`, messages of all
/// other types are an error.
pub(crate) fn decoder(name: Option<&str>, include: &[PathBuf]) -> Outcome<Decoder> {
    Ok(match name {
        None => {
            let mut decoder = Decoder::new();
            everything(include)?.iter().for_each(|schema| decoder.dictionary.add_all(schema));
            decoder
        }
        Some(name) if include.is_empty() => Decoder::named(name),
        Some(name) => {
            let kind = find(name, &[], include)?;
            Decoder::expecting(kind.schema(), kind.id())
        }
    })
}

/// An encoder for the type of that name: in these directories, or, where none is given, as it was left with the channel: that
/// is what `known` asks for.
pub(crate) fn encoder(
    name: &str,
    include: &[PathBuf],
    plain: bool,
    known: impl FnOnce() -> Outcome<Dictionary>,
) -> Outcome<Encoder> {
    let failed = |words: String| Failure::new(Code::Failed, words);
    let kind = if include.is_empty() {
        let dictionary = known()?;
        let kind = dictionary.named(name).ok_or_else(|| failed(dictionary.lacks(name)))?;
        Kind::clone(&kind)
    } else {
        find(name, &[], include)?
    };
    if !plain {
        return Ok(Encoder::new(kind));
    }
    let words = || format!("`{name}` has no plain layout: it has strings, or arrays whose size varies");
    Kind::plain(kind.schema(), kind.id()).map(Encoder::new).ok_or_else(|| failed(words()))
}

/// What publishers have said, as a dictionary takes it.
pub(crate) fn texts(said: Vec<Description>) -> Vec<TypeText> {
    said.into_iter().map(|said| TypeText { name: said.name, text: said.schema }).collect()
}

/// What is wrong, on standard error, in the style of rustc.
fn tell(diagnostics: &Diagnostics) {
    let text = render(diagnostics, io::stderr().is_terminal());
    // Nothing can be done when nobody hears it.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// What is wrong as text. Colours come from the renderer, which leaves no control character of a file in it; without
/// colours nothing else could be one either.
pub(crate) fn render(diagnostics: &Diagnostics, colour: bool) -> String {
    let text = diagnostics.render(colour);
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
