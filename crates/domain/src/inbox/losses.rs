//! What is lost of each sender: as a link counts it, and as a subscriber was told of it.
//!
//! Gaps between the numbers of a sender's messages are counted, and nobody knows what was lost before the first that was heard. So
//! each count has a number: who was told of another count, or of none, is told that nothing is known.

use super::about::About;
use std::collections::HashMap;
use std::hash::Hash;

/// How many senders are remembered.
const SENDERS: usize = 1024;

/// What is lost of a sender since the count began. By default: nothing, since its first message of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// As [`About::lost`].
    pub lost: u64,
    /// As [`About::count`].
    pub count: u64,
}

/// The counts of a link that counts over all channels of a sender.
#[derive(Debug)]
pub(crate) struct Losses<K> {
    of: HashMap<K, Count>,
    /// Counts begun with a message that was not the sender's first.
    begun: u64,
    /// Whether senders were forgotten: one that is not known may have been.
    forgot: bool,
}

impl<K> Default for Losses<K> {
    fn default() -> Losses<K> {
        Losses { of: HashMap::new(), begun: 0, forgot: false }
    }
}

impl<K: Eq + Hash> Losses<K> {
    /// A count begins with a message of this sender. `whole`: its first of all.
    pub fn begin(&mut self, sender: K, whole: bool) -> Count {
        if self.of.len() >= SENDERS && !self.of.contains_key(&sender) {
            self.of.clear();
            self.forgot = true;
        }
        let whole = whole && !self.forgot && !self.of.contains_key(&sender);
        self.begun += u64::from(!whole);
        let count = Count { lost: 0, count: if whole { 0 } else { self.begun } };
        self.of.insert(sender, count);
        count
    }
    /// So many more were lost before a message of this sender.
    pub fn add(&mut self, sender: K, lost: u64) -> Count {
        let Some(count) = self.of.get_mut(&sender) else { return self.begin(sender, false) };
        count.lost = count.lost.saturating_add(lost).min(About::UNKNOWN - 1);
        *count
    }
    /// All that is counted now.
    pub fn iter(&self) -> impl Iterator<Item = (&K, Count)> {
        self.of.iter().map(|(sender, count)| (sender, *count))
    }
}

/// What a subscriber was told of each sender.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// By sender, and by channel where each is counted by itself.
    of: HashMap<(u64, usize), Option<Count>>,
    each_channel: bool,
    /// Whether senders were forgotten.
    forgot: bool,
}

impl Told {
    /// Of a subscriber that is not told of these, which were lost before it came.
    pub fn new(before: Vec<(u64, Count)>, each_channel: bool) -> Told {
        let of = before.into_iter().map(|(sender, count)| ((sender, 0), Some(count))).collect();
        Told { of, each_channel, forgot: false }
    }
    /// Of a subscriber that may get what came before it: what was lost lies between messages that it is yet to get.
    pub fn before_all(mut self) -> Told {
        self.of.values_mut().for_each(|count| *count = None);
        self
    }

    /// What this sender has lost since this was asked for it last, or since the subscriber came. `None`: nobody can know.
    pub fn lost(&mut self, about: &About, channel: usize) -> Option<u64> {
        let now = Count { lost: about.lost, count: about.count };
        if now.lost == About::UNKNOWN {
            return None;
        }
        let key = (about.sender, if self.each_channel { channel } else { 0 });
        if self.of.len() >= SENDERS && !self.of.contains_key(&key) {
            self.of.clear();
            self.forgot = true;
        }
        // Who was not heard when the subscriber came has lost nothing before.
        let fresh = (!self.forgot).then(Count::default);
        let told = self.of.entry(key).or_insert(fresh);
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

    fn about(sender: u64, Count { lost, count }: Count) -> About {
        About { sender, lost, count, ..About::default() }
    }

    #[test]
    fn a_loss_is_told_once_and_what_was_lost_before_the_first_message_is_unknown() {
        let (mut losses, mut told) = (Losses::default(), Told::default());
        let mut tell = |count| told.lost(&about(1, count), 0);
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
        assert_eq!(told.lost(&about(1, losses.add(1, 2)), 0), Some(2));
    }

    #[test]
    fn what_was_lost_before_a_subscriber_came_is_not_told_to_it_but_what_was_lost_since_is() {
        let mut losses = Losses::default();
        losses.begin(1, false);
        losses.add(1, 5);
        losses.begin(2, true);
        let before = losses.iter().map(|(sender, count)| (*sender, count)).collect();
        let (mut told, mut each) = (Told::new(before, false), Told::new(Vec::new(), true));
        let (one, two) = (losses.add(1, 3), losses.add(2, 4));
        assert_eq!([told.lost(&about(1, one), 0), told.lost(&about(2, two), 1)], [Some(3), Some(4)]);
        assert_eq!(told.lost(&about(1, losses.add(1, 0)), 1), Some(0), "told on another channel");
        assert_eq!([each.lost(&about(2, two), 0), each.lost(&about(2, two), 1)], [Some(4), Some(4)]);
        let mut oldest = Told::new(vec![(2, two)], false).before_all();
        assert_eq!(
            [oldest.lost(&about(2, Count::default()), 0), oldest.lost(&about(2, two), 0)],
            [None, Some(4)]
        );
    }

    #[test]
    fn of_senders_that_were_forgotten_nothing_is_known() {
        let (mut losses, mut told) = (Losses::default(), Told::default());
        for sender in 0..SENDERS as u64 {
            assert_eq!(told.lost(&about(sender, losses.begin(sender, true)), 0), Some(0));
        }
        let one_more = losses.begin(SENDERS as u64, true);
        assert_eq!(told.lost(&about(SENDERS as u64, one_more), 0), None, "it may have been known");
        assert_eq!(told.lost(&about(7, losses.add(7, 2)), 0), None);
        assert_eq!(told.lost(&about(7, losses.add(7, 2)), 0), Some(2));
        assert!(losses.of.len() <= SENDERS && told.of.len() <= SENDERS);
    }
}
