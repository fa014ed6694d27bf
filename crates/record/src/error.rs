//! Errors of recording.

use std::io;
use std::path::{Path, PathBuf};

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error. The text includes a remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of a domain.
    #[error(transparent)]
    Domain(#[from] saltus_domain::Error),
    /// The file exists already.
    #[error("{} exists: choose another name, number the files with --increment, or overwrite it with --force", path.display())]
    Exists {
        /// Its path.
        path: PathBuf,
    },
    /// An invalid file name.
    #[error("invalid file name `{}`: {why}", name.display())]
    Name {
        /// The name.
        name: PathBuf,
        /// The reason.
        why: String,
    },
    /// A file could not be created or written.
    #[error("cannot {what} {}: {}", path.display(), remedy(source))]
    File {
        /// The attempted operation.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The free space on the disk fell below the limit.
    #[error("the disk of {} has {left} B left, less than the {least} B of --disk-quota: free some space", path.display())]
    Quota {
        /// The file that is being written.
        path: PathBuf,
        /// Free bytes.
        left: u64,
        /// The limit in bytes.
        least: u64,
    },
    /// Options that contradict each other.
    #[error("{0}")]
    Options(&'static str),
    /// A thread could not be started.
    #[error("cannot start the thread that writes: {0}")]
    Thread(#[source] io::Error),
}

impl Error {
    pub(crate) fn file(what: &'static str, path: &Path, source: io::Error) -> Error {
        Error::File { what, path: path.into(), source }
    }
}

/// What the system said, with a remedy where it is known.
fn remedy(source: &io::Error) -> String {
    match source.kind() {
        io::ErrorKind::StorageFull => "the disk is full; earlier data is intact".into(),
        io::ErrorKind::FileTooLarge => {
            "it would exceed the file size limit of this process: raise it (`ulimit -f`), or use --split-size"
                .into()
        }
        _ => source.to_string(),
    }
}
