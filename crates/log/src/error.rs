//! Errors of reading and writing logs.

use crate::lcm::Unwritable;
use std::io;

/// Why a log cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A system call failed; the text says which.
    #[error("cannot {0}: {1}")]
    Io(String, #[source] io::Error),
    /// Not a log of a known format; the text says what the file contains.
    #[error("not a log file: {0}")]
    NotALog(String),
    /// The event cannot be in a log of this format.
    #[error("{0}")]
    Unwritable(String),
    /// A message cannot be converted back to the published bytes.
    #[error("a message of channel `{channel}` cannot be converted back to the published bytes: {why}")]
    DecodeFailed {
        /// Its channel, escaped for printing.
        channel: String,
        /// The reason.
        why: String,
    },
    /// The log has changed since it was opened: another process writes it.
    #[error("the log is being written or was changed: open it again")]
    Changed,
}

/// The result of fallible functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A number that never changes its meaning, in all languages, shared with `saltus_channel::Error::code`.
    pub fn code(&self) -> i32 {
        match self {
            Error::Io(_, error) => match error.kind() {
                io::ErrorKind::NotFound => 1,
                io::ErrorKind::AlreadyExists => 2,
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => 8,
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => 9,
                _ => 13,
            },
            Error::DecodeFailed { .. } => 105,
            Error::NotALog(_) => 109,
            Error::Unwritable(_) => 110,
            Error::Changed => 111,
        }
    }
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
        |error| Error::Io(what.into(), error)
    }
    /// An error of the crate `mcap`.
    pub(crate) fn mcap(error: mcap::McapError) -> Error {
        match error {
            mcap::McapError::Io(error) => Error::Io("write the log".into(), error),
            error => Error::Unwritable(error.to_string()),
        }
    }
}

impl From<Unwritable> for Error {
    fn from(error: Unwritable) -> Error {
        Error::Unwritable(error.to_string())
    }
}
