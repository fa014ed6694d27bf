//! Plain messages by the schema alone, for tools that have no generated code.

use super::{HASH_SIZE, Layout, layouts, plain};
use crate::codec::{DecodeCause, DecodeError, Decoder, EncodeCause, EncodeError, Encoder, Format, Order};
use crate::value::Record;
use crate::{Schema, StructId};
use saltus_wire::Reader;
use std::collections::HashMap;
use std::sync::Arc;

/// Decodes a message in the plain layout: its hash and the struct. Bytes behind it are ignored.
///
/// # Errors
/// The type has no plain layout, the bytes are of another layout (both hashes are told), or there are too few.
pub fn decode_plain(schema: &Arc<Schema>, id: StructId, bytes: &[u8]) -> Result<Record, DecodeError> {
    let expected = plain(schema, id).ok_or(DecodeCause::NotPlain)?.hash;
    let mut reader = Reader::new(bytes);
    let mut hash = [0; HASH_SIZE];
    hash.copy_from_slice(reader.take(HASH_SIZE)?);
    let found = u64::from_ne_bytes(hash);
    if found != expected {
        return Err(DecodeCause::Layout { expected, found }.into());
    }
    let format = Memory::new(schema, id).ok_or(DecodeCause::NotPlain)?;
    Decoder::new(schema, reader, format).record(id)
}

/// Encodes a message in the plain layout: its hash and the struct, padding zero.
///
/// # Errors
/// The type has no plain layout.
pub fn encode_plain(record: &Record) -> Result<Vec<u8>, EncodeError> {
    let (schema, id) = (record.schema(), record.id());
    let layout = plain(schema, id).ok_or(EncodeCause::NotPlain)?;
    let format = Memory::new(schema, id).ok_or(EncodeCause::NotPlain)?;
    let mut out = Vec::with_capacity(HASH_SIZE + layout.size);
    out.extend_from_slice(&layout.hash.to_ne_bytes());
    let mut encoder = Encoder::new(out, format);
    encoder.record(record)?;
    Ok(encoder.out)
}

/// The bytes as they lie in memory: every field at its offset in its struct.
struct Memory {
    layouts: HashMap<StructId, Layout>,
    /// The structs that are open, and where they start.
    open: Vec<(StructId, usize)>,
}

impl Memory {
    fn new(schema: &Schema, id: StructId) -> Option<Memory> {
        Some(Memory { layouts: layouts(schema, id)?, open: Vec::new() })
    }
    /// Bytes from `at` to byte `offset` of the present struct.
    fn to(&self, offset: Option<usize>, at: usize) -> usize {
        let base = self.open.last().map_or(0, |&(_, base)| base);
        offset.map_or(0, |offset| (base + offset).saturating_sub(at))
    }
    fn layout(&self) -> Option<&Layout> {
        self.layouts.get(&self.open.last()?.0)
    }
}

impl Format for Memory {
    fn order(&self) -> Order {
        Order::NATIVE
    }
    fn enter(&mut self, id: StructId, at: usize) {
        self.open.push((id, at));
    }
    fn field(&mut self, index: usize, at: usize) -> usize {
        // What takes no room has no place, and needs none.
        let place = self.layout().and_then(|l| {
            let found = l.fields.binary_search_by_key(&index, |f| f.index);
            found.ok().map(|i| l.fields[i].offset)
        });
        self.to(place, at)
    }
    fn leave(&mut self, at: usize) -> usize {
        let skip = self.to(self.layout().map(|l| l.size), at);
        self.open.pop();
        skip
    }
}
