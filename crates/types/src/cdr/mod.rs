//! CDR, the encoding of DDS and ROS 2, and the schema texts with which their tools decode it.
//!
//! The encoding is plain CDR (XCDR1): a header of four bytes with the byte order (`00 01 00 00` is little endian),
//! then the fields in order, every number at a multiple of its size, counted from the end of the header. MCAP calls
//! it `cdr`. With a schema text ([`schema`]), any viewer decodes the types of this language without a plug-in.
//!
//! Some of LCM's types do not exist there, so they are mapped, with small differences between the two schema
//! languages:
//!
//! | here | [`Dialect::OmgIdl`] | [`Dialect::Ros2Msg`] |
//! |---|---|---|
//! | `int8_t` … `int64_t` | `int8` … `int64` | `int8` … `int64` |
//! | `byte` | `octet` | `uint8` |
//! | `float`, `double` | `float`, `double` | `float32`, `float64` |
//! | `string` | `string` | `string` |
//! | `boolean` | `boolean` | `bool` |
//! | an enum | `int32`; its names in a comment | `int32`; its names in a comment |
//! | `x[3]` | `x[3]` | `[3] x` |
//! | `x[n]` | `sequence<T> x` | `[] x` |
//! | `x[2][3]` | `x[2][3]` | `[6] x`, the last dimension fastest |
//! | `x[n][3]`, `x[n][m]` | `sequence<row> x`, where `row` is a struct with the array or sequence | `[] x` of all elements, the last dimension fastest |
//! | the size field `n` | stays a field | stays a field, and gives the shape |
//! | an empty struct | one `octet`, as in ROS 2 | one `uint8`, as in ROS 2 |
//! | a constant | a constant in a module `NAME_Constants` | a constant of the message, in capitals |
//! | a struct that contains itself | not possible | not possible |
//!
//! A struct around a row does not change the bytes: they are those of `sequence<sequence<T>>` and `sequence<T[3]>`.
//! Names differ too; [`idl`] and [`ros2msg`] have the rules.

mod cycle;
mod dialect;
pub(crate) mod words;

use crate::codec::{Counts, DecodeCause, DecodeError, Decoder, EncodeError, Encoder, Format, Order};
use crate::value::Record;
use crate::{Schema, StructId, idl, ros2msg};
use saltus_wire::{DecodeError as BytesError, Reader};
use std::sync::Arc;

pub use cycle::Unsupported;
pub(crate) use cycle::order;
pub use dialect::{CdrSchema, Dialect};

/// The byte order of numbers to write. Both are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Endian {
    /// Least significant byte first: what all other programs write.
    #[default]
    Little,
    /// Most significant byte first.
    Big,
}

/// The schema text for struct `id`.
///
/// # Errors
/// A struct that contains itself: neither schema language can express that. Its messages can still be published
/// without conversion.
pub fn schema(schema: &Schema, id: StructId, dialect: Dialect) -> Result<CdrSchema, Unsupported> {
    match dialect {
        Dialect::OmgIdl => idl::schema(schema, id),
        Dialect::Ros2Msg => ros2msg::schema(schema, id),
    }
}

/// Encodes a record as plain CDR, with its four bytes of header.
///
/// # Errors
/// Those of [`wire::encode`](crate::wire::encode): inconsistent sizes, a string with a NUL, structs nested too
/// deep.
pub fn encode(record: &Record, dialect: Dialect, endian: Endian) -> Result<Vec<u8>, EncodeError> {
    let order = if endian == Endian::Big { Order::Big } else { Order::Little };
    let header = vec![0, u8::from(order == Order::Little), 0, 0];
    let mut encoder = Encoder::new(header, Plain { order, dialect });
    encoder.record(record)?;
    Ok(encoder.out)
}

/// Decodes plain CDR of either byte order. Bytes after the message are ignored.
///
/// # Errors
/// A header of another encoding, a sequence whose length differs from its size field, and all errors of
/// [`wire::decode`](crate::wire::decode) except a wrong fingerprint, which CDR does not have.
pub fn decode(
    schema: &Arc<Schema>,
    id: StructId,
    dialect: Dialect,
    bytes: &[u8],
) -> Result<Record, DecodeError> {
    let mut reader = Reader::new(bytes);
    let order = match *reader.take(HEADER)? {
        [0, 0, ..] => Order::Big,
        [0, 1, ..] => Order::Little,
        [a, b, ..] => return Err(DecodeCause::Encapsulation { found: u16::from_be_bytes([a, b]) }.into()),
        [] | [_] => return Err(BytesError::Truncated { at: 0, missing: HEADER }.into()),
    };
    Decoder::message(schema, id, reader, Plain { order, dialect })
}

/// Bytes before the first field.
const HEADER: usize = 4;

/// Plain CDR, version 1.
struct Plain {
    order: Order,
    dialect: Dialect,
}

impl Format for Plain {
    fn order(&self) -> Order {
        self.order
    }
    fn counts(&self) -> Counts {
        match self.dialect {
            Dialect::OmgIdl => Counts::Each,
            Dialect::Ros2Msg => Counts::Whole,
        }
    }
    fn bare_strings(&self) -> bool {
        true
    }
    fn dummy(&self) -> bool {
        true
    }
    fn padding(&self, at: usize, size: usize) -> usize {
        let at = at - HEADER;
        at.next_multiple_of(size) - at
    }
}
