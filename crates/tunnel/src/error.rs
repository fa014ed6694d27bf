//! Errors, with a remedy in their text.

use std::io;

/// The result of fallible functions of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of a tunnel.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting or value is invalid; the text gives the expected one.
    #[error("{0}")]
    Invalid(String),
    /// The message is longer than a block of the code.
    #[error(
        "a message of {len} B is longer than the {most} B that the tunnel carries: send it in parts, or allow larger datagrams"
    )]
    TooLong {
        /// Its length in bytes.
        len: usize,
        /// The most allowed.
        most: usize,
    },
    /// An error of the domain at this end.
    #[error("{0}")]
    Domain(#[from] saltus_domain::Error),
    /// An error of a socket, or another system call.
    #[error("{what}: {source}")]
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
