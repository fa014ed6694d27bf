//! Errors of playing.

/// The result of playing a log.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// The reason why a log is not played.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A log cannot be read.
    #[error(transparent)]
    Log(#[from] saltus_log::Error),
    /// An error of the domain.
    #[error(transparent)]
    Domain(#[from] saltus_domain::Error),
    /// The domain does not support original timestamps.
    #[error("{url} has no timestamps by publishers")]
    NoTimestamps {
        /// URL of the domain, without control characters.
        url: String,
    },
    /// Original timestamps are impossible: the log is longer than the machine's uptime.
    #[error("the log is longer than the uptime of this machine")]
    TooLong,
    /// The time of the log cannot be encoded.
    #[error("cannot publish the time of the log: {0}")]
    Clock(String),
}
