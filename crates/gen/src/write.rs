//! Writes generated files that changed, so that builds do not run needlessly.

use crate::{File, python};
use std::io;
use std::path::{Path, PathBuf};

/// The result of writing a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It did not exist.
    Created,
    /// It had other contents.
    Updated,
    /// It has these contents already, and was not touched.
    Same,
}

/// Writes `files` below `dir`, creating directories as needed. With `dry_run` it only returns what it would do.
/// Each file is written to a temporary file and renamed, so that it is never seen incomplete. A Python package
/// keeps the classes of earlier runs.
///
/// # Errors
/// Errors of the system, with the path.
pub fn write(dir: &Path, files: &[File], dry_run: bool) -> io::Result<Vec<(PathBuf, Change)>> {
    let mut done = Vec::with_capacity(files.len());
    // All are computed before the first is written, since they depend on each other.
    let extended: Vec<Option<String>> = files.iter().map(|f| python::extended(dir, f, files)).collect();
    for (file, extended) in files.iter().zip(&extended) {
        let path = dir.join(&file.path);
        let text = extended.as_ref().unwrap_or(&file.text);
        let change = match std::fs::read(&path) {
            Ok(old) if old == text.as_bytes() => Change::Same,
            Ok(_) => Change::Updated,
            Err(e) if e.kind() == io::ErrorKind::NotFound => Change::Created,
            Err(e) => return Err(with_path(e, &path)),
        };
        if change != Change::Same && !dry_run {
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(|e| with_path(e, parent))?;
            }
            let mut aside = path.clone().into_os_string();
            aside.push(format!(".{}.new", std::process::id()));
            let put = std::fs::write(&aside, text).and_then(|()| std::fs::rename(&aside, &path));
            if let Err(e) = put {
                let _ = std::fs::remove_file(&aside);
                return Err(with_path(e, &path));
            }
        }
        done.push((path, change));
    }
    Ok(done)
}

fn with_path(e: io::Error, path: &Path) -> io::Error {
    io::Error::new(e.kind(), format!("{}: {e}", path.display()))
}
