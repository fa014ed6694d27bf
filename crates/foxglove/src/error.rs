//! What can go wrong.

use std::{fmt, io};

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong; the text says what to do.
#[derive(Debug)]
pub enum Error {
    /// The address cannot be listened on.
    Listen {
        /// The address.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// A domain does not open.
    Domain(saltus_domain::Error),
    /// A log cannot be read.
    Log(saltus_log::Error),
    /// The system refused a thread, or what threads wait with.
    Thread(io::Error),
    /// What was asked for does not go together.
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
