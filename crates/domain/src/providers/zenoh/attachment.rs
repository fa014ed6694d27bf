//! What a publisher of Saltus tells about a message, in its attachment. Little-endian words:
//!
//! ```text
//! 0 "saltus/1" | 8 sender | 16 sequence | 24 published | 32 boot
//! ```
//!
//! *Sender* is a number of the publishing domain, drawn at random and not 0. *Sequence* counts its messages on this channel, from 1.
//! *Published* is ns on the boot-time clock of the machine whose boot id begins with *boot*: on another machine it says nothing.

use crate::inbox::About;
use crate::inbox::losses::Count;
use saltus_channel::Name;
use std::collections::HashMap;
use std::sync::OnceLock;

const MAGIC: &[u8; 8] = b"saltus/1";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Attachment {
    pub sender: u64,
    pub sequence: u64,
    pub published: u64,
    pub boot: u64,
}

impl Attachment {
    pub const SIZE: usize = 40;

    pub fn to_bytes(self) -> [u8; Attachment::SIZE] {
        let mut bytes = [0; Attachment::SIZE];
        bytes[..8].copy_from_slice(MAGIC);
        let words = [self.sender, self.sequence, self.published, self.boot];
        for (to, word) in bytes[8..].chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// `None`: it is somebody else's.
    pub fn of_bytes(bytes: &[u8]) -> Option<Attachment> {
        let (words, []) = bytes.strip_prefix(MAGIC)?.as_chunks::<8>() else { return None };
        let &[sender, sequence, published, boot] = words else { return None };
        let [sender, sequence, published, boot] = [sender, sequence, published, boot].map(u64::from_le_bytes);
        (sender != 0).then_some(Attachment { sender, sequence, published, boot })
    }

    /// When it was published, on the boot-time clock, if that was on this machine. Never after `arrived`.
    pub fn published_here(&self, arrived: u64) -> Option<u64> {
        (self.boot != 0 && self.boot == boot()).then_some(self.published.min(arrived))
    }
}

/// Tells this machine, since it was started, from others; 0: unknown.
pub(super) fn boot() -> u64 {
    static BOOT: OnceLock<u64> = OnceLock::new();
    *BOOT.get_or_init(|| {
        let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let digits: String = id.chars().filter(char::is_ascii_hexdigit).take(16).collect();
        u64::from_str_radix(&digits, 16).unwrap_or(0)
    })
}

/// Senders on channels whose numbers are remembered.
const MOST: usize = 4096;

/// What was lost, told by gaps in the numbers of senders.
#[derive(Debug, Default)]
pub(super) struct Losses {
    of: HashMap<(Name, u64), Last>,
    /// Messages noted.
    noted: u64,
    /// Counts begun with a message that was not the sender's first.
    begun: u64,
}

/// The last message of a sender on a channel.
#[derive(Debug)]
struct Last {
    sequence: u64,
    /// Messages lost before it.
    lost: Count,
    /// When it came, in messages noted.
    at: u64,
}

impl Losses {
    /// How many messages of this sender on this channel were lost before number `sequence`.
    pub fn note(&mut self, name: &Name, sender: u64, sequence: u64) -> Count {
        self.noted += 1;
        if self.of.len() >= MOST && !self.of.contains_key(&(name.clone(), sender)) {
            self.forget_half();
        }
        let last = self.of.entry((name.clone(), sender)).or_insert_with(|| {
            let whole = sequence == 1;
            self.begun += u64::from(!whole);
            let lost = Count { lost: 0, count: if whole { 0 } else { self.begun } };
            Last { sequence: sequence.wrapping_sub(1), lost, at: 0 }
        });
        last.at = self.noted;
        // One that comes late was counted as lost, and stays so.
        let ahead = sequence.wrapping_sub(last.sequence);
        if ahead != 0 && ahead <= u64::MAX / 2 {
            last.sequence = sequence;
            last.lost.lost = last.lost.lost.saturating_add(ahead - 1).min(About::UNKNOWN - 1);
        }
        last.lost
    }

    /// Forgets those that have not sent for longest.
    fn forget_half(&mut self) {
        let mut times: Vec<u64> = self.of.values().map(|last| last.at).collect();
        let (_, &mut middle, _) = times.select_nth_unstable(MOST / 2);
        self.of.retain(|_, last| last.at >= middle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Attachment = Attachment { sender: 1, sequence: 2, published: 3, boot: 4 };

    #[test]
    fn an_attachment_comes_back_and_others_are_not_ours() {
        let bytes = ONE.to_bytes();
        assert_eq!(&bytes[..17], b"saltus/1\x01\0\0\0\0\0\0\0\x02");
        assert_eq!(Attachment::of_bytes(&bytes), Some(ONE));
        let long = [&bytes[..], b"x"].concat();
        let other = [b"saltus/2", &bytes[8..]].concat();
        let nobody = Attachment { sender: 0, ..ONE }.to_bytes();
        for bad in [&b""[..], b"saltus/1", &bytes[..39], &long, &other, &nobody] {
            assert_eq!(Attachment::of_bytes(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_stamp_of_another_machine_is_none() {
        let here = Attachment { boot: boot(), ..ONE };
        assert_ne!(boot(), 0);
        assert_eq!((here.published_here(9), here.published_here(2)), (Some(3), Some(2)));
        assert_eq!(Attachment { boot: boot() ^ 1, ..ONE }.published_here(9), None);
        assert_eq!(Attachment { boot: 0, ..ONE }.published_here(9), None);
    }

    #[test]
    fn gaps_are_losses_of_each_sender_on_each_channel() {
        let (mut losses, a, b) = (Losses::default(), Name::new("a").unwrap(), Name::new("b").unwrap());
        let mut note = |name: &Name, sender, sequence| losses.note(name, sender, sequence).lost;
        assert_eq!([note(&a, 1, 7), note(&a, 1, 8), note(&a, 1, 11)], [0, 0, 2]);
        assert_eq!([note(&b, 1, 3), note(&a, 2, 5), note(&b, 1, 5)], [0, 0, 1], "others are counted apart");
        assert_eq!(
            [note(&a, 1, 10), note(&a, 1, 11), note(&a, 1, 12)],
            [2, 2, 2],
            "late ones change nothing"
        );
        assert_eq!([note(&a, 1, 0), note(&b, 9, 0), note(&b, 9, 1)], [2, 0, 0]);
        let mut count = |sender, sequence| losses.note(&b, sender, sequence).count;
        assert_eq!([count(3, 1), count(3, 5)], [0, 0], "counted from its first message on");
        let (one, other) = (count(4, 2), count(5, 2));
        assert!(one > 0 && other > 0 && one != other);
    }

    #[test]
    fn what_many_senders_sent_is_not_remembered_for_ever() {
        let (mut losses, name) = (Losses::default(), Name::new("a").unwrap());
        for sender in 1..=10 * MOST as u64 {
            losses.note(&name, sender, 1);
            losses.note(&name, u64::MAX, 2 * sender); // one that goes on sending stays known
        }
        assert!(losses.of.len() <= MOST);
        assert_eq!(losses.note(&name, u64::MAX, 20 * MOST as u64).lost, 10 * MOST as u64 - 1);
    }
}
