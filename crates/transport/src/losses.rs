//! A transport's counts of lost messages, for each sender.
//!
//! Gaps between the sequence numbers of a sender are counted; losses before the first message received are unknown.
//! So each count has a number: a subscriber that reported another count, or none, reports the losses as unknown.

use crate::about::{About, Count};
use crate::recent::Recent;
use std::hash::Hash;

/// The counts of a transport that receives numbers of lost messages.
#[derive(Debug)]
pub struct Losses<K> {
    of: Recent<K, Count>,
    /// Counts begun with a message that was not the sender's first.
    begun: u64,
}

impl<K> Default for Losses<K> {
    fn default() -> Losses<K> {
        Losses { of: Recent::default(), begun: 0 }
    }
}

impl<K: Eq + Hash> Losses<K> {
    /// Begins a count with a message of this sender. `whole`: it is the sender's first.
    pub fn begin(&mut self, sender: K, whole: bool) -> Count {
        let known = self.of.contains_key(&sender);
        let mut may_be_whole = whole && !known;
        let count = self.of.get_or(sender, |forgot| {
            may_be_whole &= !forgot;
            Count::default()
        });
        self.begun += u64::from(!may_be_whole);
        *count = Count { lost: 0, count: if may_be_whole { 0 } else { self.begun } };
        *count
    }
    /// Adds losses before a message of this sender.
    pub fn add(&mut self, sender: K, lost: u64) -> Count {
        if !self.of.contains_key(&sender) {
            return self.begin(sender, false);
        }
        let count = self.of.get_or(sender, |_| Count::default());
        count.add(lost);
        *count
    }
    /// All present counts.
    pub fn iter(&self) -> impl Iterator<Item = (&K, Count)> {
        self.of.iter().map(|(sender, count)| (sender, *count))
    }
}

/// The counts of a transport that receives sequence numbers, from 1.
#[derive(Debug)]
pub struct Gaps<K> {
    /// The number of the last message, and the losses before it.
    of: Recent<K, (u64, Count)>,
    /// Counts begun with a message that was not the sender's first.
    begun: u64,
}

impl<K> Default for Gaps<K> {
    fn default() -> Gaps<K> {
        Gaps { of: Recent::default(), begun: 0 }
    }
}

impl<K: Eq + Hash> Gaps<K> {
    /// How many messages of this sender were lost before number `sequence`, and whether that number is new. A late
    /// message was counted as lost, and still is.
    pub fn note(&mut self, sender: K, sequence: u64) -> (Count, bool) {
        let (last, count) = self.of.get_or(sender, |_| {
            let whole = sequence == 1;
            self.begun += u64::from(!whole);
            let count = Count { lost: 0, count: if whole { 0 } else { self.begun } };
            (sequence.wrapping_sub(1), count)
        });
        let ahead = sequence.wrapping_sub(*last);
        let is_new = ahead != 0 && ahead <= u64::MAX / 2;
        if is_new {
            *last = sequence;
            if count.lost == About::UNKNOWN {
                self.begun += 1;
                *count = Count { lost: 0, count: self.begun };
            } else {
                count.add(ahead - 1);
            }
        }
        (*count, is_new)
    }
    /// Drops senders that no longer send. If one sends again, a new count begins.
    pub fn retain(&mut self, mut stays: impl FnMut(&K) -> bool) {
        self.of.retain(|sender, _| stays(sender));
    }
    /// Reception from these senders pauses: a new count begins with their next new message.
    pub fn pause(&mut self, mut which: impl FnMut(&K) -> bool) {
        let paused = self.of.iter_mut().filter(|(sender, _)| which(sender));
        paused.for_each(|(_, (_, count))| count.lost = About::UNKNOWN);
    }
    /// All present counts.
    pub fn iter(&self) -> impl Iterator<Item = (&K, Count)> {
        let counted = self.of.iter().filter(|(_, (_, count))| count.lost != About::UNKNOWN);
        counted.map(|(sender, (_, count))| (sender, *count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_between_numbers_are_losses_and_late_ones_change_nothing() {
        let mut gaps = Gaps::default();
        let mut note = |sender, number| {
            let (Count { lost, count }, is_new) = gaps.note(sender, number);
            (lost, count, is_new)
        };
        assert_eq!([note(1, 5), note(1, 6), note(1, 9)], [(0, 1, true), (0, 1, true), (2, 1, true)]);
        assert_eq!([note(2, 1), note(1, 9), note(1, 3)], [(0, 0, true), (2, 1, false), (2, 1, false)]);
        assert_eq!([note(1, 11), note(2, 5), note(3, 2)], [(3, 1, true), (3, 0, true), (0, 2, true)]);
        assert_eq!([note(1, 0), note(9, 0), note(9, 1)], [(3, 1, false), (0, 3, true), (0, 3, true)]);
        assert_eq!(note(2, 1 << 63), ((1 << 63) - 3, 0, true));
        assert_eq!(note(2, u64::MAX), (u64::MAX - 4, 0, true));
        gaps.pause(|sender| *sender == 2 || *sender == 3);
        assert!(!gaps.note(3, 2).1, "a copy from before");
        assert_eq!(gaps.note(3, 9), (Count { lost: 0, count: 4 }, true));
        gaps.retain(|sender| *sender != 1);
        assert_eq!(gaps.note(1, 1000).0, Count { lost: 0, count: 5 }, "its count begins again");
    }
}
