//! Encodes events.

use super::{CHANNEL, DATA, SYNC};
use std::fmt;

/// Writes events, numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    next: i64,
}

/// Why an event cannot be written to a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unwritable {
    /// The channel name has this many bytes; it must have from 1 to [`CHANNEL`].
    Channel(usize),
    /// The message has this many bytes, more than [`DATA`].
    Data(usize),
}

impl Writer {
    /// A writer at the start of a log.
    pub fn new() -> Writer {
        Writer::default()
    }
    /// The number of events written.
    pub fn written(&self) -> i64 {
        self.next
    }
    /// Appends one event to `out` and assigns the next number. Allocates only to grow `out`.
    ///
    /// # Errors
    /// A name or a message that is too long, or an empty name; nothing is written then.
    pub fn event(
        &mut self,
        out: &mut Vec<u8>,
        time: i64,
        channel: &[u8],
        data: &[u8],
    ) -> Result<(), Unwritable> {
        self.head(out, time, channel, data.len())?;
        out.extend(data);
        Ok(())
    }

    /// Appends an event without its data, which must follow, and assigns the next number.
    ///
    /// # Errors
    /// Those of [`event`](Writer::event).
    pub fn head(
        &mut self,
        out: &mut Vec<u8>,
        time: i64,
        channel: &[u8],
        len: usize,
    ) -> Result<(), Unwritable> {
        if channel.is_empty() || channel.len() > CHANNEL {
            return Err(Unwritable::Channel(channel.len()));
        }
        if len > DATA {
            return Err(Unwritable::Data(len));
        }
        out.extend(SYNC);
        out.extend(self.next.to_be_bytes());
        out.extend(time.to_be_bytes());
        out.extend((channel.len() as u32).to_be_bytes());
        out.extend((len as u32).to_be_bytes());
        out.extend(channel);
        self.next += 1;
        Ok(())
    }
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unwritable::Channel(len) => {
                write!(f, "a channel's name of {len} bytes: in an LCM log it must have from 1 to {CHANNEL}")
            }
            Unwritable::Data(len) => {
                write!(f, "a message of {len} bytes: in an LCM log it can have at most {DATA}")
            }
        }
    }
}
impl std::error::Error for Unwritable {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_the_format() {
        let (mut writer, mut out) = (Writer::new(), Vec::new());
        writer.event(&mut out, -2, b"CH", b"\x01\x02\x03").unwrap();
        writer.event(&mut out, 0x0102, b"X", b"").unwrap();
        let expected = [
            &b"\xED\xA1\xDA\x01\0\0\0\0\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE\0\0\0\x02\0\0\0\x03CH\x01\x02\x03"[..],
            b"\xED\xA1\xDA\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\x01\x02\0\0\0\x01\0\0\0\0X",
        ];
        assert_eq!(out, expected.concat());
        assert_eq!(writer.written(), 2);
    }

    #[test]
    fn events_that_lcm_cannot_read_are_not_written() {
        let (mut writer, mut out) = (Writer::new(), Vec::new());
        assert_eq!(writer.event(&mut out, 0, b"", b"x"), Err(Unwritable::Channel(0)));
        assert_eq!(writer.event(&mut out, 0, &[b'c'; 1000], b"x"), Err(Unwritable::Channel(1000)));
        assert_eq!((out.len(), writer.written()), (0, 0));
        writer.event(&mut out, 0, &[b'c'; 999], b"x").unwrap();
    }
}
