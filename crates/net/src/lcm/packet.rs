//! The format of one datagram.
//!
//! A message that fits into one datagram:
//!
//! ```text
//!  0      4          8                    9+n
//!  ┌──────┬──────────┬────────────────┬───┬─────────┐
//!  │ LC02 │ sequence │ channel, n B   │ 0 │ payload │   big endian
//!  └──────┴──────────┴────────────────┴───┴─────────┘
//! ```
//!
//! A fragment of a longer one:
//!
//! ```text
//!  0      4          8      12       16       18      20
//!  ┌──────┬──────────┬──────┬────────┬────────┬───────┬────────────────┬───┬─────────┐
//!  │ LC03 │ sequence │ size │ offset │ number │ count │ channel, n B   │ 0 │ payload │   big endian
//!  └──────┴──────────┴──────┴────────┴────────┴───────┴────────────────┴───┴─────────┘
//!                                                     └ in fragment 0 only ┘
//! ```
//!
//! `size` is the length of the whole payload, `offset` the position of this piece in it. `sequence` counts the
//! messages of a sender on all channels; all fragments of a message have the same.

use super::{CHANNEL, MESSAGE};

/// First bytes of a datagram that is a whole message.
pub const SHORT: [u8; 4] = *b"LC02";
/// First bytes of a datagram that is a fragment.
pub const FRAGMENT: [u8; 4] = *b"LC03";
/// Bytes before the channel of a whole message.
pub const SHORT_HEAD: usize = 8;
/// Bytes before the channel or the payload of a fragment.
pub const FRAGMENT_HEAD: usize = 20;

/// A parsed datagram. It borrows the datagram's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet<'a> {
    /// A whole message.
    Short {
        /// The message's sequence number, counted by its sender over all channels.
        sequence: u32,
        /// The channel's name: 0 to 63 bytes without NUL.
        channel: &'a [u8],
        /// The message.
        payload: &'a [u8],
    },
    /// A piece of a message.
    Fragment(Fragment<'a>),
}

/// A piece of a message. Its fields are not checked yet: [`super::reassembly`] does that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment<'a> {
    /// The message's sequence number, counted by its sender over all channels.
    pub sequence: u32,
    /// Bytes of the whole message, at most 2^28.
    pub size: u32,
    /// Offset of this piece in the message.
    pub offset: u32,
    /// Its number, from 0.
    pub number: u16,
    /// The number of fragments of the message.
    pub count: u16,
    /// The channel's name; only in fragment 0.
    pub channel: Option<&'a [u8]>,
    /// The piece.
    pub payload: &'a [u8],
}

/// Why a datagram is not valid in LCM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// It ends within its header.
    #[error("the datagram ends within its header")]
    Truncated,
    /// It does not begin with LCM's magic bytes.
    #[error("not an LCM datagram: it begins neither with LC02 nor with LC03")]
    Magic,
    /// The channel's name is not terminated, or longer than 63 bytes.
    #[error("the name of the channel does not end within 63 bytes")]
    Channel,
    /// The whole message is longer than 2^28 bytes.
    #[error("the message is longer than 2^28 bytes")]
    TooLong,
}

/// Parses one datagram. Does not allocate or block.
///
/// # Errors
/// A datagram that is not LCM's, or exceeds LCM's limits.
pub fn parse(datagram: &[u8]) -> Result<Packet<'_>, Malformed> {
    let (magic, rest) = datagram.split_first_chunk::<4>().ok_or(Malformed::Truncated)?;
    let (sequence, rest) = u32_at(rest)?;
    match *magic {
        SHORT => {
            let (channel, payload) = name(rest)?;
            Ok(Packet::Short { sequence, channel, payload })
        }
        FRAGMENT => {
            let (size, rest) = u32_at(rest)?;
            let (offset, rest) = u32_at(rest)?;
            let (number, rest) = u16_at(rest)?;
            let (count, rest) = u16_at(rest)?;
            if size as usize > MESSAGE {
                return Err(Malformed::TooLong);
            }
            let (channel, payload) = match number {
                0 => name(rest).map(|(channel, payload)| (Some(channel), payload))?,
                _ => (None, rest),
            };
            Ok(Packet::Fragment(Fragment { sequence, size, offset, number, count, channel, payload }))
        }
        _ => Err(Malformed::Magic),
    }
}

fn u32_at(bytes: &[u8]) -> Result<(u32, &[u8]), Malformed> {
    let (word, rest) = bytes.split_first_chunk().ok_or(Malformed::Truncated)?;
    Ok((u32::from_be_bytes(*word), rest))
}

fn u16_at(bytes: &[u8]) -> Result<(u16, &[u8]), Malformed> {
    let (word, rest) = bytes.split_first_chunk().ok_or(Malformed::Truncated)?;
    Ok((u16::from_be_bytes(*word), rest))
}

/// The channel's name, and the bytes after its NUL.
fn name(bytes: &[u8]) -> Result<(&[u8], &[u8]), Malformed> {
    let longest = bytes.len().min(CHANNEL + 1);
    let end = bytes[..longest].iter().position(|b| *b == 0).ok_or(Malformed::Channel)?;
    Ok((&bytes[..end], &bytes[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_message() {
        let expected = Packet::Short { sequence: 258, channel: b"CH", payload: b"xyz" };
        assert_eq!(parse(b"LC02\0\0\x01\x02CH\0xyz"), Ok(expected));
        let empty = Packet::Short { sequence: 0, channel: b"", payload: b"" };
        assert_eq!(parse(b"LC02\0\0\0\0\0"), Ok(empty));
    }

    #[test]
    fn the_first_fragment_has_the_channel() {
        let mut first = b"LC03\0\0\0\x07\0\x01\0\0\0\0\0\0\0\0\0\x02CH\0abc".to_vec();
        let Ok(Packet::Fragment(f)) = parse(&first) else { panic!("a fragment") };
        assert_eq!((f.sequence, f.size, f.offset, f.number, f.count), (7, 65536, 0, 0, 2));
        assert_eq!((f.channel, f.payload), (Some(&b"CH"[..]), &b"abc"[..]));
        first[17] = 1; // now the second
        let Ok(Packet::Fragment(f)) = parse(&first) else { panic!("a fragment") };
        assert_eq!((f.number, f.channel, f.payload), (1, None, &b"CH\0abc"[..]));
    }

    #[test]
    fn nothing_is_read_beyond_the_datagram() {
        let whole = b"LC03\0\0\0\x07\0\x01\0\0\0\0\0\0\0\0\0\x02CH\0";
        for end in 0..20 {
            assert_eq!(parse(&whole[..end]), Err(Malformed::Truncated), "{end}");
        }
        for end in 20..23 {
            assert_eq!(parse(&whole[..end]), Err(Malformed::Channel), "{end}");
        }
        assert!(parse(whole).is_ok());
        assert_eq!(parse(b"LC02\0\0\0\0"), Err(Malformed::Channel));
        assert_eq!(parse(b"LC01\0\0\0\0\0"), Err(Malformed::Magic));
    }

    #[test]
    fn limits_are_those_of_lcm() {
        let long = |n: usize| [&b"LC02\0\0\0\0"[..], &vec![b'x'; n], &[0]].concat();
        assert!(parse(&long(63)).is_ok());
        assert_eq!(parse(&long(64)), Err(Malformed::Channel));
        let sized =
            |size: u32| [&b"LC03\0\0\0\0"[..], &size.to_be_bytes(), b"\0\0\0\0\0\0\0\x01C\0"].concat();
        assert!(parse(&sized(1 << 28)).is_ok());
        assert_eq!(parse(&sized((1 << 28) + 1)), Err(Malformed::TooLong));
    }
}
