//! Types read from files, and what is said about those.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use saltus_types::{Diagnostics, Loaded, Loader, Schema, Severity, StructId};

use crate::escape::harmless;
use crate::failure::{Code, Failure, Outcome, say};
use crate::human::plural;

/// A type with all that it refers to.
pub struct Found {
    /// The types.
    pub schema: Schema,
    /// The one that is meant.
    pub id: StructId,
}

/// A loader that knows these files and directories.
pub fn loader(files: &[PathBuf], include: &[PathBuf]) -> Loader {
    let loader = files.iter().fold(Loader::new(), |loader, file| loader.file(file));
    include.iter().fold(loader, |loader, dir| loader.include(dir))
}

/// Loads; what is wrong is told on standard error.
pub fn load(loader: Loader) -> Outcome<Loaded> {
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
pub fn find(name: &str, files: &[PathBuf], include: &[PathBuf]) -> Outcome<Found> {
    let schema = load(loader(files, include).want(name))?.schema;
    match schema.find(name) {
        Some(id) => Ok(Found { schema, id }),
        None => Err(Failure::new(Code::Failed, format!("`{name}` is no struct: name one"))),
    }
}

/// All types of these directories. A file that is wrong is told, and left out.
pub fn everything(directories: &[PathBuf]) -> Outcome<Vec<Schema>> {
    let mut files = Vec::new();
    for directory in directories {
        files.extend(files_below(directory)?);
    }
    if let Ok(loaded) = loader(&files, directories).load() {
        return Ok(vec![loaded.schema]);
    }
    // One by one, so that one that is wrong, or says the same as another, does not spoil the rest.
    let one =
        |file: &PathBuf| load(loader(std::slice::from_ref(file), directories)).map(|loaded| loaded.schema);
    let schemas = files.iter().map(|file| {
        one(file).map_err(|failure| say(format_args!("{}: {failure}; left out", file.display())))
    });
    Ok(schemas.flatten().collect())
}

/// The type files that are meant by these paths: files, and directories of them.
pub fn files_of(paths: &[PathBuf]) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(files_below(path)?);
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        let words = "there is no .lcm file in these directories: name one that has some";
        return Err(Failure::new(Code::Failed, words));
    }
    Ok(files)
}

/// How deep directories are looked through.
const DEEPEST: usize = 16;

/// The type files in a directory and below it, sorted.
fn files_below(directory: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    walk(directory, DEEPEST, &mut files).map(|()| files)
}

fn walk(directory: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Outcome {
    let failed = |e: io::Error| {
        let words =
            format!("cannot look into {}: {e}; name a directory that you may read", directory.display());
        Failure::new(Code::Failed, words)
    };
    let entries: Result<Vec<_>, _> = std::fs::read_dir(directory).map_err(failed)?.collect();
    let mut paths: Vec<PathBuf> = entries.map_err(failed)?.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            if depth > 0 {
                walk(&path, depth - 1, files)?;
            }
        } else if path.extension().is_some_and(|e| e == "lcm") {
            files.push(path);
        }
    }
    Ok(())
}

/// What is wrong, on standard error, in the style of rustc.
fn tell(diagnostics: &Diagnostics) {
    let text = render(diagnostics, io::stderr().is_terminal());
    // Nothing can be done when nobody hears it.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// What is wrong as text. Colours come from the renderer, which leaves no control character of a file in it; without
/// colours nothing else could be one either.
pub fn render(diagnostics: &Diagnostics, colour: bool) -> String {
    let text = diagnostics.render(colour);
    if colour {
        return text;
    }
    text.lines().map(|line| harmless(line) + "\n").collect()
}

/// `2 errors and 1 warning`.
pub fn tally(diagnostics: &Diagnostics) -> String {
    let count = |severity| diagnostics.list.iter().filter(|d| d.severity == severity).count() as u64;
    match (count(Severity::Error), count(Severity::Warning)) {
        (errors, 0) => plural(errors, "error"),
        (0, warnings) => plural(warnings, "warning"),
        (errors, warnings) => format!("{} and {}", plural(errors, "error"), plural(warnings, "warning")),
    }
}
