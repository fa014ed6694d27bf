//! Errors of decoding and encoding, with the field.

use saltus_wire::{DecodeError as BytesError, EncodeError as ValueError};
use std::fmt;

/// Why bytes could not be decoded, and in which field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeError {
    /// The field, such as `pose.position[2]`; empty for the whole message.
    pub path: String,
    /// The cause.
    pub cause: DecodeCause,
}

/// Why bytes could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeCause {
    /// The bytes are invalid, or too few. Offsets are counted from the first byte of the message.
    Bytes(BytesError),
    /// Its values would take far more memory than its bytes: a type with many fields of zero size, or many empty
    /// arrays.
    TooMuchMemory,
    /// CDR: the header is not that of plain CDR.
    Encapsulation {
        /// The first two bytes.
        found: u16,
    },
    /// CDR: a sequence's number of elements differs from its size field.
    Count {
        /// The value of the size field.
        says: usize,
        /// The number of elements in the sequence.
        found: u32,
    },
    /// Plain: the bytes are of another layout.
    Layout {
        /// The hash of the expected layout.
        expected: u64,
        /// The first bytes of the message.
        found: u64,
    },
    /// Plain: the type has no fixed size, and so no layout.
    NotPlain,
}

impl fmt::Display for DecodeCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeCause::Bytes(cause) => cause.fmt(f),
            DecodeCause::TooMuchMemory => {
                f.write_str("values that take far more memory than their bytes: very many that are empty")
            }
            DecodeCause::Encapsulation { found } => {
                write!(
                    f,
                    "not plain CDR: encapsulation {found:#06x}; only 0x0000 (big endian) and 0x0001 are read"
                )
            }
            DecodeCause::Count { says, found } => {
                write!(f, "array has {found} elements, but its size field is {says}")
            }
            DecodeCause::Layout { expected, found } => write!(
                f,
                "another plain layout: hash {found:016x}, expected {expected:016x}; writer and reader were built \
                 with different definitions of the type, or on machines of different byte order"
            ),
            DecodeCause::NotPlain => f.write_str("a type without a fixed size has no plain layout"),
        }
    }
}

impl From<BytesError> for DecodeCause {
    fn from(cause: BytesError) -> DecodeCause {
        DecodeCause::Bytes(cause)
    }
}

/// Why a record could not be encoded, and in which field.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EncodeError {
    /// The field, such as `pose.position[2]`; empty for the whole message.
    pub path: String,
    /// The cause.
    pub cause: EncodeCause,
}

/// Why a record could not be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeCause {
    /// The value cannot be encoded: a string with a NUL, structs nested too deep.
    Value(ValueError),
    /// An array's size differs from its size field.
    Size {
        /// Name of the size field.
        size_field: String,
        /// The value of the size field.
        says: i64,
        /// Size of that dimension of the array.
        has: usize,
    },
    /// CDR: more elements than a sequence can hold.
    TooLong(usize),
    /// Plain: the type has no fixed size, and so no layout.
    NotPlain,
    /// Plain: the record is of another struct or schema than the codec.
    OtherType,
}

impl fmt::Display for EncodeCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EncodeCause::Value(cause) => cause.fmt(f),
            EncodeCause::Size { size_field, says, has } => {
                write!(f, "has {has} elements, but `{size_field}` is {says}; `set_sizes()` sets it")
            }
            EncodeCause::TooLong(has) => write!(f, "{has} elements are more than a sequence can hold"),
            EncodeCause::NotPlain => f.write_str("a type without a fixed size has no plain layout"),
            EncodeCause::OtherType => f.write_str("the record has another type than the codec"),
        }
    }
}

impl From<ValueError> for EncodeCause {
    fn from(cause: ValueError) -> EncodeCause {
        EncodeCause::Value(cause)
    }
}

macro_rules! with_path {
    ($error:ident, $cause:ident, $inner:ident) => {
        impl $error {
            /// Prepends this field to the error's path.
            pub(crate) fn within(mut self, step: &str) -> $error {
                let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
                self.path = format!("{step}{dot}{}", self.path);
                self
            }
        }
        impl From<$cause> for $error {
            fn from(cause: $cause) -> $error {
                $error { path: String::new(), cause }
            }
        }
        impl From<$inner> for $error {
            fn from(cause: $inner) -> $error {
                $cause::from(cause).into()
            }
        }
        impl fmt::Display for $error {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                if self.path.is_empty() {
                    self.cause.fmt(f)
                } else {
                    write!(f, "`{}`: {}", self.path, self.cause)
                }
            }
        }
        impl std::error::Error for $error {}
    };
}
with_path!(DecodeError, DecodeCause, BytesError);
with_path!(EncodeError, EncodeCause, ValueError);
