//! What is lost of each sender: as a link counts it, and as a subscriber was told of it.
//!
//! Gaps between the numbers of a sender's messages are counted, and nobody knows what was lost before the first that was heard. So
//! each count has a number: who was told of another count, or of none, is told that nothing is known.

use super::about::About;
use super::recent::Recent;
use saltus_channel::Name;
use std::hash::Hash;

/// Whose messages are counted: a sender's, on one channel where each is counted by itself.
pub(crate) type Of = (u64, Option<Name>);

/// What is lost of a sender since the count began. By default: nothing, since its first message of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// As [`About::lost`].
    pub lost: u64,
    /// As [`About::count`].
    pub count: u64,
}

impl Count {
    fn add(&mut self, lost: u64) {
        self.lost = self.lost.saturating_add(lost).min(About::UNKNOWN - 1);
    }
}

/// The counts of a link that is told how many are lost.
#[derive(Debug)]
pub(crate) struct Losses<K> {
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
    /// A count begins with a message of this sender. `whole`: its first of all.
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
    /// So many more were lost before a message of this sender.
    pub fn add(&mut self, sender: K, lost: u64) -> Count {
        if !self.of.contains_key(&sender) {
            return self.begin(sender, false);
        }
        let count = self.of.get_or(sender, |_| Count::default());
        count.add(lost);
        *count
    }
    /// All that is counted now.
    pub fn iter(&self) -> impl Iterator<Item = (&K, Count)> {
        self.of.iter().map(|(sender, count)| (sender, *count))
    }
}

/// The counts of a link that is told the numbers of messages, from 1.
#[cfg(any(test, feature = "dds", feature = "zenoh"))]
#[derive(Debug)]
pub(crate) struct Gaps<K> {
    /// The number of the last message, and what was lost before it.
    of: Recent<K, (u64, Count)>,
    /// Counts begun with a message that was not the sender's first.
    begun: u64,
}

#[cfg(any(test, feature = "dds", feature = "zenoh"))]
impl<K> Default for Gaps<K> {
    fn default() -> Gaps<K> {
        Gaps { of: Recent::default(), begun: 0 }
    }
}

#[cfg(any(test, feature = "dds", feature = "zenoh"))]
impl<K: Eq + Hash> Gaps<K> {
    /// How many messages of this sender were lost before number `sequence`, and whether that is a new one. One that comes late was
    /// counted as lost, and stays so.
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
    /// Drops senders of whom nothing comes any more. If one is heard again, its count begins anew.
    #[cfg(any(test, feature = "dds"))]
    pub fn retain(&mut self, mut stays: impl FnMut(&K) -> bool) {
        self.of.retain(|sender, _| stays(sender));
    }
    /// Nobody listens to these for a while: their counts begin anew with the next message that is new.
    #[cfg(any(test, feature = "dds"))]
    pub fn pause(&mut self, mut which: impl FnMut(&K) -> bool) {
        let paused = self.of.iter_mut().filter(|(sender, _)| which(sender));
        paused.for_each(|(_, (_, count))| count.lost = About::UNKNOWN);
    }
    /// All that is counted now.
    pub fn iter(&self) -> impl Iterator<Item = (&K, Count)> {
        let counted = self.of.iter().filter(|(_, (_, count))| count.lost != About::UNKNOWN);
        counted.map(|(sender, (_, count))| (sender, *count))
    }
}

/// What a subscriber was told of each sender.
#[derive(Debug, Default)]
pub(super) struct Told {
    of: Recent<Of, Option<Count>>,
    each_channel: bool,
}

impl Told {
    /// Of a subscriber that is not told of these, which were lost before it came.
    pub fn new(before: Vec<(Of, Count)>, each_channel: bool) -> Told {
        let mut told = Told { of: Recent::default(), each_channel };
        for (of, count) in before {
            told.of.get_or(of, |_| Some(count));
        }
        told
    }
    /// Of a subscriber that may get what came before it: what was lost lies between messages that it is yet to get.
    pub fn before_all(mut self) -> Told {
        self.of.values_mut().for_each(|count| *count = None);
        self
    }

    /// What this sender has lost since this was asked for it last, or since the subscriber came. `None`: nobody can know.
    pub fn lost(&mut self, about: &About, channel: &Name) -> Option<u64> {
        let now = Count { lost: about.lost, count: about.count };
        if now.lost == About::UNKNOWN {
            return None;
        }
        let of = (about.sender, self.each_channel.then(|| channel.clone()));
        // Who was not heard when the subscriber came has lost nothing before.
        let told = self.of.get_or(of, |forgot| (!forgot).then(Count::default));
        let before = *told;
        // With several channels the newest may be taken first, and older ones after it.
        if before.is_none_or(|before| (now.count, now.lost) > (before.count, before.lost)) {
            *told = Some(now);
        }
        before.filter(|before| before.count == now.count).map(|before| now.lost.saturating_sub(before.lost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbox::recent::MOST;

    fn about(sender: u64, Count { lost, count }: Count) -> About {
        About { sender, lost, count, ..About::default() }
    }
    fn name(name: &str) -> Name {
        Name::new(name).unwrap()
    }

    #[test]
    fn a_loss_is_told_once_and_what_was_lost_before_the_first_message_is_unknown() {
        let (mut losses, mut told, a) = (Losses::default(), Told::default(), name("a"));
        let mut tell = |count| told.lost(&about(1, count), &a);
        assert_eq!(tell(losses.begin(1, false)), None, "it was not its first");
        assert_eq!([tell(losses.add(1, 0)), tell(losses.add(1, 3))], [Some(0), Some(3)]);
        let (older, newer) = (losses.add(1, 2), losses.add(1, 4));
        assert_eq!([tell(newer), tell(older), tell(newer)], [Some(6), Some(0), Some(0)]);
        assert_eq!([tell(losses.begin(1, true)), tell(losses.add(1, 1))], [None, Some(1)], "it began anew");
        assert_eq!(tell(Count { lost: About::UNKNOWN, count: 0 }), None);
    }

    #[test]
    fn a_sender_that_is_heard_from_its_first_message_on_has_no_secrets() {
        let (mut losses, mut told) = (Losses::default(), Told::default());
        losses.begin(1, true);
        assert_eq!(told.lost(&about(1, losses.add(1, 2)), &name("a")), Some(2));
    }

    #[test]
    fn what_was_lost_before_a_subscriber_came_is_not_told_to_it_but_what_was_lost_since_is() {
        let (mut losses, a, b) = (Losses::default(), name("a"), name("b"));
        losses.begin(1, false);
        losses.add(1, 5);
        losses.begin(2, true);
        let before = losses.iter().map(|(sender, count)| ((*sender, None), count)).collect();
        let mut told = Told::new(before, false);
        let (one, two) = (losses.add(1, 3), losses.add(2, 4));
        assert_eq!([told.lost(&about(1, one), &a), told.lost(&about(2, two), &b)], [Some(3), Some(4)]);
        assert_eq!(told.lost(&about(1, losses.add(1, 0)), &b), Some(0), "told on another channel");
        let mut oldest = Told::new(vec![((2, None), two)], false).before_all();
        assert_eq!(
            [oldest.lost(&about(2, Count::default()), &a), oldest.lost(&about(2, two), &a)],
            [None, Some(4)]
        );
    }

    #[test]
    fn where_each_channel_is_counted_by_itself_a_late_subscriber_is_told_as_little_of_what_was_before() {
        let (mut gaps, a, b) = (Gaps::default(), name("a"), name("b"));
        let mut note = |channel: &Name, number| gaps.note((1, Some(channel.clone())), number).0;
        assert_eq!([note(&a, 1).lost, note(&a, 7).lost, note(&b, 1).lost], [0, 5, 0]);
        let mut told = Told::new(gaps.iter().map(|(of, count)| (of.clone(), count)).collect(), true);
        let mut note = |channel: &Name, number| {
            let count = gaps.note((1, Some(channel.clone())), number).0;
            told.lost(&about(1, count), channel)
        };
        assert_eq!([note(&a, 8), note(&b, 4), note(&a, 10), note(&b, 5)], [0, 2, 1, 0].map(Some));
        assert_eq!(note(&name("c"), 3), None, "its first is not known");
    }

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
        assert_eq!(gaps.note(1, 1000).0, Count { lost: 0, count: 5 }, "its count begins anew");
    }

    #[test]
    fn of_senders_that_were_forgotten_nothing_is_known() {
        let (mut losses, mut told, a) = (Losses::default(), Told::default(), name("a"));
        for sender in 0..MOST as u64 {
            assert_eq!(told.lost(&about(sender, losses.begin(sender, true)), &a), Some(0));
        }
        let one_more = losses.begin(MOST as u64, true);
        assert_eq!(told.lost(&about(MOST as u64, one_more), &a), None, "it may have been known");
        assert_eq!(told.lost(&about(7, losses.add(7, 2)), &a), None);
        assert_eq!(told.lost(&about(7, losses.add(7, 2)), &a), Some(2));
        let last = MOST as u64 - 1;
        assert_eq!(
            told.lost(&about(last, losses.add(last, 2)), &a),
            Some(2),
            "one heard lately is known still"
        );
        assert!(losses.iter().count() <= MOST);
    }
}
