//! What can go wrong, in words with a remedy.

use crate::lcm::{CHANNEL, MESSAGE};
use std::fmt;
use std::io;

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong on a network.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Not a channel's name: it has 1 to 63 bytes, none of them NUL.
    Channel {
        /// What was given, as text.
        name: String,
    },
    /// The message is longer than LCM's receivers take.
    TooLong {
        /// Bytes of the message.
        size: usize,
    },
    /// The message would need more fragments than a packet can number.
    TooManyFragments {
        /// Bytes of the message.
        size: usize,
        /// Bytes of one datagram that were asked for.
        datagram: usize,
    },
    /// The kernel has no room for another datagram now; this message was not sent, or not all of it.
    Full,
    /// A socket could not be made, set up or used.
    Socket {
        /// What was attempted.
        what: String,
        /// What to do.
        remedy: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// An option has no meaning.
    Invalid {
        /// What is wrong, and what would be right.
        what: String,
    },
    /// What was sent did not come back: see [`crate::lcm::check`].
    SelfTest {
        /// What is wrong.
        what: String,
        /// What to type.
        remedy: String,
    },
}

impl Error {
    /// A failed call on a socket.
    pub(crate) fn socket(what: impl Into<String>, remedy: impl Into<String>, source: io::Error) -> Error {
        Error::Socket { what: what.into(), remedy: remedy.into(), source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Channel { name } => {
                write!(f, "`{name}` is not a channel of LCM: choose a name of 1 to {CHANNEL} bytes without NUL")
            }
            Error::TooLong { size } => write!(
                f,
                "a message of {size} B is longer than LCM's receivers take, {MESSAGE} B: send it in parts or as a file"
            ),
            Error::TooManyFragments { size, datagram } => write!(
                f,
                "a message of {size} B needs more than 65535 datagrams of {datagram} B: allow larger datagrams"
            ),
            Error::Full => f.write_str(
                "the kernel's send buffer is full, the message was dropped: send less, or give more by `send_buf`",
            ),
            Error::Socket { what, remedy, source } => write!(f, "{what}: {source}; {remedy}"),
            Error::Invalid { what } => f.write_str(what),
            Error::SelfTest { what, remedy } => write!(f, "{what}; {remedy}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Socket { source, .. } => Some(source),
            _ => None,
        }
    }
}
