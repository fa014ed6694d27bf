//! What can go wrong, in words and in stable numbers.

use saltus_channel::Name;
use std::{fmt, io};

/// The result of everything here that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong. [`Error::code`] is stable; the text says what to do.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A channel in shared memory said so.
    Channel(saltus_channel::Error),
    /// A URL, a pattern or a value makes no sense.
    Invalid {
        /// What is wrong, and what would be right.
        what: String,
    },
    /// The URL's provider is unknown, or not built in.
    NoProvider {
        /// What the URL begins with.
        scheme: String,
        /// Providers that there are, and the features that would bring others.
        known: String,
        /// The Cargo feature that builds it in, if there is one.
        feature: Option<&'static str>,
    },
    /// The provider cannot do this.
    Unsupported {
        /// What was asked for, and of whom.
        what: String,
    },
    /// A message is longer than the transport carries.
    TooLong {
        /// Its length in bytes.
        len: usize,
        /// The most that it may have.
        most: usize,
    },
    /// A channel has messages of another type. Told once a channel and type.
    Type {
        /// The channel.
        channel: Name,
        /// The type expected.
        expected: String,
        /// What is there, and how it differs.
        found: String,
    },
    /// A message could not be encoded.
    Encode(saltus_wire::EncodeError),
    /// A message of the right type could not be decoded.
    Decode {
        /// The channel.
        channel: Name,
        /// Why.
        source: saltus_wire::DecodeError,
    },
    /// A message came that is no message, or not as it was sent; it is passed over. The next ones are as good as ever.
    Undecodable {
        /// Which, and what is wrong with it.
        what: String,
    },
    /// A wait was called off by a [`crate::Canceller`].
    Canceled,
    /// There will be nothing more: a log has come to its end.
    Ended,
    /// The network, with what to do.
    Network(saltus_net::Error),
    /// The system refused.
    System {
        /// What was attempted.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
}

impl Error {
    /// A number that never changes its meaning, in all languages. Those below 100 are also those of [`saltus_channel::Error::code`];
    /// 100 is a bug that C and others were spared, and 109 to 111 are of logs (`saltus_log::Error::code`).
    pub fn code(&self) -> i32 {
        match self {
            Error::Channel(e) => e.code(),
            Error::TooLong { .. } => 4,
            Error::Canceled => 6,
            Error::Invalid { .. } => 12,
            Error::System { .. } => 13,
            Error::Unsupported { .. } => 101,
            Error::Type { .. } => 103,
            Error::Encode(_) => 104,
            Error::Decode { .. } | Error::Undecodable { .. } => 105,
            Error::Ended => 106,
            Error::Network(_) => 107,
            Error::NoProvider { .. } => 108,
        }
    }

    pub(crate) fn invalid(what: impl Into<String>) -> Error {
        Error::Invalid { what: what.into() }
    }
    #[cfg(any(feature = "zmq", feature = "dds", feature = "zenoh"))]
    pub(crate) fn undecodable(what: impl Into<String>) -> Error {
        Error::Undecodable { what: what.into() }
    }
    pub(crate) fn unsupported(what: impl Into<String>) -> Error {
        Error::Unsupported { what: what.into() }
    }
    pub(crate) fn system(what: impl Into<String>, source: io::Error) -> Error {
        Error::System { what: what.into(), source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Channel(e) => e.fmt(f),
            Error::Network(e) => e.fmt(f),
            Error::Invalid { what } | Error::Unsupported { what } | Error::Undecodable { what } => {
                f.write_str(what)
            }
            Error::NoProvider { known, feature: Some(feature), .. } => {
                write!(
                    f,
                    "this build has no {feature}://; build it with `--features {feature}`, or use what there is: {known}"
                )
            }
            Error::NoProvider { scheme, known, feature: None } => {
                write!(f, "no provider is called `{scheme}://`; this build has {known}")
            }
            Error::TooLong { len, most } => {
                write!(f, "a message of {len} B is longer than the {most} B that this transport carries")
            }
            Error::Type { channel, expected, found } => {
                write!(f, "channel `{channel}` was expected to have `{expected}`, but has {found}")
            }
            Error::Encode(e) => e.fmt(f),
            Error::Decode { channel, source } => write!(f, "a message of channel `{channel}`: {source}"),
            Error::Canceled => f.write_str("the wait was called off"),
            Error::Ended => f.write_str("there is nothing more to come"),
            Error::System { what, source } => write!(f, "cannot {what}: {source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Channel(e) => Some(e),
            Error::Network(e) => Some(e),
            Error::Encode(e) => Some(e),
            Error::Decode { source, .. } => Some(source),
            Error::System { source, .. } => Some(source),
            _ => None,
        }
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
    fn from(e: saltus_net::Error) -> Error {
        Error::Network(e)
    }
}
impl From<saltus_wire::EncodeError> for Error {
    fn from(e: saltus_wire::EncodeError) -> Error {
        Error::Encode(e)
    }
}
