//! Errors of the plain layout.

use std::fmt;

/// Why bytes are not a message in the plain layout of a type, or cannot become one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlainError {
    /// The message has another layout, or none.
    Layout {
        /// The expected type.
        name: &'static str,
        /// The hash of its layout.
        expected: u64,
        /// The first bytes of the message.
        found: u64,
    },
    /// The message has fewer bytes than the struct.
    Truncated {
        /// The type.
        name: &'static str,
        /// Bytes of a message of that type.
        needed: usize,
        /// Bytes present.
        has: usize,
    },
    /// The buffer for a message has fewer bytes than the struct.
    TooSmall {
        /// The type.
        name: &'static str,
        /// Bytes of a message of that type.
        needed: usize,
        /// Bytes present.
        has: usize,
    },
    /// The bytes are not aligned for the struct.
    Misaligned {
        /// The type.
        name: &'static str,
        /// The required alignment.
        align: usize,
    },
}

impl fmt::Display for PlainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlainError::Layout { name, expected, found } => write!(
                f,
                "another layout: the message starts with {found:016x}, the plain layout of `{name}` is \
                 {expected:016x} here; compile both programs with the same type file"
            ),
            PlainError::Truncated { name, needed, has } => {
                write!(f, "truncated: a plain `{name}` has {needed} bytes, the message {has}")
            }
            PlainError::TooSmall { name, needed, has } => {
                write!(f, "the buffer is too small: a plain `{name}` needs {needed} bytes, it has {has}")
            }
            PlainError::Misaligned { name, align } => write!(
                f,
                "the bytes of a plain `{name}` do not start at a multiple of {align}: use `plain::copy` to read, \
                 `plain::write` to write"
            ),
        }
    }
}
impl std::error::Error for PlainError {}
