//! The message that every contender carries: 64 bytes of head, then filler; and the reader's count of them.

/// Bytes of the head, and the shortest message.
pub const HEAD: usize = 64;

/// The fields of the head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Number of the message, from 1, counted by each writer.
    pub number: u64,
    /// Which writer.
    pub writer: u64,
    /// When the schedule required it to be sent.
    pub due: u64,
    /// When the sender began to send it.
    pub sent: u64,
    /// Whether it is the last: the receiver may exit.
    pub end: bool,
}

impl Head {
    /// Writes it to the first bytes of a message.
    #[inline]
    pub fn write(&self, message: &mut [u8]) {
        for (i, word) in [self.number, self.writer, self.due, self.sent, self.end as u64].iter().enumerate() {
            message[i * 8..i * 8 + 8].copy_from_slice(&word.to_le_bytes());
        }
    }

    /// Reads it back.
    #[inline]
    pub fn read(message: &[u8]) -> Head {
        let word = |i: usize| u64::from_le_bytes(message[i * 8..i * 8 + 8].try_into().expect("eight bytes"));
        Head { number: word(0), writer: word(1), due: word(2), sent: word(3), end: word(4) != 0 }
    }
}

/// One reader's counts: received and missed per writer, from the numbers in the heads. It does not rely on the
/// contender's own report of losses.
#[derive(Debug, Default)]
pub struct Tally {
    last: Vec<u64>,
    /// Messages received.
    pub received: u64,
    /// Numbers skipped since the first one seen.
    pub missed: u64,
}

impl Tally {
    /// Counts one message; false if it arrived twice or out of its writer's order.
    #[inline]
    pub fn take(&mut self, head: &Head) -> bool {
        let writer = head.writer as usize;
        if writer >= self.last.len() {
            self.last.resize(writer + 1, 0);
        }
        let last = std::mem::replace(&mut self.last[writer], head.number);
        if head.number <= last {
            return false;
        }
        self.received += 1;
        if last != 0 {
            self.missed += head.number - last - 1;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_survives_the_trip() {
        let head = Head { number: 7, writer: 3, due: u64::MAX, sent: 1 << 40, end: true };
        let mut bytes = [0u8; HEAD];
        head.write(&mut bytes);
        assert_eq!(Head::read(&bytes), head);
    }

    #[test]
    fn missed_counts_gaps_of_each_writer_and_repeats_are_refused() {
        let mut tally = Tally::default();
        for (writer, number) in [(0, 5), (1, 1), (0, 6), (0, 9), (1, 2)] {
            assert!(tally.take(&Head { number, writer, ..Head::default() }));
        }
        assert_eq!((tally.received, tally.missed), (5, 2));
        assert!(!tally.take(&Head { number: 9, writer: 0, ..Head::default() }));
        assert!(!tally.take(&Head { number: 4, writer: 0, ..Head::default() }));
    }
}
