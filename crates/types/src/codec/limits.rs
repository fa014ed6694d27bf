//! Limits of a message's memory: neither its sizes nor its type are trusted.

use super::{DecodeCause, DecodeError};
use crate::{Schema, StructId};
use saltus_wire::{DecodeError as BytesError, FREE_ELEMENTS, Reader};

/// Bytes of memory for each byte of a message, and for each of [`FREE_ELEMENTS`] more. A struct of one byte takes
/// 72. Only structs with several arrays for each byte, all of them empty, take more.
const MEMORY_PER_BYTE: usize = 128;
/// Most additional memory for the minimum contents of a type.
const MEMORY_OF_TYPE: u64 = 16 << 20;

/// The limits for a message of struct `id` with this many bytes: rows and elements of zero size, and bytes of
/// memory.
pub(crate) fn allowed(schema: &Schema, id: StructId, length: usize) -> (u64, usize) {
    let length = length.saturating_add(FREE_ELEMENTS);
    let of_type = schema.memory(id).min(MEMORY_OF_TYPE) as usize;
    let free = (length as u64).saturating_add(schema.free_elements(id));
    (free, length.saturating_mul(MEMORY_PER_BYTE).saturating_add(of_type))
}

/// The remaining limits for one message.
pub(super) struct Limits {
    /// Rows and elements of zero size.
    free: u64,
    /// Memory in bytes.
    memory: usize,
}

impl Limits {
    /// The limits for a message of struct `id`, with this many bytes.
    pub fn new(schema: &Schema, id: StructId, length: usize) -> Limits {
        let (free, memory) = allowed(schema, id, length);
        Limits { free, memory }
    }

    /// Counts memory, before it is allocated.
    pub fn spend(&mut self, bytes: usize) -> Result<(), DecodeError> {
        self.memory = self.memory.checked_sub(bytes).ok_or(DecodeCause::TooMuchMemory)?;
        Ok(())
    }

    /// Checks the sizes of an array whose elements take at least `element` bytes. Level by level, the minimum size
    /// of the rows is compared with the bytes left; rows of zero size are counted. `docs/wire.md` has the rule.
    pub fn sizes(&mut self, shape: &[usize], element: usize, from: &Reader<'_>) -> Result<(), DecodeError> {
        let (at, left) = (from.position(), from.remaining());
        let mut rows = 1u64;
        for (level, &n) in shape.iter().enumerate() {
            rows = rows.saturating_mul(n as u64);
            if rows == 0 {
                break;
            }
            let row = shape[level + 1..].iter().fold(element, |size, &n| size.saturating_mul(n));
            if row == 0 {
                self.free = self.free.checked_sub(rows).ok_or(BytesError::TooMany { at, size: rows })?;
            } else if n > left / row {
                return Err(BytesError::Truncated { at, missing: n.saturating_mul(row) - left }.into());
            }
        }
        Ok(())
    }
}
