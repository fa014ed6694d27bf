//! Errors, with a remedy in their text.

use crate::lcm::{CHANNEL, MESSAGE};
use std::io;

/// The result of fallible functions of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the network.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not a valid channel name: it must have 1 to 63 bytes without NUL.
    #[error("`{name}` is not a channel of LCM: choose a name of 1 to {} bytes without NUL", CHANNEL)]
    Channel {
        /// The name given, as text.
        name: String,
    },
    /// The message is longer than LCM's receivers accept.
    #[error(
        "a message of {size} B is longer than LCM's receivers accept, {} B: send it in parts or as a file",
        MESSAGE
    )]
    TooLong {
        /// Length of the message in bytes.
        size: usize,
    },
    /// The message would need more fragments than a packet can number.
    #[error("a message of {size} B needs more than 65535 datagrams of {datagram} B: allow larger datagrams")]
    TooManyFragments {
        /// Length of the message in bytes.
        size: usize,
        /// Requested length of a datagram in bytes.
        datagram: usize,
    },
    /// The kernel's send buffer is full; the message was not sent, or only a part of it.
    #[error(
        "the kernel's send buffer is full, the message was dropped: send less, or set a larger `send_buf`"
    )]
    Full,
    /// A socket could not be opened, configured or used.
    #[error("{what}: {source}; {remedy}")]
    Socket {
        /// The attempted operation.
        what: String,
        /// How to fix it.
        remedy: String,
        /// The kernel's error.
        source: io::Error,
    },
    /// An option is invalid.
    #[error("{what}")]
    Invalid {
        /// The error and the expected value.
        what: String,
    },
    /// A message sent to the group did not return: see [`crate::lcm::check`].
    #[error("{what}; {remedy}")]
    SelfTest {
        /// What is wrong.
        what: String,
        /// The command that fixes it.
        remedy: String,
    },
}

impl Error {
    /// An error of a socket call.
    pub(crate) fn socket(what: impl Into<String>, remedy: impl Into<String>, source: io::Error) -> Error {
        Error::Socket { what: what.into(), remedy: remedy.into(), source }
    }
}
