//! The message that announces channels.

use saltus_wire::{DecodeError, Reader};

/// `channel_port_map_update_t { int16_t num_ports; int16_t num_channels; channel_to_port_t mapping[num_channels]; }`, with
/// `channel_to_port_t { string channel; int16_t port; }`. Ports above 32767 are negative on the wire.
const FINGERPRINT: u64 = 0xcba5_1af0_1aff_9e62;

/// Most channels in one update.
pub(super) const MOST: usize = i16::MAX as usize;

/// An announced map: channels with their ports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// The number of ports that the sender uses.
    pub ports: u16,
    /// Each channel's name and port.
    pub channels: Vec<(Vec<u8>, u16)>,
}

impl Update {
    /// Decodes a map. Allocates no more than the message's size.
    ///
    /// # Errors
    /// Another type, or a message that ends before the last channel.
    pub fn decode(bytes: &[u8]) -> Result<Update, DecodeError> {
        let mut reader = Reader::new(bytes);
        let found = reader.fingerprint()?;
        if found != FINGERPRINT {
            return Err(DecodeError::Fingerprint { expected: FINGERPRINT, found });
        }
        let ports = reader.int16()? as u16;
        let count = reader.int16()?;
        let mut channels = Vec::new();
        for _ in 0..count {
            let channel = reader.string_bytes()?.to_vec();
            channels.push((channel, reader.int16()? as u16));
        }
        Ok(Update { ports, channels })
    }
}

/// The message for a map of at most [`MOST`] channels.
pub(super) fn encode<'a>(ports: u16, channels: impl ExactSizeIterator<Item = (&'a [u8], u16)>) -> Vec<u8> {
    let mut bytes = FINGERPRINT.to_be_bytes().to_vec();
    bytes.extend(ports.to_be_bytes());
    bytes.extend((channels.len() as u16).to_be_bytes());
    for (channel, port) in channels {
        bytes.extend((channel.len() as u32 + 1).to_be_bytes());
        bytes.extend(channel);
        bytes.push(0);
        bytes.extend(port.to_be_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_is_that_of_lcm() {
        let channels = [(&b"POSE"[..], 7904), (b"A", 40_000)];
        let bytes = encode(10, channels.into_iter());
        let expected =
            b"\xcb\xa5\x1a\xf0\x1a\xff\x9e\x62\0\x0a\0\x02\0\0\0\x05POSE\0\x1e\xe0\0\0\0\x02A\0\x9c\x40";
        assert_eq!(bytes, expected);
        let update = Update::decode(&bytes).unwrap();
        assert_eq!(update.ports, 10);
        assert_eq!(update.channels, channels.map(|(c, p)| (c.to_vec(), p)));
        for end in 0..bytes.len() {
            assert!(Update::decode(&bytes[..end]).is_err(), "{end}");
        }
        let mut other = bytes;
        other[7] ^= 1;
        assert!(matches!(Update::decode(&other), Err(DecodeError::Fingerprint { .. })));
    }
}
