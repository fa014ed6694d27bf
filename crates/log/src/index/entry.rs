//! An entry of the index.

use crate::bytes::Fields;

/// Bytes before the entries.
pub(super) const HEAD: u64 = 64;

/// The position of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub time: i64,
    pub place: u64,
    pub inner: u32,
    pub row: u32,
}

impl Entry {
    pub(super) const SIZE: usize = 24;

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.time.to_le_bytes());
        out.extend(self.place.to_le_bytes());
        out.extend(self.inner.to_le_bytes());
        out.extend(self.row.to_le_bytes());
    }
    pub(super) fn get(bytes: &[u8]) -> Option<Entry> {
        let mut fields = Fields(bytes);
        Some(Entry { time: fields.i64()?, place: fields.u64()?, inner: fields.u32()?, row: fields.u32()? })
    }
}
