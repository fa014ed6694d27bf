//! What can go wrong with a log.

use crate::lcm::Unwritable;
use std::{fmt, io};

/// Why a log cannot be read or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The system refused; what was tried.
    Io(String, io::Error),
    /// It is no log of a format that is known: what is in it instead.
    NotALog(String),
    /// The event cannot be in a log of this format.
    Unwritable(String),
    /// A message cannot be turned back into the bytes that were published.
    DecodeFailed {
        /// Its channel, harmless to print.
        channel: String,
        /// Why.
        why: String,
    },
    /// The log is not what it was when it was opened: somebody writes it.
    Changed,
}

/// What may fail in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A number that never changes its meaning, in all languages: as `saltus_channel::Error::code` where it means the same.
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
    /// What the crate `mcap` could not do.
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(what, error) => write!(f, "cannot {what}: {error}"),
            Error::NotALog(why) => write!(f, "it is no log: {why}"),
            Error::Unwritable(why) => f.write_str(why),
            Error::DecodeFailed { channel, why } => {
                write!(
                    f,
                    "a message of channel `{channel}` cannot be turned back into what was published: {why}"
                )
            }
            Error::Changed => f.write_str("the log is being written or was changed: open it again"),
        }
    }
}
impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(_, error) => Some(error),
            _ => None,
        }
    }
}
