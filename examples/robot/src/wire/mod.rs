//! What travels in the robot's channels: plain bytes with a checksum.
//!
//! A channel moves bytes and does not care which. Every message here is a row of little-endian 64-bit words:
//!
//! ```text
//! kind | field | field | … | checksum of all before
//! ```
//!
//! The checksum is there for the demo: a channel never delivers a torn message, and every reader of this robot
//! proves it with every message. A robot of yours can leave it out.

pub mod crew;
pub mod health;
pub mod messages;
pub mod scan;

/// Where a [`fnv`] chain begins.
pub const FNV: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a over bytes, continued from `hash`. It finds accidents, not malice.
pub fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ *byte as u64).wrapping_mul(0x100_0000_01b3))
}

/// Bytes that are not the message they should be: torn, of another kind, or of another length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Torn;

/// A message of one of the kinds in [`messages`].
pub trait Message: Sized {
    /// Reads it from what was received.
    fn parse(bytes: &[u8]) -> Result<Self, Torn>;
}

/// Appends words to a buffer.
pub(crate) fn put(out: &mut Vec<u8>, words: &[u64]) {
    out.extend(words.iter().flat_map(|word| word.to_le_bytes()));
}

/// Appends the checksum that ends a message.
pub(crate) fn seal(out: &mut Vec<u8>) {
    put(out, &[fnv(FNV, out)]);
}

/// Checks kind and checksum; gives what stands between.
pub(crate) fn open(bytes: &[u8], kind: u64) -> Result<&[u8], Torn> {
    let (body, sum) = bytes.split_last_chunk::<8>().ok_or(Torn)?;
    let (head, fields) = body.split_first_chunk::<8>().ok_or(Torn)?;
    let sound = u64::from_le_bytes(*head) == kind && u64::from_le_bytes(*sum) == fnv(FNV, body);
    if sound { Ok(fields) } else { Err(Torn) }
}

/// The words in what [`open`] gave.
pub(crate) fn words(fields: &[u8]) -> impl Iterator<Item = u64> + '_ {
    fields.as_chunks::<8>().0.iter().map(|chunk| u64::from_le_bytes(*chunk))
}
