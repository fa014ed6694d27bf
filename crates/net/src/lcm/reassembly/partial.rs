//! One incomplete message.

use crate::lcm::CHANNEL;
use crate::lcm::packet::Fragment;
use std::collections::BTreeMap;

/// Why a fragment was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It reaches beyond the end of its message, or the message is longer than [`Limits::message`](super::Limits::message).
    OutOfBounds,
    /// Its number is not below its count.
    Number,
    /// Some of its bytes have already arrived, and some have not.
    Overlap,
    /// There are as many pieces beyond gaps as the message has fragments, so they are too short to be valid.
    TooMany,
}

/// Bytes charged for a message, and for each piece beyond a gap, in addition to its payload.
const OVERHEAD: usize = 256;

/// The effect of a fragment.
pub(super) enum Added {
    /// The message is complete.
    Whole,
    /// It added bytes.
    Some,
    /// All its bytes had arrived before.
    Copy,
    /// It contradicts earlier fragments.
    Refused(Refused),
}

/// An incomplete message.
#[derive(Default)]
pub(super) struct Partial {
    size: usize,
    /// Filled by fragment 0.
    channel: Option<Name>,
    /// The bytes up to the first gap.
    front: Vec<u8>,
    /// Pieces beyond the first gap, by offset. No two overlap.
    ahead: BTreeMap<usize, Vec<u8>>,
    /// Bytes charged for `ahead`.
    ahead_held: usize,
    touched_ns: u64,
}

struct Name {
    bytes: [u8; CHANNEL],
    len: usize,
}

/// Whether a fragment is consistent in itself, and its message is not longer than `longest`.
pub(super) fn check(fragment: &Fragment<'_>, longest: usize) -> Result<(), Refused> {
    if fragment.number >= fragment.count {
        return Err(Refused::Number);
    }
    let size = fragment.size as usize;
    let fits = |end: usize| end <= size && size <= longest;
    match (fragment.offset as usize).checked_add(fragment.payload.len()) {
        Some(end) if fits(end) => Ok(()),
        _ => Err(Refused::OutOfBounds),
    }
}

impl Partial {
    /// A message of `size` bytes, assembled in `front`.
    pub fn new(size: usize, front: Vec<u8>) -> Partial {
        Partial { size, front, ..Partial::default() }
    }
    /// Bytes of the whole message.
    pub fn size(&self) -> usize {
        self.size
    }
    /// Bytes of memory charged for it.
    pub fn held(&self) -> usize {
        OVERHEAD + self.front.capacity() + self.ahead_held
    }
    /// When its last fragment arrived.
    pub fn touched_ns(&self) -> u64 {
        self.touched_ns
    }
    /// The channel's name; empty until fragment 0 has arrived.
    pub fn channel(&self) -> &[u8] {
        self.channel.as_ref().map_or(&[], |name| &name.bytes[..name.len])
    }
    /// The bytes up to the first gap.
    pub fn payload(&self) -> &[u8] {
        &self.front
    }
    /// Its memory, for reuse.
    pub fn into_memory(self) -> Vec<u8> {
        self.front
    }

    /// Adds a fragment. It must have passed [`check`], and belong to a message of this size.
    pub fn add(&mut self, fragment: &Fragment<'_>, now_ns: u64) -> Added {
        self.touched_ns = now_ns;
        let named = self.name(fragment.channel);
        let added = self.place(fragment.offset as usize, fragment.payload, fragment.count.into());
        if self.channel.is_some() && self.front.len() == self.size {
            return Added::Whole;
        }
        if named && matches!(added, Added::Copy) { Added::Some } else { added }
    }

    /// Stores the channel's name, if it is the first.
    fn name(&mut self, channel: Option<&[u8]>) -> bool {
        let Some(channel) = channel.filter(|c| c.len() <= CHANNEL && self.channel.is_none()) else {
            return false;
        };
        let mut name = Name { bytes: [0; CHANNEL], len: channel.len() };
        name.bytes[..name.len].copy_from_slice(channel);
        self.channel = Some(name);
        true
    }

    /// `most`: the number of fragments of the message, more than can ever be beyond a gap.
    fn place(&mut self, offset: usize, piece: &[u8], most: usize) -> Added {
        let end = offset + piece.len();
        if end <= self.front.len() || piece.is_empty() {
            return Added::Copy;
        }
        if offset < self.front.len() {
            return Added::Refused(Refused::Overlap);
        }
        let next = self.ahead.range(offset..).next().map(|(at, p)| (*at, p.len()));
        if let Some((at, len)) = next
            && at < end
        {
            let same = (at, len) == (offset, piece.len());
            return if same { Added::Copy } else { Added::Refused(Refused::Overlap) };
        }
        if let Some((at, before)) = self.ahead.range(..offset).next_back()
            && at + before.len() > offset
        {
            let inside = end <= at + before.len();
            return if inside { Added::Copy } else { Added::Refused(Refused::Overlap) };
        }
        if offset > self.front.len() {
            if self.ahead.len() >= most {
                return Added::Refused(Refused::TooMany);
            }
            self.ahead_held += OVERHEAD + piece.len();
            self.ahead.insert(offset, piece.to_vec());
            return Added::Some;
        }
        self.append(piece);
        while let Some(piece) = self.ahead.remove(&self.front.len()) {
            self.ahead_held -= OVERHEAD + piece.len();
            self.append(&piece);
        }
        Added::Some
    }

    /// Grows by the bytes that arrived, at most to twice their number, and never beyond the message's size.
    fn append(&mut self, piece: &[u8]) {
        let (have, need) = (self.front.capacity(), self.front.len() + piece.len());
        if need > have {
            let room = need.max(have.saturating_mul(2)).min(self.size.max(need));
            self.front.reserve_exact(room - self.front.len());
        }
        self.front.extend_from_slice(piece);
    }
}
