//! The counts of a reader, and the check of their sum.
//!
//! A publisher numbers its messages 1, 2, 3 … A reader that joined after message `base` and holds message `last` must have received or
//! missed all messages between them: `received + missed = last − base`. Every reader of this robot checks that at every message.

pub use crate::wire::types::Tally;

impl Tally {
    /// An empty count for a reader of this channel.
    pub fn of(channel: usize) -> Tally {
        Tally { channel: channel as i64, ..Tally::default() }
    }

    /// Counts a delivery: the message's lane and number, and the number of messages missed since the previous one.
    pub fn count(&mut self, lane: u32, seq: u64, missed: u64) {
        let (lane, seq, missed) = (lane as i64, seq as i64, missed as i64);
        if self.received == 0 {
            self.lane = lane;
            self.lanes = 1;
            match seq > missed {
                true => self.base = seq - (missed + 1),
                false => self.wrong += 1,
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
        if self.lanes == 1 && self.received + self.missed != seq - self.base {
            self.wrong += 1;
        }
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
        // Joined at message 7, but two more were published before the first receive.
        let late = after(&[(0, 9, 2), (0, 10, 0)]);
        assert_eq!((late.base, late.wrong), (6, 0));
    }

    #[test]
    fn every_lie_is_found() {
        assert!(after(&[(0, 7, 0), (0, 9, 0)]).wrong > 0, "an unreported gap");
        assert!(after(&[(0, 7, 0), (0, 8, 1)]).wrong > 0, "a reported loss without a gap");
        assert!(after(&[(0, 7, 0), (0, 7, 0)]).wrong > 0, "the same message twice");
        assert!(after(&[(0, 7, 0), (0, 6, 0)]).wrong > 0, "back in time");
        assert!(after(&[(0, 2, 9)]).wrong > 0, "more missed than published");
    }

    #[test]
    fn a_second_lane_is_noticed() {
        let tally = after(&[(0, 7, 0), (1, 1, 0), (0, 8, 0)]);
        assert_eq!((tally.lanes, tally.wrong, tally.received), (2, 0, 3));
    }
}
