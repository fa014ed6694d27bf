//! Frames: the messages between client and hub, as bytes.
//!
//! A length is not trusted before its bytes have arrived: memory is allocated as they arrive, never ahead of them.

use super::{CHANNEL, EXPRESSION, MESSAGE};
use std::fmt;

const PUBLISH: u32 = 1;
const SUBSCRIBE: u32 = 2;
const UNSUBSCRIBE: u32 = 3;
const MARK: u32 = 4;

/// One frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// A message.
    Publish {
        /// Its channel: any bytes.
        channel: &'a [u8],
        /// The message.
        payload: &'a [u8],
        /// The whole frame as received: a hub forwards it unchanged.
        raw: &'a [u8],
    },
    /// The client subscribes to channels whose whole name this expression matches.
    Subscribe(&'a [u8]),
    /// The client cancels its subscription to exactly this expression.
    Unsubscribe(&'a [u8]),
    /// A client requests a mark, or the hub answers with it.
    Mark,
}

/// Why bytes are not a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Garbage {
    /// A frame of an unknown type.
    Type(u32),
    /// A channel name, an expression or a message that is longer than allowed.
    TooLong {
        /// Which of these.
        what: &'static str,
        /// Its length.
        len: u32,
        /// The most allowed.
        most: usize,
    },
    /// The first word is not that of LCM's hello.
    Hello(u32),
}

impl fmt::Display for Garbage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Garbage::Type(kind) => write!(f, "frame of unknown type {kind}"),
            Garbage::TooLong { what, len, most } => {
                write!(f, "{what} of {len} bytes, at most {most} are allowed")
            }
            Garbage::Hello(word) => write!(f, "first word {word:#010x}, which is not LCM's"),
        }
    }
}

/// Appends the frame of a message.
pub fn publish(out: &mut Vec<u8>, channel: &[u8], payload: &[u8]) {
    out.reserve(12 + channel.len() + payload.len());
    out.extend(publish_head(channel, payload.len()));
    out.extend(payload);
}
/// A message's frame without the message.
pub fn publish_head(channel: &[u8], len: usize) -> Vec<u8> {
    [&word(PUBLISH), &word(channel.len() as u32), channel, &word(len as u32)].concat()
}
/// Appends the frame of a subscription.
pub fn subscribe(out: &mut Vec<u8>, expression: &[u8]) {
    out.extend([&word(SUBSCRIBE), &word(expression.len() as u32), expression].concat());
}
/// Appends the frame that cancels a subscription.
pub fn unsubscribe(out: &mut Vec<u8>, expression: &[u8]) {
    out.extend([&word(UNSUBSCRIBE), &word(expression.len() as u32), expression].concat());
}
/// Appends a mark.
pub fn mark(out: &mut Vec<u8>) {
    out.extend(word(MARK));
}
fn word(n: u32) -> [u8; 4] {
    n.to_be_bytes()
}

/// The word at `at`, if it has arrived.
pub(super) fn word_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// The known part of a frame's length.
enum Size {
    /// It extends at least to there.
    AtLeast(usize),
    /// It ends there.
    Whole(usize),
}

/// The length of the frame at the start of `bytes`.
fn size(bytes: &[u8]) -> Result<Size, Garbage> {
    let check = |what, len: u32, most| {
        if len as usize > most { Err(Garbage::TooLong { what, len, most }) } else { Ok(len as usize) }
    };
    let Some(kind) = word_at(bytes, 0) else { return Ok(Size::AtLeast(4)) };
    match kind {
        MARK => return Ok(Size::Whole(4)),
        PUBLISH | SUBSCRIBE | UNSUBSCRIBE => {}
        _ => return Err(Garbage::Type(kind)),
    }
    let Some(first) = word_at(bytes, 4) else { return Ok(Size::AtLeast(8)) };
    if kind != PUBLISH {
        return Ok(Size::Whole(8 + check("expression", first, EXPRESSION)?));
    }
    let head = 12 + check("name of a channel", first, CHANNEL)?;
    match word_at(bytes, head - 4) {
        None => Ok(Size::AtLeast(head)),
        Some(second) => Ok(Size::Whole(head + check("message", second, MESSAGE)?)),
    }
}

/// Parses the frame that is exactly `raw`, which [`size`] reported as whole.
fn parse(raw: &[u8]) -> Option<Frame<'_>> {
    Some(match word_at(raw, 0)? {
        MARK => Frame::Mark,
        SUBSCRIBE => Frame::Subscribe(raw.get(8..)?),
        UNSUBSCRIBE => Frame::Unsubscribe(raw.get(8..)?),
        _ => {
            let (channel, rest) = raw.get(8..)?.split_at_checked(word_at(raw, 4)? as usize)?;
            Frame::Publish { channel, payload: rest.get(4..)?, raw }
        }
    })
}

/// Splits bytes into frames. It keeps at most one incomplete frame.
#[derive(Debug, Default)]
pub struct Decoder {
    part: Vec<u8>,
    /// Whether `part` is a frame that was already returned.
    given: bool,
}

/// Most capacity kept for the next long frame, in bytes.
const KEPT: usize = 1 << 20;

impl Decoder {
    /// A decoder at the start of a frame.
    pub fn new() -> Decoder {
        Decoder::default()
    }
    /// The bytes of an incomplete frame that it holds.
    pub fn held(&self) -> usize {
        if self.given { 0 } else { self.part.len() }
    }

    /// The next frame of `input`, which is advanced; `None`: all of it was consumed and no frame is complete. A
    /// frame that is contiguous in `input` is not copied.
    ///
    /// # Errors
    /// Bytes that are not a frame. The next frame cannot be found: the connection must be closed.
    pub fn next<'a, 'i: 'a>(&'a mut self, input: &mut &'i [u8]) -> Result<Option<Frame<'a>>, Garbage> {
        if std::mem::take(&mut self.given) {
            self.part.clear();
            self.part.shrink_to(KEPT);
        }
        if self.part.is_empty()
            && let Size::Whole(len) = size(input)?
            && let Some((raw, rest)) = input.split_at_checked(len)
        {
            *input = rest;
            return Ok(parse(raw));
        }
        loop {
            let (need, whole) = match size(&self.part)? {
                Size::AtLeast(need) => (need, false),
                Size::Whole(need) => (need, true),
            };
            let (now, rest) = input.split_at(input.len().min(need - self.part.len()));
            self.part.extend_from_slice(now);
            *input = rest;
            if self.part.len() < need {
                return Ok(None);
            }
            if whole {
                self.given = true;
                return Ok(parse(&self.part));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A frame that owns its parts: its kind, and its bytes.
    type Owned = (u8, Vec<u8>, Vec<u8>);

    fn write(out: &mut Vec<u8>, (kind, name, payload): &Owned) {
        match kind {
            0 => publish(out, name, payload),
            1 => subscribe(out, name),
            2 => unsubscribe(out, name),
            _ => mark(out),
        }
    }
    fn own(frame: Frame<'_>) -> Owned {
        match frame {
            Frame::Publish { channel, payload, raw } => {
                let mut again = Vec::new();
                publish(&mut again, channel, payload);
                assert_eq!(again, raw);
                (0, channel.into(), payload.into())
            }
            Frame::Subscribe(expression) => (1, expression.into(), vec![]),
            Frame::Unsubscribe(expression) => (2, expression.into(), vec![]),
            Frame::Mark => (3, vec![], vec![]),
        }
    }
    fn read(decoder: &mut Decoder, mut input: &[u8]) -> Result<Vec<Owned>, Garbage> {
        let mut all = Vec::new();
        while let Some(frame) = decoder.next(&mut input)? {
            all.push(own(frame));
        }
        assert!(input.is_empty());
        Ok(all)
    }

    #[test]
    fn the_bytes_are_those_of_lcm() {
        let mut out = Vec::new();
        publish(&mut out, b"CH", b"xyz");
        subscribe(&mut out, b".*");
        unsubscribe(&mut out, b"A");
        assert_eq!(out, b"\0\0\0\x01\0\0\0\x02CH\0\0\0\x03xyz\0\0\0\x02\0\0\0\x02.*\0\0\0\x03\0\0\0\x01A");
    }

    #[test]
    fn what_is_no_frame_is_told_as_soon_as_it_can_be() {
        let told = |bytes: &[u8]| read(&mut Decoder::new(), bytes).map_err(|e| e.to_string());
        assert_eq!(told(b"GET / HTTP/1.1").unwrap_err(), "frame of unknown type 1195725856");
        assert!(told(b"\0\0\0\x02\xff\xff\xff\xff").unwrap_err().contains("at most 4096"));
        assert!(told(b"\0\0\0\x01\0\0\x03\xe8").unwrap_err().contains("channel of 1000 bytes"));
        assert!(told(b"\0\0\0\x01\0\0\0\0\x10\0\0\x01").unwrap_err().contains("268435457"));
        assert_eq!(told(b"\0\0\0\x01\0\0\0\0\x10\0\0\0").unwrap(), []);
    }

    #[test]
    fn memory_is_taken_as_bytes_come_and_given_back() {
        let mut decoder = Decoder::new();
        let head = publish_head(b"C", MESSAGE);
        assert_eq!(read(&mut decoder, &head), Ok(vec![]));
        assert!(decoder.part.capacity() < 1000, "{}", decoder.part.capacity());
        let mut decoder = Decoder::new();
        let mut long = Vec::new();
        publish(&mut long, b"C", &[7; 3 << 20]);
        for piece in long.chunks(50_000) {
            read(&mut decoder, piece).unwrap();
        }
        read(&mut decoder, b"\0\0").unwrap();
        assert!(decoder.part.capacity() <= KEPT && decoder.held() == 2);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_in_pieces_of_any_size(
            frames in proptest::collection::vec(
                (0u8..4, proptest::collection::vec(any::<u8>(), 0..20), proptest::collection::vec(any::<u8>(), 0..50)),
                0..10,
            ),
            size in 1usize..40,
        ) {
            let mut bytes = Vec::new();
            frames.iter().for_each(|frame| write(&mut bytes, frame));
            let mut decoder = Decoder::new();
            let mut got = Vec::new();
            for piece in bytes.chunks(size) {
                got.extend(read(&mut decoder, piece).unwrap());
            }
            let expected: Vec<Owned> = frames.into_iter().map(|(kind, name, payload)| match kind {
                0 => (0, name, payload),
                1 | 2 => (kind, name, vec![]),
                _ => (3, vec![], vec![]),
            }).collect();
            prop_assert_eq!(got, expected);
            prop_assert_eq!(decoder.held(), 0);
        }

        #[test]
        fn any_bytes_give_the_same_in_one_piece_and_in_many(
            kinds in proptest::collection::vec((0u32..6, 0u32..12, any::<u8>()), 0..12),
            size in 1usize..30,
        ) {
            let bytes: Vec<u8> = kinds.iter()
                .flat_map(|&(kind, len, byte)| [&word(kind)[..], &word(len), &[byte; 5]].concat()).collect();
            let run = |pieces: &mut dyn Iterator<Item = &[u8]>| {
                let (mut decoder, mut all) = (Decoder::new(), Vec::new());
                for mut piece in pieces {
                    loop {
                        match decoder.next(&mut piece) {
                            Ok(Some(frame)) => all.push(own(frame)),
                            Ok(None) => break,
                            Err(e) => return (all, Some(e)),
                        }
                    }
                }
                (all, None)
            };
            prop_assert_eq!(run(&mut std::iter::once(&bytes[..])), run(&mut bytes.chunks(size)));
        }
    }
}
