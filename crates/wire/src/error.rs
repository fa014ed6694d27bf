//! Errors of encoding and decoding.

use std::fmt;

/// Why a message could not be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The buffer is too small; this many bytes are needed.
    TooSmall(usize),
    /// An array's number of elements differs from its size field.
    Size {
        /// `type.field` of the array.
        field: &'static str,
        /// Name of the size field.
        size_field: &'static str,
        /// The value of the size field.
        says: i64,
        /// The number of elements.
        has: usize,
    },
    /// An array has more elements than its size field can hold.
    TooManyElements {
        /// `type.field` of the array.
        field: &'static str,
        /// Name of the size field.
        size_field: &'static str,
        /// Type of the size field: `int8_t`.
        ty: &'static str,
        /// The number of elements.
        has: usize,
    },
    /// A string contains a NUL, which ends a string on the wire.
    Nul,
    /// A string is longer than an int32 length can hold.
    TooLong(usize),
    /// Structs are nested deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
    TooDeep,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::TooSmall(need) => write!(f, "the buffer is too small: {need} bytes are needed"),
            EncodeError::Size { field, size_field, says, has } => {
                write!(f, "`{field}` has {has} elements, but `{size_field}` is {says}; `set_sizes()` sets it")
            }
            EncodeError::TooManyElements { field, size_field, ty, has } => {
                write!(
                    f,
                    "`{field}` has {has} elements, but `{size_field}` is an {ty}, which cannot hold {has}"
                )
            }
            EncodeError::Nul => f.write_str("a string contains a NUL byte, which would end it on the wire"),
            EncodeError::TooLong(len) => {
                write!(f, "a string of {len} bytes is longer than the encoding allows")
            }
            EncodeError::TooDeep => {
                write!(f, "structs are nested more than {} deep", crate::MAX_DEPTH)
            }
        }
    }
}
impl std::error::Error for EncodeError {}

/// Why bytes could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// The bytes are of another type.
    Fingerprint {
        /// The expected fingerprint.
        expected: u64,
        /// The first bytes of the message.
        found: u64,
    },
    /// The bytes end before the message does.
    Truncated {
        /// Offset in bytes from the start.
        at: usize,
        /// A lower bound of the missing bytes.
        missing: usize,
    },
    /// An array's size field is negative.
    NegativeSize {
        /// Offset of the array.
        at: usize,
        /// The value of its size field.
        size: i64,
    },
    /// A string's length is 0 or negative, although it includes the NUL.
    StringLength {
        /// Offset of the length.
        at: usize,
        /// The length.
        length: i32,
    },
    /// A string does not end with a NUL.
    StringEnd {
        /// Offset of its last byte.
        at: usize,
    },
    /// A string is not UTF-8, which the receiving type requires.
    NotUtf8 {
        /// Offset of the string.
        at: usize,
    },
    /// Structs are nested deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
    TooDeep {
        /// Offset in bytes.
        at: usize,
    },
    /// More elements of zero size on the wire than a message of this length may have.
    TooMany {
        /// Offset in bytes.
        at: usize,
        /// The number of elements.
        size: u64,
    },
    /// Bytes follow the message.
    Trailing {
        /// Offset of the end of the message.
        at: usize,
        /// The number of bytes after it.
        left: usize,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Fingerprint { expected, found } => {
                write!(f, "another type: fingerprint {found:016x}, expected {expected:016x}")
            }
            DecodeError::Truncated { at, missing } => {
                write!(f, "truncated: {missing} more bytes are needed at byte {at}")
            }
            DecodeError::NegativeSize { at, size } => {
                write!(f, "an array of negative size ({size}) at byte {at}")
            }
            DecodeError::StringLength { at, length } => {
                write!(f, "a string of invalid length ({length}) at byte {at}")
            }
            DecodeError::StringEnd { at } => write!(f, "a string without a NUL at its end, at byte {at}"),
            DecodeError::NotUtf8 { at } => write!(f, "a string that is not UTF-8, at byte {at}"),
            DecodeError::TooDeep { at } => {
                write!(f, "structs are nested more than {} deep, at byte {at}", crate::MAX_DEPTH)
            }
            DecodeError::TooMany { at, size } => {
                write!(f, "{size} elements of zero size, at byte {at}: more than allowed")
            }
            DecodeError::Trailing { at, left } => {
                write!(f, "{left} bytes follow the message, which ends at byte {at}")
            }
        }
    }
}
impl std::error::Error for DecodeError {}
