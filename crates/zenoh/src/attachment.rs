//! The attachment that Saltus publishers add to a message. Little-endian words:
//!
//! ```text
//! 0 "saltus/1" | 8 sender | 16 sequence | 24 published | 32 boot | 40 check
//! ```
//!
//! *Sender* is a number of the publishing domain, drawn at random and not 0. *Sequence* counts its messages on this channel, from 1.
//! *Published* is ns on the boot-time clock of the machine whose boot id begins with *boot*: on another machine it
//! has no meaning.
//! *Check* is the CRC-32 (IEEE 802.3) of everything before it, followed by the payload: under flood, routers were
//! seen to deliver messages assembled from pieces of others.

use std::sync::OnceLock;

const MAGIC: &[u8; 8] = b"saltus/1";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attachment {
    pub sender: u64,
    pub sequence: u64,
    pub published: u64,
    pub boot: u64,
}

/// The result of parsing an attachment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// A valid attachment.
    Ours(Attachment),
    /// It is a Saltus attachment, but it or its message was damaged.
    Damaged,
    /// Not a Saltus attachment.
    Nothing,
}

impl Attachment {
    pub const SIZE: usize = 48;
    const CHECK: usize = 40;

    /// Encodes the attachment of this payload.
    pub fn to_bytes(self, payload: &[u8]) -> [u8; Attachment::SIZE] {
        let mut bytes = [0; Attachment::SIZE];
        bytes[..8].copy_from_slice(MAGIC);
        let words = [self.sender, self.sequence, self.published, self.boot];
        for (to, word) in bytes[8..].chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        let check = check(&bytes[..Attachment::CHECK], payload);
        bytes[Attachment::CHECK..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// Parses the attachment of this payload.
    pub fn of_bytes(bytes: &[u8], payload: &[u8]) -> Told {
        let Some((words, [])) = bytes.strip_prefix(MAGIC).map(<[u8]>::as_chunks::<8>) else {
            return Told::Nothing;
        };
        let &[sender, sequence, published, boot, reported] = words else { return Told::Nothing };
        if u64::from_le_bytes(reported) != check(&bytes[..Attachment::CHECK], payload) {
            return Told::Damaged;
        }
        let [sender, sequence, published, boot] = [sender, sequence, published, boot].map(u64::from_le_bytes);
        match sender {
            0 => Told::Nothing,
            _ => Told::Ours(Attachment { sender, sequence, published, boot }),
        }
    }

    /// The time of publication on the boot-time clock, if it was published on this machine. Never later than `arrived`.
    pub fn published_here(&self, arrived: u64) -> Option<u64> {
        (self.boot != 0 && self.boot == boot()).then_some(self.published.min(arrived))
    }
}

fn check(head: &[u8], payload: &[u8]) -> u64 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(head);
    crc.update(payload);
    crc.finalize().into()
}

/// Identifies this machine's present boot; 0: unknown.
pub(super) fn boot() -> u64 {
    static BOOT: OnceLock<u64> = OnceLock::new();
    *BOOT.get_or_init(|| {
        let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let digits: String = id.chars().filter(char::is_ascii_hexdigit).take(16).collect();
        u64::from_str_radix(&digits, 16).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Attachment = Attachment { sender: 1, sequence: 2, published: 3, boot: 4 };

    #[test]
    fn an_attachment_round_trips_and_foreign_ones_are_ignored() {
        let bytes = ONE.to_bytes(b"payload");
        assert_eq!(&bytes[..17], b"saltus/1\x01\0\0\0\0\0\0\0\x02");
        assert_eq!(Attachment::of_bytes(&bytes, b"payload"), Told::Ours(ONE));
        let long = [&bytes[..], b"x"].concat();
        let other = [b"saltus/2", &bytes[8..]].concat();
        let nobody = Attachment { sender: 0, ..ONE }.to_bytes(b"payload");
        for bad in [&b""[..], b"saltus/1", &bytes[..47], &bytes[..40], &long, &other, &nobody] {
            assert_eq!(Attachment::of_bytes(bad, b"payload"), Told::Nothing, "{bad:?}");
        }
    }

    #[test]
    fn a_corrupted_packet_is_distinguished_from_a_foreign_one() {
        let bytes = ONE.to_bytes(b"payload");
        for payload in [&b"Payload"[..], b"payloa", b"payloadp", b""] {
            assert_eq!(Attachment::of_bytes(&bytes, payload), Told::Damaged, "{payload:?}");
        }
        for at in 8..Attachment::SIZE {
            let mut bytes = bytes;
            bytes[at] ^= 0x10;
            assert_eq!(Attachment::of_bytes(&bytes, b"payload"), Told::Damaged, "byte {at}");
        }
    }

    #[test]
    fn a_timestamp_of_another_machine_is_ignored() {
        let here = Attachment { boot: boot(), ..ONE };
        assert_ne!(boot(), 0);
        assert_eq!((here.published_here(9), here.published_here(2)), (Some(3), Some(2)));
        assert_eq!(Attachment { boot: boot() ^ 1, ..ONE }.published_here(9), None);
        assert_eq!(Attachment { boot: 0, ..ONE }.published_here(9), None);
    }
}
