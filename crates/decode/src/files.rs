//! Type files and their declarations.

use saltus_types::{Diagnostics, Loader, Schema};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Deepest nesting of directories that is searched.
const DEEPEST: usize = 16;

/// A directory that cannot be read.
#[derive(Debug)]
pub struct Unreadable {
    /// The directory, or one below it.
    pub directory: PathBuf,
    /// The reason.
    pub error: io::Error,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unreadable { directory, error } = self;
        write!(
            f,
            "cannot read directory {}: {error}; name a directory that you may read",
            directory.display()
        )
    }
}
impl std::error::Error for Unreadable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// A loader for these files and directories.
pub fn loader(files: &[PathBuf], include: &[PathBuf]) -> Loader {
    let loader = files.iter().fold(Loader::new(), |loader, file| loader.file(file));
    include.iter().fold(loader, |loader, dir| loader.include(dir))
}

/// All types of some directories.
#[derive(Clone, Debug, Default)]
pub struct Everything {
    /// One schema of all files. If they contradict each other, one for each valid file.
    pub schemas: Vec<Schema>,
    /// The problems of single files, in their order.
    pub problems: Vec<Problem>,
}

/// The problems of a type file.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// Its errors and warnings. A file with errors is skipped.
    pub diagnostics: Diagnostics,
}

/// Loads all types of these directories, recursively.
///
/// # Errors
/// A directory cannot be read.
pub fn everything(directories: &[PathBuf]) -> Result<Everything, Unreadable> {
    let mut files = Vec::new();
    for directory in directories {
        files.extend(below(directory)?);
    }
    if let Ok(loaded) = loader(&files, directories).load() {
        return Ok(Everything { schemas: vec![loaded.schema], problems: Vec::new() });
    }
    // Loads files one by one, so that an invalid or duplicate one does not affect the rest.
    let mut all = Everything::default();
    for file in files {
        let diagnostics = match loader(std::slice::from_ref(&file), directories).load() {
            Ok(loaded) => {
                all.schemas.push(loaded.schema);
                loaded.warnings
            }
            Err(diagnostics) => diagnostics,
        };
        if !diagnostics.list.is_empty() {
            all.problems.push(Problem { file, diagnostics });
        }
    }
    Ok(all)
}

/// The type files of these paths, which are files or directories.
///
/// # Errors
/// A directory cannot be read.
pub fn named(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Unreadable> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(below(path)?);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

/// The type files in a directory, recursively, sorted.
fn below(directory: &Path) -> Result<Vec<PathBuf>, Unreadable> {
    let mut files = Vec::new();
    walk(directory, DEEPEST, &mut files).map(|()| files)
}

fn walk(directory: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Unreadable> {
    let failed = |error: io::Error| Unreadable { directory: directory.into(), error };
    let entries: Result<Vec<_>, _> = std::fs::read_dir(directory).map_err(failed)?.collect();
    let mut paths: Vec<PathBuf> = entries.map_err(failed)?.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            if depth > 0 {
                walk(&path, depth - 1, files)?;
            }
        } else if path.extension().is_some_and(|e| e == "lcm") && !saltus_types::is_log(&path) {
            files.push(path);
        }
    }
    Ok(())
}
