//! Errors of the library.

use saltus_transport::Error;
use std::fmt::Display;

/// An error of the library.
pub(super) fn failed(what: impl Display, why: impl Display) -> Error {
    Error::system(what.to_string(), std::io::Error::other(why.to_string()))
}
