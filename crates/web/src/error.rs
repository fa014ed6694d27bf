//! Errors of the server.

use std::net::SocketAddr;

/// An error of the server.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Cannot listen on the address.
    Listen(SocketAddr, std::io::Error),
    /// Another system call failed.
    System(std::io::Error),
    /// A log cannot be read.
    Log(saltus_log::Error),
    /// A log's messages cannot be published, or its bookmarks cannot be read.
    Play(String),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Listen(at, e) => {
                write!(
                    f,
                    "cannot listen on {at}: {e}; --listen names another address and port (port 0: any that is free)"
                )
            }
            Error::System(e) => write!(f, "cannot serve: {e}"),
            Error::Log(e) => write!(f, "{e}"),
            Error::Play(words) => write!(f, "{words}"),
        }
    }
}

impl std::error::Error for Error {}
