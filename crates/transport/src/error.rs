//! Errors, with text for people and stable numbers for programs.

use saltus_channel::Name;
use std::io;

/// The result of fallible functions of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// An error. [`Error::code`] is stable; the text says how to fix it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A channel in shared memory returned an error.
    #[error("{0}")]
    Channel(#[source] saltus_channel::Error),
    /// A URL, a pattern or a value is invalid.
    #[error("{what}")]
    Invalid {
        /// What is wrong, and what is expected.
        what: String,
    },
    /// The URL's provider is unknown, or not built in.
    #[error("{}", missing(scheme, known, *feature))]
    NoProvider {
        /// The URL's scheme.
        scheme: String,
        /// The providers of this build, and the features that would add others.
        known: String,
        /// The Cargo feature that adds it, if there is one.
        feature: Option<&'static str>,
    },
    /// The provider cannot do this.
    #[error("{what}")]
    Unsupported {
        /// What was requested, and from what.
        what: String,
    },
    /// A message is longer than the transport carries.
    #[error("a message of {len} B is longer than the {most} B that this transport carries")]
    TooLong {
        /// Its length in bytes.
        len: usize,
        /// The maximum in bytes.
        most: usize,
    },
    /// A channel has messages of another type. Returned once per channel and type.
    #[error("channel `{channel}` was expected to have `{expected}`, but has {found}")]
    Type {
        /// The channel.
        channel: Name,
        /// The type expected.
        expected: String,
        /// The type found, and how it differs.
        found: String,
    },
    /// A message could not be encoded.
    #[error("{0}")]
    Encode(#[from] saltus_wire::EncodeError),
    /// A message of the right type could not be decoded.
    #[error("a message of channel `{channel}`: {source}")]
    Decode {
        /// The channel.
        channel: Name,
        /// Why.
        source: saltus_wire::DecodeError,
    },
    /// A received message is malformed or damaged; it is skipped. Later messages are not affected.
    #[error("{what}")]
    DecodeFailed {
        /// The message, and what is wrong with it.
        what: String,
    },
    /// A wait was canceled by a [`saltus_channel::CancelHandle`].
    #[error("the wait was canceled")]
    Canceled,
    /// The end of a log: no more messages.
    #[error("there are no more messages")]
    Ended,
    /// A file is not a log, or not of a kind that can be played.
    #[error("{what}")]
    NotALog {
        /// The file, and what is wrong with it.
        what: String,
    },
    /// An error of the network, with a remedy.
    #[error("{0}")]
    Network(#[source] saltus_net::Error),
    /// The system refused.
    #[error("cannot {what}: {source}")]
    System {
        /// What was attempted.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
}

impl Error {
    /// A number that never changes its meaning, in all languages. Those below 100 are shared with
    /// [`saltus_channel::Error::code`]. 100 marks a caught panic in bindings. 109 to 111 are of logs
    /// (`saltus_log::Error::code`), 109 also of logs that are played.
    pub fn code(&self) -> i32 {
        match self {
            Error::Channel(e) => e.code(),
            Error::TooLong { .. } | Error::Network(saltus_net::Error::TooManyFragments { .. }) => 4,
            Error::Canceled => 6,
            Error::Invalid { .. } => 12,
            // For a file, as in `saltus_log::Error::code`.
            Error::System { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => 1,
                io::ErrorKind::AlreadyExists => 2,
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => 8,
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => 9,
                _ => 13,
            },
            Error::Unsupported { .. } => 101,
            Error::Type { .. } => 103,
            Error::Encode(_) => 104,
            Error::Decode { .. } | Error::DecodeFailed { .. } => 105,
            Error::Ended => 106,
            Error::Network(_) => 107,
            Error::NoProvider { .. } => 108,
            Error::NotALog { .. } => 109,
        }
    }

    /// Whether a hub, or the library of a transport, did not accept a message in time: no part of it was sent, and
    /// it can be published again. It is false when the kernel's send buffer is full, since part of the message may
    /// have been sent.
    pub fn is_full(&self) -> bool {
        match self {
            Error::Network(saltus_net::Error::Socket { source, .. }) | Error::System { source, .. } => {
                source.kind() == io::ErrorKind::WouldBlock
            }
            _ => false,
        }
    }

    /// An [`Error::Invalid`].
    pub fn invalid(what: impl Into<String>) -> Error {
        Error::Invalid { what: what.into() }
    }
    /// An [`Error::DecodeFailed`].
    pub fn undecodable(what: impl Into<String>) -> Error {
        Error::DecodeFailed { what: what.into() }
    }
    /// An [`Error::Unsupported`].
    pub fn unsupported(what: impl Into<String>) -> Error {
        Error::Unsupported { what: what.into() }
    }
    /// An [`Error::System`]: `cannot {what}: {source}`.
    pub fn system(what: impl Into<String>, source: io::Error) -> Error {
        Error::System { what: what.into(), source }
    }
}

fn missing(scheme: &str, known: &str, feature: Option<&str>) -> String {
    match feature {
        Some(feature) => {
            format!(
                "this build has no {feature}://; build it with `--features {feature}`, or use one of: {known}"
            )
        }
        None => format!("unknown scheme `{scheme}://`; this build supports {known}"),
    }
}

impl From<saltus_channel::Error> for Error {
    fn from(e: saltus_channel::Error) -> Error {
        match e {
            saltus_channel::Error::Canceled => Error::Canceled,
            other => Error::Channel(other),
        }
    }
}
impl From<saltus_net::Error> for Error {
    /// An invalid message, name or option is not an error of the network.
    fn from(e: saltus_net::Error) -> Error {
        match e {
            saltus_net::Error::TooLong { size } => {
                Error::TooLong { len: size, most: saltus_net::lcm::MESSAGE }
            }
            saltus_net::Error::Channel { .. } | saltus_net::Error::Invalid { .. } => {
                Error::invalid(e.to_string())
            }
            other => Error::Network(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_is_too_long_for_a_network_is_no_fault_of_the_network() {
        for too_long in [
            saltus_net::Error::TooLong { size: 1 << 29 },
            saltus_net::Error::TooManyFragments { size: 1 << 27, datagram: 1400 },
        ] {
            assert_eq!(Error::from(too_long).code(), 4);
        }
        assert_eq!(Error::from(saltus_net::Error::Full).code(), 107);
    }

    #[test]
    fn only_unsent_messages_can_be_published_again() {
        let socket = |kind: io::ErrorKind| saltus_net::Error::Socket {
            what: "publish".into(),
            remedy: "publish less".into(),
            source: kind.into(),
        };
        assert!(Error::from(socket(io::ErrorKind::WouldBlock)).is_full());
        assert!(!Error::from(socket(io::ErrorKind::BrokenPipe)).is_full());
        assert!(Error::system("publish", io::ErrorKind::WouldBlock.into()).is_full());
        assert!(!Error::from(saltus_net::Error::Full).is_full() && !Error::Ended.is_full());
    }
}
