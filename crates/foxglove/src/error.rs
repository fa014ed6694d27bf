//! Errors of the server.

use std::{fmt, io};

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error. The text includes a remedy.
#[derive(Debug)]
pub enum Error {
    /// Cannot listen on the address.
    Listen {
        /// The address.
        address: String,
        /// The reason.
        source: io::Error,
    },
    /// A domain cannot be opened.
    Domain(saltus_domain::Error),
    /// A log cannot be read.
    Log(saltus_log::Error),
    /// The system cannot start a thread, or create the objects to wait on.
    Thread(io::Error),
    /// The options contradict each other.
    Options(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Listen { address, source } => {
                write!(f, "cannot listen on {address}: {source}; name another address")
            }
            Error::Domain(e) => e.fmt(f),
            Error::Log(e) => e.fmt(f),
            Error::Thread(e) => write!(f, "cannot start a thread: {e}"),
            Error::Options(words) => f.write_str(words),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Listen { source, .. } | Error::Thread(source) => Some(source),
            Error::Domain(e) => Some(e),
            Error::Log(e) => Some(e),
            Error::Options(_) => None,
        }
    }
}

impl From<saltus_domain::Error> for Error {
    fn from(e: saltus_domain::Error) -> Error {
        Error::Domain(e)
    }
}
impl From<saltus_log::Error> for Error {
    fn from(e: saltus_log::Error) -> Error {
        Error::Log(e)
    }
}
