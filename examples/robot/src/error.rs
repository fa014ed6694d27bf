//! What can go wrong with the robot's programs and with the demo.

use std::fmt;
use std::io;

/// An error in words, with what to do where that is not plain.
#[derive(Debug)]
pub enum Error {
    /// A channel would not do it.
    Channel(saltus_channel::Error),
    /// The system refused.
    System {
        /// What was attempted.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
    /// Something is in the way that somebody has to remove.
    InTheWay(String),
    /// The program was called wrongly.
    Usage(String),
}

/// The usual result.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Wraps a system error with what was attempted.
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
