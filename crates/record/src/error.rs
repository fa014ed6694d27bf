//! Errors of recording.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error. The text includes a remedy.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// An error of a domain.
    Domain(saltus_domain::Error),
    /// The file exists already.
    Exists {
        /// Its path.
        path: PathBuf,
    },
    /// An invalid file name.
    Name {
        /// The name.
        name: PathBuf,
        /// The reason.
        why: String,
    },
    /// A file could not be created or written.
    File {
        /// The attempted operation.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The free space on the disk fell below the limit.
    Quota {
        /// The file that is being written.
        path: PathBuf,
        /// Free bytes.
        left: u64,
        /// The limit in bytes.
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
            Error::Name { name, why } => write!(f, "invalid file name `{}`: {why}", name.display()),
            Error::File { what, path, source } if source.kind() == io::ErrorKind::StorageFull => {
                write!(f, "cannot {what} {}: the disk is full; earlier data is intact", path.display())
            }
            Error::File { what, path, source } if source.kind() == io::ErrorKind::FileTooLarge => write!(
                f,
                "cannot {what} {}: it would exceed the file size limit of this process: raise it (`ulimit -f`), or use --split-size",
                path.display()
            ),
            Error::File { what, path, source } => write!(f, "cannot {what} {}: {source}", path.display()),
            Error::Quota { path, left, least } => write!(
                f,
                "the disk of {} has {left} B left, less than the {least} B of --disk-quota: free some space",
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
