//! MCAP's encoding of numbers, texts and maps, all little endian, read from untrusted bytes.

use std::collections::BTreeMap;

/// A map, as MCAP defines it.
pub(crate) type Map = BTreeMap<String, String>;

/// Reads one field after the other. `None`: there are too few bytes, or they are invalid.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*head)
    }
    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }
    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }
    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
    pub fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_le_bytes)
    }
    /// Bytes after their length.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.u32()? as usize;
        let (head, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(head)
    }
    pub fn text(&mut self) -> Option<&'a str> {
        str::from_utf8(self.bytes()?).ok()
    }
    pub fn map(&mut self) -> Option<Map> {
        let (mut fields, mut map) = (Fields(self.bytes()?), Map::new());
        while !fields.0.is_empty() {
            map.insert(fields.text()?.into(), fields.text()?.into());
        }
        Some(map)
    }
}

/// Appends bytes after their length. 4 GiB or more cannot occur here: no reader keeps so much.
pub(crate) fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(bytes);
}

/// Appends a map.
pub(crate) fn put_map(out: &mut Vec<u8>, map: &Map) {
    let mut body = Vec::new();
    for (key, value) in map {
        put(&mut body, key.as_bytes());
        put(&mut body, value.as_bytes());
    }
    put(out, &body);
}
