//! Splits a message into datagrams, without copying it.

use super::packet::{FRAGMENT, FRAGMENT_HEAD, SHORT, SHORT_HEAD};
use super::{CHANNEL, DATAGRAM, MESSAGE};
use crate::{Error, Result};
use std::ops::Range;

/// Bytes of the longest header: that of fragment 0 with the longest name.
const HEADER: usize = FRAGMENT_HEAD + CHANNEL + 1;
/// The smallest datagram size in bytes: every fragment must carry some of the message.
pub const SMALLEST: usize = 256;

/// The header of a datagram, before the payload. Dereferences to bytes.
#[derive(Clone, Copy, Debug)]
pub struct Header {
    bytes: [u8; HEADER],
    used: usize,
}

impl Header {
    fn new() -> Header {
        Header { bytes: [0; HEADER], used: 0 }
    }
    fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.used..self.used + bytes.len()].copy_from_slice(bytes);
        self.used += bytes.len();
    }
}

impl AsRef<[u8]> for Header {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.used]
    }
}

/// A message being split: an iterator over each datagram's header and the range of the payload that follows it.
///
/// With datagrams of up to [`DATAGRAM`] bytes, messages are split where LCM's C library splits them: up to 65499
/// bytes of name, NUL and payload in one datagram, others in fragments of 65487.
#[derive(Clone, Debug)]
pub struct Split<'a> {
    sequence: u32,
    channel: &'a [u8],
    size: usize,
    fragment: usize,
    /// 0 for a message in one datagram.
    count: usize,
    next: usize,
    /// Offset of the next fragment in the payload.
    at: usize,
}

/// Splits message number `sequence` of `size` bytes into datagrams of at most `datagram` bytes, which is clamped to
/// the range from [`SMALLEST`] to [`DATAGRAM`]. Does not allocate or block.
///
/// # Errors
/// An invalid channel name, a message longer than LCM's receivers accept, or too many fragments.
pub fn split(sequence: u32, channel: &[u8], size: usize, datagram: usize) -> Result<Split<'_>> {
    if channel.is_empty() || channel.len() > CHANNEL || channel.contains(&0) {
        return Err(Error::Channel { name: String::from_utf8_lossy(channel).into_owned() });
    }
    if size > MESSAGE {
        return Err(Error::TooLong { size });
    }
    let datagram = datagram.clamp(SMALLEST, DATAGRAM);
    let fragment = datagram - FRAGMENT_HEAD;
    let all = channel.len() + 1 + size;
    let count = if all <= datagram - SHORT_HEAD { 0 } else { all.div_ceil(fragment) };
    if count > u16::MAX as usize {
        return Err(Error::TooManyFragments { size, datagram });
    }
    Ok(Split { sequence, channel, size, fragment, count, next: 0, at: 0 })
}

impl Split<'_> {
    /// Whether the message fits into one datagram.
    pub fn is_whole(&self) -> bool {
        self.count == 0
    }

    /// The same message with another number.
    pub fn numbered(self, sequence: u32) -> Self {
        Split { sequence, ..self }
    }

    fn head(&self, magic: [u8; 4]) -> Header {
        let mut header = Header::new();
        header.put(&magic);
        header.put(&self.sequence.to_be_bytes());
        header
    }

    fn name(&self, header: &mut Header) {
        header.put(self.channel);
        header.put(&[0]);
    }
}

impl Iterator for Split<'_> {
    type Item = (Header, Range<usize>);

    fn next(&mut self) -> Option<(Header, Range<usize>)> {
        if self.next >= self.count.max(1) {
            return None;
        }
        let number = self.next;
        self.next += 1;
        if self.count == 0 {
            let mut header = self.head(SHORT);
            self.name(&mut header);
            return Some((header, 0..self.size));
        }
        let mut header = self.head(FRAGMENT);
        header.put(&(self.size as u32).to_be_bytes());
        header.put(&(self.at as u32).to_be_bytes());
        header.put(&(number as u16).to_be_bytes());
        header.put(&(self.count as u16).to_be_bytes());
        let mut room = self.fragment;
        if number == 0 {
            self.name(&mut header);
            room -= self.channel.len() + 1;
        }
        let piece = self.at..self.size.min(self.at + room);
        self.at = piece.end;
        Some((header, piece))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.count.max(1) - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Split<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths of the datagrams, and offsets of the pieces.
    fn cut(channel: &[u8], size: usize, datagram: usize) -> (Vec<usize>, Vec<usize>) {
        let pieces = split(1, channel, size, datagram).unwrap();
        pieces.map(|(header, piece)| (header.as_ref().len() + piece.len(), piece.start)).unzip()
    }

    #[test]
    fn messages_are_cut_where_lcm_cuts_them() {
        assert_eq!(cut(b"CH", 65496, DATAGRAM), (vec![65507], vec![0]));
        assert_eq!(cut(b"CH", 65497, DATAGRAM), (vec![65507, 33], vec![0, 65484]));
        assert_eq!(cut(b"CH", 65484, DATAGRAM), (vec![65495], vec![0]));
        assert_eq!(cut(b"CH", 2 * 65487 - 3, DATAGRAM), (vec![65507; 2], vec![0, 65484]));
        assert_eq!(cut(b"CH", 2 * 65487 - 2, DATAGRAM), (vec![65507, 65507, 21], vec![0, 65484, 130_971]));
        assert_eq!(cut(&[b'x'; 63], 0, DATAGRAM), (vec![72], vec![0]));
    }

    #[test]
    fn the_longest_message_has_few_enough_fragments() {
        assert_eq!(split(0, b"CH", MESSAGE, DATAGRAM).unwrap().len(), 4100);
        assert!(matches!(split(0, b"CH", MESSAGE + 1, DATAGRAM), Err(Error::TooLong { .. })));
        assert!(matches!(split(0, b"CH", MESSAGE, 1400), Err(Error::TooManyFragments { .. })));
        assert_eq!(split(0, b"CH", MESSAGE, usize::MAX).unwrap().len(), 4100);
    }

    #[test]
    fn names_that_lcm_would_drop_are_refused() {
        for name in [&b""[..], &[b'x'; 64], b"a\0b"] {
            let why = split(0, name, 1, DATAGRAM).unwrap_err().to_string();
            assert!(why.contains("1 to 63 bytes without NUL"), "{why}");
        }
    }

    #[test]
    fn small_datagrams_cover_the_message_once() {
        let (lengths, offsets) = cut(&[b'x'; 63], 10_000, 0);
        assert!(lengths.iter().all(|l| *l <= SMALLEST));
        let payload: usize = lengths.iter().sum::<usize>() - 64 - lengths.len() * FRAGMENT_HEAD;
        assert_eq!(payload, 10_000);
        assert!(offsets.windows(2).all(|w| w[0] < w[1]));
    }
}
