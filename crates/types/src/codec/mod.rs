//! Converts between bytes and records: one traversal of the fields for all binary encodings, which differ only in
//! their [`Format`].

mod decode;
mod encode;
mod error;
mod limits;

pub(crate) use decode::Decoder;
pub(crate) use encode::Encoder;
pub use error::{DecodeCause, DecodeError, EncodeCause, EncodeError};
#[cfg(feature = "arbitrary")]
pub(crate) use limits::allowed;

use crate::StructId;

/// The byte order of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Big,
    Little,
}

impl Order {
    /// The machine's.
    pub const NATIVE: Order = if cfg!(target_endian = "little") { Order::Little } else { Order::Big };
}

/// Where an array's number of elements is encoded, besides its size field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counts {
    /// Nowhere.
    None,
    /// Once before all elements, if any dimension is variable.
    Whole,
    /// Before each variable dimension: sequences of sequences.
    Each,
}

/// The properties of a binary encoding.
pub(crate) trait Format {
    /// Order of the bytes.
    fn order(&self) -> Order;
    /// Where arrays are counted.
    fn counts(&self) -> Counts {
        Counts::None
    }
    /// Whether a string may have the length 0, without even a NUL. Some CDR writers do that.
    fn bare_strings(&self) -> bool {
        false
    }
    /// Whether an empty struct is one byte.
    fn dummy(&self) -> bool {
        false
    }
    /// Padding before a number of `size` bytes at byte `at`.
    fn padding(&self, at: usize, size: usize) -> usize {
        let _ = (at, size);
        0
    }
    /// A struct starts at byte `at`.
    fn enter(&mut self, id: StructId, at: usize) {
        let _ = (id, at);
    }
    /// Padding before a field of the present struct.
    fn field(&mut self, index: usize, at: usize) -> usize {
        let _ = (index, at);
        0
    }
    /// The present struct ends; returns the padding after it.
    fn leave(&mut self, at: usize) -> usize {
        let _ = at;
        0
    }
}
