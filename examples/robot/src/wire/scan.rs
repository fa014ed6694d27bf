//! A laser scan: one line of a CARMEN log behind two numbers, so that it can be followed to the byte.
//!
//! ```text
//! kind | index | chain | the line's bytes … | checksum
//! ```

use super::{FNV, Torn, fnv, open, put, seal};

const KIND: u64 = 9;
/// Bytes around the line.
pub const AROUND: usize = 4 * 8;

/// A scan as it was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanFrame<'a> {
    /// Number of the scan, from 1 on. It goes on when the driver is replaced.
    pub index: u64,
    /// Chain over the lines of all scans up to this one, see [`chain`].
    pub chain: u64,
    /// The line, word for word, without its end.
    pub line: &'a [u8],
}

/// Continues the chain over all scans with one more line. It begins with [`FNV`].
pub fn chain(before: u64, line: &[u8]) -> u64 {
    fnv(fnv(before, line), b"\n")
}

impl<'a> ScanFrame<'a> {
    /// Writes the message into `out`, which is used again and again.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        put(out, &[KIND, self.index, self.chain]);
        out.extend_from_slice(self.line);
        seal(out);
    }

    /// Reads it from what was received.
    pub fn parse(bytes: &'a [u8]) -> Result<ScanFrame<'a>, Torn> {
        let (head, line) = open(bytes, KIND)?.split_at_checked(16).ok_or(Torn)?;
        let word = |k: usize| super::words(head).nth(k).ok_or(Torn);
        Ok(ScanFrame { index: word(0)?, chain: word(1)?, line })
    }
}

/// The chain over nothing.
pub const START: u64 = FNV;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_comes_back_and_every_changed_byte_is_found() {
        let mut bytes = Vec::new();
        let line = b"FLASER 1 2.5 0 0 0 0 0 0 1 h 1";
        let frame = ScanFrame { index: 3, chain: chain(START, line), line };
        frame.write(&mut bytes);
        assert_eq!(bytes.len(), line.len() + AROUND);
        assert_eq!(ScanFrame::parse(&bytes), Ok(frame));
        for at in 0..bytes.len() {
            let mut torn = bytes.clone();
            torn[at] ^= 0x20;
            assert_eq!(ScanFrame::parse(&torn), Err(Torn), "byte {at}");
            assert_eq!(ScanFrame::parse(&bytes[..at]), Err(Torn));
        }
    }

    #[test]
    fn the_chain_tells_order_and_borders() {
        let ab = chain(chain(START, b"a"), b"b");
        assert_ne!(ab, chain(chain(START, b"b"), b"a"));
        assert_ne!(ab, chain(START, b"ab"));
    }
}
