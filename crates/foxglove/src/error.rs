//! Errors of the server.

use std::io;

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error. The text includes a remedy.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Cannot listen on the address.
    #[error("cannot listen on {address}: {source}; name another address")]
    Listen {
        /// The address.
        address: String,
        /// The reason.
        source: io::Error,
    },
    /// A domain cannot be opened.
    #[error("{0}")]
    Domain(#[from] saltus_domain::Error),
    /// A log cannot be read.
    #[error("{0}")]
    Log(#[from] saltus_log::Error),
    /// The system cannot start a thread, or create the objects to wait on.
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
    /// The options contradict each other.
    #[error("{0}")]
    Options(&'static str),
}
