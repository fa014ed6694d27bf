//! Errors of the robot's programs and of the demo.

use std::fmt;
use std::io;

/// An error. The text includes a remedy if that is not obvious.
#[derive(Debug)]
pub enum Error {
    /// An error of a channel.
    Channel(saltus_channel::Error),
    /// A system call failed.
    System {
        /// The attempted operation.
        what: String,
        /// The cause.
        source: io::Error,
    },
    /// Something in the way must be removed.
    InTheWay(String),
    /// The command line is invalid.
    Usage(String),
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Wraps a system error with the attempted operation.
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> Error {
        let what = what.into();
        |source| Error::System { what, source }
    }
}

impl From<saltus_channel::Error> for Error {
    fn from(e: saltus_channel::Error) -> Error {
        Error::Channel(e)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Channel(e) => e.fmt(f),
            Error::System { what, source } => write!(f, "{what}: {source}"),
            Error::InTheWay(what) | Error::Usage(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Channel(e) => Some(e),
            Error::System { source, .. } => Some(source),
            Error::InTheWay(_) | Error::Usage(_) => None,
        }
    }
}
