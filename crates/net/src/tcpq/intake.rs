//! The input of a connection: the other side's hello, then frames.

use super::frame::{Decoder, Frame, Garbage};
use std::mem;

/// Splits the bytes of a connection into frames.
#[derive(Debug)]
pub struct Intake {
    /// The first word expected from the other side.
    expected: u32,
    hello: [u8; 8],
    /// How much of the hello has arrived.
    come: usize,
    decoder: Decoder,
}

impl Intake {
    /// A new connection; the other side's hello must begin with `expected`.
    pub fn new(expected: u32) -> Intake {
        Intake { expected, hello: [0; 8], come: 0, decoder: Decoder::new() }
    }
    /// The other side's version, once received.
    pub fn version(&self) -> Option<u32> {
        (self.come == self.hello.len()).then(|| word(&self.hello[4..]))
    }
    /// The bytes of an incomplete frame that it holds.
    pub fn held(&self) -> usize {
        self.decoder.held()
    }

    /// The next frame of `input`, which is advanced; `None`: all of it was consumed.
    ///
    /// # Errors
    /// Bytes that are not a hello or a frame. The connection must be closed.
    pub fn next<'a, 'i: 'a>(&'a mut self, input: &mut &'i [u8]) -> Result<Option<Frame<'a>>, Garbage> {
        if self.come < self.hello.len() {
            let (now, rest) = input.split_at(input.len().min(self.hello.len() - self.come));
            self.hello[self.come..][..now.len()].copy_from_slice(now);
            self.come += now.len();
            *input = rest;
            if self.come >= 4 && word(&self.hello) != self.expected {
                return Err(Garbage::Hello(word(&self.hello)));
            }
            if self.come < self.hello.len() {
                return Ok(None);
            }
        }
        self.decoder.next(input)
    }

    /// Leaves an empty one behind.
    pub(super) fn take(&mut self) -> Intake {
        let expected = self.expected;
        mem::replace(self, Intake::new(expected))
    }
}

fn word(bytes: &[u8]) -> u32 {
    super::frame::word_at(bytes, 0).unwrap_or_default()
}

/// The hello of a side.
pub(super) fn hello(word: u32, version: u32) -> [u8; 8] {
    let mut hello = [0; 8];
    hello[..4].copy_from_slice(&word.to_be_bytes());
    hello[4..].copy_from_slice(&version.to_be_bytes());
    hello
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hello_comes_in_any_pieces_and_a_wrong_one_is_told_early() {
        let bytes = [&hello(7, 9)[..], b"\0\0\0\x02\0\0\0\x01A"].concat();
        for size in 1..bytes.len() {
            let (mut intake, mut frames) = (Intake::new(7), 0);
            for mut piece in bytes.chunks(size) {
                while let Some(frame) = intake.next(&mut piece).unwrap() {
                    assert_eq!(frame, Frame::Subscribe(b"A"));
                    frames += 1;
                }
            }
            assert_eq!((intake.version(), frames), (Some(9), 1), "pieces of {size}");
        }
        let mut intake = Intake::new(7);
        assert_eq!(intake.next(&mut &b"GET "[..]), Err(Garbage::Hello(0x4745_5420)));
        assert_eq!(intake.version(), None);
    }
}
