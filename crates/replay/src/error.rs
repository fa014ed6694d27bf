//! Errors of playing.

use std::fmt;

/// The result of playing a log.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// The reason why a log is not played.
#[derive(Debug)]
pub enum Error {
    /// A log cannot be read.
    Log(saltus_log::Error),
    /// An error of the domain.
    Domain(saltus_domain::Error),
    /// The domain does not support original timestamps.
    NoTimestamps {
        /// URL of the domain, without control characters.
        url: String,
    },
    /// Original timestamps are impossible: the log is longer than the machine's uptime.
    TooLong,
    /// The time of the log cannot be encoded.
    Clock(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Log(error) => error.fmt(f),
            Error::Domain(error) => error.fmt(f),
            Error::NoTimestamps { url } => write!(f, "{url} has no timestamps by publishers"),
            Error::TooLong => f.write_str("the log is longer than the uptime of this machine"),
            Error::Clock(why) => write!(f, "cannot publish the time of the log: {why}"),
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
