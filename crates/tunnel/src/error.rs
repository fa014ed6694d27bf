//! What can go wrong, in words with a remedy.

use std::fmt;
use std::io;

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A setting or a value makes no sense; says what would.
    Invalid(String),
    /// The message is longer than one block of the code holds.
    TooLong {
        /// Its length in bytes.
        len: usize,
        /// The most that it may have.
        most: usize,
    },
    /// The domain at this end.
    Domain(saltus_domain::Error),
    /// A socket, or something else of the system.
    System {
        /// What was attempted, and what to do.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn system(what: impl Into<String>, source: io::Error) -> Error {
        Error::System { what: what.into(), source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Invalid(what) => f.write_str(what),
            Error::TooLong { len, most } => write!(
                f,
                "a message of {len} B is longer than the {most} B that the tunnel carries: send it in parts, or allow larger datagrams"
            ),
            Error::Domain(e) => e.fmt(f),
            Error::System { what, source } => write!(f, "{what}: {source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Domain(e) => Some(e),
            Error::System { source, .. } => Some(source),
            Error::Invalid(_) | Error::TooLong { .. } => None,
        }
    }
}

impl From<saltus_domain::Error> for Error {
    fn from(e: saltus_domain::Error) -> Error {
        Error::Domain(e)
    }
}
