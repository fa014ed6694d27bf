//! A file that is written whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Code, Failure, Outcome};

/// Where output goes.
pub enum Target {
    /// Standard output.
    Stdout,
    /// A file, written aside under the second name, and overwritten if the third says so.
    File(PathBuf, PathBuf, bool),
}

impl Target {
    /// For `-` or a file. What is there is only overwritten by force.
    pub fn new(path: &Path, force: bool) -> Outcome<Target> {
        if path == Path::new("-") {
            return Ok(Target::Stdout);
        }
        if !force && path.symlink_metadata().is_ok() {
            return Err(taken(path));
        }
        let mut aside = path.as_os_str().to_owned();
        aside.push(format!(".{}.part", std::process::id()));
        Ok(Target::File(path.into(), aside.into(), force))
    }

    /// Lets `write` fill it. A file appears under its name when all is written; after a failure nothing is left.
    pub fn fill<T>(self, write: impl FnOnce(&mut dyn Write) -> Outcome<T>) -> Outcome<T> {
        let Target::File(path, aside, force) = self else { return write(&mut BufWriter::new(io::stdout())) };
        let failed = |e: io::Error| {
            let words = format!("cannot write {}: {e}; name a file that you may write", path.display());
            Failure::new(Code::Failed, words)
        };
        let put = || {
            let mut file = File::options().write(true).create_new(true).open(&aside).map_err(failed)?;
            let done = write(&mut file)?;
            if force {
                fs::rename(&aside, &path).map_err(failed)?;
            } else {
                // A link, since a rename would overwrite what came meanwhile.
                match fs::hard_link(&aside, &path) {
                    Ok(()) => fs::remove_file(&aside).map_err(failed)?,
                    Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Err(taken(&path)),
                    Err(_) => fs::rename(&aside, &path).map_err(failed)?, // a file system without links
                }
            }
            Ok(done)
        };
        let done = put();
        if done.is_err() {
            let _ = fs::remove_file(&aside); // it may not even be there
        }
        done
    }
}

fn taken(path: &Path) -> Failure {
    Failure::new(Code::Failed, format!("{} exists: take another name, or --force", path.display()))
}
