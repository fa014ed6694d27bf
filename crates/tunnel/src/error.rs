//! Errors, with a remedy in their text.

use std::fmt;
use std::io;

/// The result of fallible functions of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of a tunnel.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A setting or value is invalid; the text gives the expected one.
    Invalid(String),
    /// The message is longer than a block of the code.
    TooLong {
        /// Its length in bytes.
        len: usize,
        /// The most allowed.
        most: usize,
    },
    /// An error of the domain at this end.
    Domain(saltus_domain::Error),
    /// An error of a socket, or another system call.
    System {
        /// The attempted operation, and how to fix the error.
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
