//! Codec for plain messages by schema, for tools without generated code.

use super::{HASH_SIZE, Layout, flat, layouts};
use crate::codec::{DecodeCause, DecodeError, Decoder, EncodeCause, EncodeError, Encoder, Format, Order};
use crate::value::Record;
use crate::{Schema, StructId};
use saltus_wire::Reader;
use std::collections::HashMap;
use std::sync::Arc;

/// Encodes and decodes plain messages of one type. The layout is computed once, since it may be long.
#[derive(Clone, Debug)]
pub struct PlainCodec {
    schema: Arc<Schema>,
    id: StructId,
    hash: u64,
    size: usize,
    layouts: HashMap<StructId, Layout>,
}

impl PlainCodec {
    /// The codec of a struct; `None` if it has no plain layout.
    pub fn new(schema: &Arc<Schema>, id: StructId) -> Option<PlainCodec> {
        let layouts = layouts(schema, id)?;
        let plain = flat(schema, id, &layouts)?;
        Some(PlainCodec { schema: schema.clone(), id, hash: plain.hash, size: plain.size, layouts })
    }
    /// The hash that messages start with.
    pub fn hash(&self) -> u64 {
        self.hash
    }
    /// Decodes a message: the hash and the struct. Bytes after it are ignored.
    ///
    /// # Errors
    /// The bytes are of another layout (the error has both hashes), or there are too few.
    pub fn decode(&self, bytes: &[u8]) -> Result<Record, DecodeError> {
        let mut reader = Reader::new(bytes);
        let mut hash = [0; HASH_SIZE];
        hash.copy_from_slice(reader.take(HASH_SIZE)?);
        let found = u64::from_ne_bytes(hash);
        if found != self.hash {
            return Err(DecodeCause::Layout { expected: self.hash, found }.into());
        }
        Decoder::message(&self.schema, self.id, reader, self.memory())
    }
    /// Encodes a record of its type: the hash and the struct, padding zero.
    ///
    /// # Errors
    /// The record is of another struct or schema, or its structs are nested too deep.
    pub fn encode(&self, record: &Record) -> Result<Vec<u8>, EncodeError> {
        if !Arc::ptr_eq(record.schema(), &self.schema) || record.id() != self.id {
            return Err(EncodeCause::OtherType.into());
        }
        let mut out = Vec::with_capacity(HASH_SIZE + self.size);
        out.extend_from_slice(&self.hash.to_ne_bytes());
        let mut encoder = Encoder::new(out, self.memory());
        encoder.record(record)?;
        Ok(encoder.out)
    }
    fn memory(&self) -> Memory<'_> {
        Memory { layouts: &self.layouts, open: Vec::new() }
    }
}

/// Decodes one message in the plain layout. For many messages, [`PlainCodec`] is faster.
///
/// # Errors
/// Those of [`PlainCodec::decode`]; and the type has no plain layout.
pub fn decode_plain(schema: &Arc<Schema>, id: StructId, bytes: &[u8]) -> Result<Record, DecodeError> {
    PlainCodec::new(schema, id).ok_or(DecodeCause::NotPlain)?.decode(bytes)
}

/// Encodes one message in the plain layout. For many messages, [`PlainCodec`] is faster.
///
/// # Errors
/// The type has no plain layout.
pub fn encode_plain(record: &Record) -> Result<Vec<u8>, EncodeError> {
    PlainCodec::new(record.schema(), record.id()).ok_or(EncodeCause::NotPlain)?.encode(record)
}

/// The memory layout: every field at its offset in its struct.
struct Memory<'a> {
    layouts: &'a HashMap<StructId, Layout>,
    /// The structs being processed, and their offsets.
    open: Vec<(StructId, usize)>,
}

impl Memory<'_> {
    /// Bytes from `at` to byte `offset` of the present struct.
    fn to(&self, offset: Option<usize>, at: usize) -> usize {
        let base = self.open.last().map_or(0, |&(_, base)| base);
        offset.map_or(0, |offset| (base + offset).saturating_sub(at))
    }
    fn layout(&self) -> Option<&Layout> {
        self.layouts.get(&self.open.last()?.0)
    }
}

impl Format for Memory<'_> {
    fn order(&self) -> Order {
        Order::NATIVE
    }
    fn enter(&mut self, id: StructId, at: usize) {
        self.open.push((id, at));
    }
    fn field(&mut self, index: usize, at: usize) -> usize {
        // A field of zero size has no offset, and needs none.
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
