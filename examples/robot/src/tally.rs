//! What a reader counts, and the sum that must come out.
//!
//! A publisher numbers its messages 1, 2, 3 … A reader that joined after message `base` and holds message `last`
//! must have received or missed everything between: `received + missed = last − base`. Every reader of this
//! robot checks that at every single message.

/// The count of one reader of one channel, from its joining on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Which channel, see [`crate::channels::index`].
    pub channel: u64,
    /// Messages received.
    pub received: u64,
    /// Messages that it was told it missed.
    pub missed: u64,
    /// Number of the last message that was before its time.
    pub base: u64,
    /// Number of the newest message it holds.
    pub last: u64,
    /// Messages whose checksum was wrong. Must stay 0.
    pub torn: u64,
    /// Messages at which the sum did not come out, or that came out of order. Must stay 0.
    pub wrong: u64,
    /// Publishers seen at once: the sum is checked for the first one's lane.
    pub lanes: u64,
    /// How far the newest message was behind what had been published when it was asked for. Must stay below 2.
    pub behind: u64,
    /// The lane that is followed.
    lane: u64,
}

impl Tally {
    /// Words in a health message.
    pub const WORDS: usize = 10;

    /// An empty count for a reader of this channel.
    pub fn of(channel: u64) -> Tally {
        Tally { channel, ..Tally::default() }
    }

    /// Counts a delivery: the message's lane and number, and how many were missed since the one before.
    pub fn count(&mut self, lane: u32, seq: u64, missed: u64) {
        let lane = lane as u64;
        if self.received == 0 {
            self.lane = lane;
            self.lanes = 1;
            match seq.checked_sub(missed + 1) {
                Some(base) => self.base = base,
                None => self.wrong += 1,
            }
        } else if lane == self.lane && seq <= self.last {
            self.wrong += 1;
        }
        self.received += 1;
        self.missed += missed;
        if lane != self.lane {
            self.lanes = self.lanes.max(2);
            return;
        }
        self.last = seq;
        if self.lanes == 1 && self.received + self.missed != seq.wrapping_sub(self.base) {
            self.wrong += 1;
        }
    }

    /// As words of a health message.
    pub fn words(&self) -> [u64; Tally::WORDS] {
        let t = self;
        [t.channel, t.received, t.missed, t.base, t.last, t.torn, t.wrong, t.lanes, t.behind, t.lane]
    }

    /// Back from words.
    pub fn of_words(words: [u64; Tally::WORDS]) -> Tally {
        let [channel, received, missed, base, last, torn, wrong, lanes, behind, lane] = words;
        Tally { channel, received, missed, base, last, torn, wrong, lanes, behind, lane }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(deliveries: &[(u32, u64, u64)]) -> Tally {
        let mut tally = Tally::of(3);
        for (lane, seq, missed) in deliveries {
            tally.count(*lane, *seq, *missed);
        }
        tally
    }

    #[test]
    fn the_sum_comes_out_for_an_honest_channel() {
        let tally = after(&[(0, 7, 0), (0, 8, 0), (0, 12, 3), (0, 13, 0)]);
        assert_eq!((tally.received, tally.missed, tally.base, tally.last), (4, 3, 6, 13));
        assert_eq!((tally.wrong, tally.lanes), (0, 1));
        // Joined at message 7, but two more came before the first was asked for.
        let late = after(&[(0, 9, 2), (0, 10, 0)]);
        assert_eq!((late.base, late.wrong), (6, 0));
    }

    #[test]
    fn every_lie_is_found() {
        assert!(after(&[(0, 7, 0), (0, 9, 0)]).wrong > 0, "a gap that was not told");
        assert!(after(&[(0, 7, 0), (0, 8, 1)]).wrong > 0, "a loss that was none");
        assert!(after(&[(0, 7, 0), (0, 7, 0)]).wrong > 0, "twice the same");
        assert!(after(&[(0, 7, 0), (0, 6, 0)]).wrong > 0, "back in time");
        assert!(after(&[(0, 2, 9)]).wrong > 0, "more missed than there ever were");
    }

    #[test]
    fn a_second_lane_is_noticed() {
        let tally = after(&[(0, 7, 0), (1, 1, 0), (0, 8, 0)]);
        assert_eq!((tally.lanes, tally.wrong, tally.received), (2, 0, 3));
    }

    #[test]
    fn words_come_back() {
        let tally = after(&[(2, 7, 0), (2, 9, 1)]);
        assert_eq!(Tally::of_words(tally.words()), tally);
    }
}
