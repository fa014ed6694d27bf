//! LCM's wire encoding by schema, equal to generated code byte for byte.
//!
//! A message is the fingerprint of its type (8 bytes, big endian) and its fields; crate `saltus-wire` shows the
//! layout. Bytes after a message are ignored, as in LCM. Decoding trusts neither the bytes nor the schema: memory
//! and time are bounded by the number of bytes (128 bytes of memory for each) and by the minimum contents of the
//! type, and nesting by [`MAX_DEPTH`](saltus_wire::MAX_DEPTH).

use crate::codec::{DecodeError, Decoder, EncodeError, Encoder, Format, Order};
use crate::value::{Items, Record, Value};
use crate::{Schema, StructId};
use saltus_wire::{DecodeError as BytesError, Reader};
use std::sync::Arc;

struct Lcm;

impl Format for Lcm {
    fn order(&self) -> Order {
        Order::Big
    }
}

/// Decodes a message of struct `id`.
///
/// # Errors
/// Bytes of another type, too few bytes, or bytes that no encoder produces; with the field.
pub fn decode(schema: &Arc<Schema>, id: StructId, bytes: &[u8]) -> Result<Record, DecodeError> {
    let mut reader = Reader::new(bytes);
    let found = reader.fingerprint()?;
    let expected = schema.get(id).fingerprint;
    if found != expected {
        return Err(BytesError::Fingerprint { expected, found }.into());
    }
    Decoder::message(schema, id, reader, Lcm)
}

/// Encodes a message.
///
/// # Errors
/// An array whose size differs from its size field ([`Record::set_sizes`] sets it), a string with a NUL, structs
/// nested too deep; with the field.
pub fn encode(record: &Record) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::with_capacity(encoded_size(record));
    out.extend_from_slice(&record.definition().fingerprint.to_be_bytes());
    let mut encoder = Encoder::new(out, Lcm);
    encoder.record(record)?;
    Ok(encoder.out)
}

/// The number of bytes that [`encode`] returns.
pub fn encoded_size(record: &Record) -> usize {
    8 + body_size(record)
}

fn body_size(record: &Record) -> usize {
    let size = |value: &Value| match value {
        Value::Int8(_) | Value::Byte(_) | Value::Boolean(_) => 1,
        Value::Int16(_) => 2,
        Value::Int32(_) | Value::Float(_) | Value::Enum(_) => 4,
        Value::Int64(_) | Value::Double(_) => 8,
        Value::String(text) => 5 + text.as_bytes().len(),
        Value::Record(inner) => body_size(inner),
        Value::Array(array) => match array.items() {
            Items::Int8(_) | Items::Byte(_) | Items::Boolean(_) => array.items().len(),
            Items::Int16(v) => 2 * v.len(),
            Items::Int32(_) | Items::Float(_) | Items::Enum(_) => 4 * array.items().len(),
            Items::Int64(_) | Items::Double(_) => 8 * array.items().len(),
            Items::String(v) => v.iter().map(|text| 5 + text.as_bytes().len()).sum(),
            Items::Record(v) => v.iter().map(body_size).sum(),
        },
    };
    record.values().iter().map(size).sum()
}

/// The type of a message, according to its fingerprint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity<'a> {
    /// A message of this struct. If several have its fingerprint, and so the same encoding, the first.
    Known(StructId),
    /// A message of a type that the schema does not have.
    Unknown {
        /// Its fingerprint.
        fingerprint: u64,
        /// The bytes after the fingerprint.
        body: &'a [u8],
    },
    /// Too short for a message: fewer than 8 bytes.
    Short(&'a [u8]),
}

/// Identifies a message by the fingerprint at its start.
pub fn identify<'a>(schema: &Schema, bytes: &'a [u8]) -> Identity<'a> {
    let Some((head, body)) = bytes.split_first_chunk() else { return Identity::Short(bytes) };
    let fingerprint = u64::from_be_bytes(*head);
    match schema.by_fingerprint(fingerprint).next() {
        Some(id) => Identity::Known(id),
        None => Identity::Unknown { fingerprint, body },
    }
}
