//! What can go wrong.

use std::fmt;

/// The result of playing a log.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// Why a log is not played.
#[derive(Debug)]
pub enum Error {
    /// A log cannot be read.
    Log(saltus_log::Error),
    /// The domain.
    Domain(saltus_domain::Error),
    /// Original timestamps are wanted in a domain that carries none.
    NoTimestamps {
        /// URL of the domain, harmless to print.
        url: String,
    },
    /// Original timestamps are wanted of a log that is longer than the machine has been running.
    TooLong,
    /// The time of the log cannot be encoded.
    Clock(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Log(error) => error.fmt(f),
            Error::Domain(error) => error.fmt(f),
            Error::NoTimestamps { url } => write!(f, "{url} carries no timestamps of the publisher"),
            Error::TooLong => f.write_str("the log is longer than this machine has been running"),
            Error::Clock(why) => write!(f, "the clock: {why}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<saltus_log::Error> for Error {
    fn from(error: saltus_log::Error) -> Error {
        Error::Log(error)
    }
}

impl From<saltus_domain::Error> for Error {
    fn from(error: saltus_domain::Error) -> Error {
        Error::Domain(error)
    }
}
