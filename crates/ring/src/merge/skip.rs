//! Moving a subscriber's cursors without a delivery, and inspecting the next message without moving them.

use super::Merge;
use super::choice::{Pick, TRIES, Which};
use crate::lanes::Lanes;
use crate::layout::MAX_LANES;
use crate::reader;

impl Merge {
    /// Skips to the present: all unseen messages count as missed.
    pub fn flush<L: Lanes>(&mut self, lanes: &L) {
        let used = self.extend(lanes.used());
        for i in 0..used {
            self.cursors.observe(i, lanes.lane(i).map_or(self.cursors.at(i), reader::head));
        }
        self.account.miss(self.cursors.advance(used));
    }

    /// Goes back to the oldest message kept, in every lane. Messages delivered again are counted again.
    pub fn seek_oldest<L: Lanes>(&mut self, lanes: &L) {
        let used = self.extend(lanes.used());
        for i in 0..used {
            let Some(mem) = lanes.lane(i) else { continue };
            let back = self.cursors.rewind(i, lanes.layout().oldest(reader::head(mem)) - 1);
            self.account.rewind(back);
        }
    }

    /// The number of unseen messages, including those already overwritten. One load per lane.
    #[inline]
    pub fn unseen_count<L: Lanes>(&self, lanes: &L) -> u64 {
        let unseen = |i| lanes.lane(i).map_or(0, |mem| reader::head(mem).saturating_sub(self.cursor(i)));
        (0..lanes.used().min(MAX_LANES)).fold(0, |sum: u64, i| sum.saturating_add(unseen(i)))
    }

    /// Gives up the oldest unseen messages until at most `keep` are left. They count as missed, and the next
    /// delivery reports them. Returns how many it gave up.
    ///
    /// With one lane the time is constant; with several, each message is inspected.
    pub fn limit<L: Lanes>(&mut self, lanes: &L, keep: u64) -> u64 {
        let used = self.extend(lanes.used());
        let mut excess = self.unseen_count(lanes).saturating_sub(keep);
        let before = self.missed();
        if used == 1 {
            if excess > 0 {
                self.give_up(0, self.cursors.at(0).saturating_add(excess));
            }
            return self.missed() - before;
        }
        while excess > 0 {
            let Pick::Found(oldest) = self.pick(lanes, Which::Next) else { break };
            // Messages overwritten before it are given up with it.
            self.give_up(oldest.lane, oldest.meta.seq);
            excess = self.unseen_count(lanes).saturating_sub(keep);
        }
        self.missed() - before
    }

    /// The timestamp of the message that would be delivered now; `None` if nothing is unseen, or it is not readable
    /// just now.
    #[inline]
    pub fn peek<L: Lanes>(&mut self, lanes: &L, which: Which) -> Option<u64> {
        for _ in 0..TRIES {
            match self.pick(lanes, which) {
                Pick::Found(c) => return Some(c.key.timestamp),
                Pick::Nothing => return None,
                Pick::Lapped => {}
            }
        }
        None
    }
}
