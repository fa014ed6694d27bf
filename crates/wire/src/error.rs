//! Why a message could not be encoded or decoded.

use std::fmt;

/// Why a message could not be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The buffer is too small: so many bytes are needed.
    TooSmall(usize),
    /// An array has another number of elements than its size field says.
    Size {
        /// `type.field` of the array.
        field: &'static str,
        /// Name of the size field.
        size_field: &'static str,
        /// What the size field says.
        says: i64,
        /// How many elements there are.
        has: usize,
    },
    /// An array has more elements than its size field can say.
    TooManyElements {
        /// `type.field` of the array.
        field: &'static str,
        /// Name of the size field.
        size_field: &'static str,
        /// Type of the size field: `int8_t`.
        ty: &'static str,
        /// How many elements there are.
        has: usize,
    },
    /// A string contains a NUL, which ends a string on the wire.
    Nul,
    /// A string is longer than an int32 can say.
    TooLong(usize),
    /// Structs lie in each other deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
    TooDeep,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeError::TooSmall(need) => write!(f, "the buffer is too small: {need} bytes are needed"),
            EncodeError::Size { field, size_field, says, has } => write!(
                f,
                "`{field}` has {has} elements, but `{size_field}` says {says}; `set_sizes()` makes them agree"
            ),
            EncodeError::TooManyElements { field, size_field, ty, has } => {
                write!(
                    f,
                    "`{field}` has {has} elements, but `{size_field}` is an {ty}, which cannot say {has}"
                )
            }
            EncodeError::Nul => f.write_str("a string contains a NUL byte, which would end it on the wire"),
            EncodeError::TooLong(len) => write!(f, "a string of {len} bytes is longer than the wire can say"),
            EncodeError::TooDeep => {
                write!(f, "structs lie in each other more than {} deep", crate::MAX_DEPTH)
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
        /// Fingerprint of the type that was expected.
        expected: u64,
        /// What the bytes start with.
        found: u64,
    },
    /// The bytes end before the message does.
    Truncated {
        /// Where, in bytes from the start.
        at: usize,
        /// How many more bytes were needed, at least.
        missing: usize,
    },
    /// An array's size field is negative.
    NegativeSize {
        /// Where the array was to start.
        at: usize,
        /// What its size field says.
        size: i64,
    },
    /// A string's length is 0 or negative, though it must count the NUL.
    StringLength {
        /// Where the length lies.
        at: usize,
        /// What it says.
        length: i32,
    },
    /// A string does not end with a NUL.
    StringEnd {
        /// Where its last byte lies.
        at: usize,
    },
    /// A string is not UTF-8, and the type that receives it must be.
    NotUtf8 {
        /// Where the string starts.
        at: usize,
    },
    /// Structs lie in each other deeper than [`MAX_DEPTH`](crate::MAX_DEPTH).
    TooDeep {
        /// Where.
        at: usize,
    },
    /// More elements that take no room on the wire than a message of this length may have.
    TooMany {
        /// Where.
        at: usize,
        /// How many.
        size: u64,
    },
    /// Bytes are left behind the message.
    Trailing {
        /// Where the message ends.
        at: usize,
        /// How many are left.
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
                write!(f, "a string of impossible length ({length}) at byte {at}")
            }
            DecodeError::StringEnd { at } => write!(f, "a string without a NUL at its end, at byte {at}"),
            DecodeError::NotUtf8 { at } => write!(f, "a string that is not UTF-8, at byte {at}"),
            DecodeError::TooDeep { at } => {
                write!(f, "structs lie in each other more than {} deep, at byte {at}", crate::MAX_DEPTH)
            }
            DecodeError::TooMany { at, size } => {
                write!(f, "{size} elements that take no room, at byte {at}: more than is believable")
            }
            DecodeError::Trailing { at, left } => {
                write!(f, "{left} bytes are left behind the message, which ends at byte {at}")
            }
        }
    }
}
impl std::error::Error for DecodeError {}
