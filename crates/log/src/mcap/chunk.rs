//! A chunk: several records, compressed together.

use super::{LONGEST, op};
use crate::bytes::Fields;
use std::io::Read;
use std::ops::Range;

/// The records of a chunk, decompressed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunk {
    bytes: Vec<u8>,
    at: usize,
}

/// A schema, channel or message in a chunk.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub opcode: u8,
    pub body: Range<usize>,
}

impl Chunk {
    /// Opens the body of a chunk record. If the file ends within it (`cut`), the readable part is returned, without
    /// a checksum test. `None`: it is damaged.
    pub fn open(body: &[u8], cut: bool) -> Option<Chunk> {
        let mut fields = Fields(body);
        let (_start, _end, size, checksum) = (fields.u64()?, fields.u64()?, fields.u64()?, fields.u32()?);
        let compression = fields.text()?;
        let len = fields.u64()?;
        let data = match fields.0.get(..usize::try_from(len).ok()?) {
            Some(data) => data,
            None if cut => fields.0,
            None => return None,
        };
        if size > LONGEST as u64 {
            return None;
        }
        // The claimed size is allocated only as far as it is plausible for so few bytes.
        let likely = size.min(64 * data.len() as u64);
        let mut bytes = Vec::with_capacity(likely as usize + 1);
        // One more byte than expected, to detect that there are more.
        let most = size + 1;
        let whole = match compression {
            "" => data.take(most).read_to_end(&mut bytes),
            "zstd" => zstd::stream::read::Decoder::with_buffer(data)
                .and_then(|decoder| decoder.take(most).read_to_end(&mut bytes)),
            "lz4" => lz4::Decoder::new(data).and_then(|decoder| decoder.take(most).read_to_end(&mut bytes)),
            _ => return None,
        };
        let right = |bytes: &[u8]| checksum == 0 || crc32fast::hash(bytes) == checksum;
        if !cut && (whole.is_err() || bytes.len() as u64 != size || !right(&bytes)) {
            return None;
        }
        Some(Chunk { bytes, at: 0 })
    }

    /// The number of bytes of its records.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }
    pub fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[range]
    }

    /// The next schema, channel or message.
    pub fn next(&mut self) -> Option<Part> {
        loop {
            let rest = &self.bytes[self.at..];
            let opcode = *rest.first()?;
            let len = u64::from_le_bytes(*rest.get(1..)?.first_chunk()?);
            let from = self.at + 9;
            let to = from.checked_add(usize::try_from(len).ok()?).filter(|&to| to <= self.bytes.len())?;
            self.at = to;
            if matches!(opcode, op::SCHEMA | op::CHANNEL | op::MESSAGE) {
                return Some(Part { opcode, body: from..to });
            }
        }
    }
    /// Bytes left when [`next`](Chunk::next) returns `None`: they are not records.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }
}
