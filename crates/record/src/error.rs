//! What can go wrong while recording.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong. The text says what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A domain said so.
    Domain(saltus_domain::Error),
    /// The file exists already.
    Exists {
        /// Which.
        path: PathBuf,
    },
    /// A name that cannot be one.
    Name {
        /// The name.
        name: PathBuf,
        /// Why.
        why: String,
    },
    /// A file could not be made or written.
    File {
        /// What was attempted.
        what: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// There is less room left on the disk than was asked to be left.
    Quota {
        /// The file that is being written.
        path: PathBuf,
        /// Bytes that are left.
        left: u64,
        /// Bytes that should be.
        least: u64,
    },
    /// Options that contradict each other.
    Options(&'static str),
    /// A thread could not be started.
    Thread(io::Error),
}

impl Error {
    pub(crate) fn file(what: &'static str, path: &Path, source: io::Error) -> Error {
        Error::File { what, path: path.into(), source }
    }
}

impl From<saltus_domain::Error> for Error {
    fn from(e: saltus_domain::Error) -> Error {
        Error::Domain(e)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Domain(e) => e.fmt(f),
            Error::Exists { path } => write!(
                f,
                "{} exists: choose another name, number the files with --increment, or overwrite it with --force",
                path.display()
            ),
            Error::Name { name, why } => write!(f, "the name `{}` makes no file: {why}", name.display()),
            Error::File { what, path, source } if source.kind() == io::ErrorKind::StorageFull => {
                write!(
                    f,
                    "cannot {what} {}: the disk is full; what was written before is whole",
                    path.display()
                )
            }
            Error::File { what, path, source } if source.kind() == io::ErrorKind::FileTooLarge => write!(
                f,
                "cannot {what} {}: it would be longer than files of this process may be: raise the limit (`ulimit -f`), or use --split-size",
                path.display()
            ),
            Error::File { what, path, source } => write!(f, "cannot {what} {}: {source}", path.display()),
            Error::Quota { path, left, least } => write!(
                f,
                "{left} B are left on the disk of {}, less than the {least} B that --disk-quota leaves to others: make room",
                path.display()
            ),
            Error::Options(what) => f.write_str(what),
            Error::Thread(e) => write!(f, "cannot start the thread that writes: {e}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Domain(e) => e.source(),
            Error::File { source, .. } | Error::Thread(source) => Some(source),
            _ => None,
        }
    }
}
