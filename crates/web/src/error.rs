//! Errors of the server.

use std::net::SocketAddr;

/// An error of the server.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Cannot listen on the address.
    #[error("cannot listen on {0}: {1}; --listen names another address and port (port 0: any that is free)")]
    Listen(SocketAddr, std::io::Error),
    /// Another system call failed.
    #[error("cannot serve: {0}")]
    System(std::io::Error),
    /// A log cannot be read.
    #[error("{0}")]
    Log(saltus_log::Error),
    /// A log's messages cannot be published, or its bookmarks cannot be read.
    #[error("{0}")]
    Play(String),
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
