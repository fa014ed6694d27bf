//! The losses of each sender that a subscriber has reported.

use saltus_channel::Name;
use saltus_transport::recent::Recent;
use saltus_transport::{About, Count, Of};

/// The losses of each sender that a subscriber has reported.
#[derive(Debug, Default)]
pub(crate) struct Reported {
    of: Recent<Of, Option<Count>>,
    each_channel: bool,
}

impl Reported {
    /// For a subscriber that does not report losses from before it joined.
    pub fn new(before: Vec<(Of, Count)>, each_channel: bool) -> Reported {
        let mut reported = Reported { of: Recent::default(), each_channel };
        for (of, count) in before {
            reported.of.get_or(of, |_| Some(count));
        }
        reported
    }
    /// For a subscriber that may receive earlier messages: losses between these are still to be reported.
    pub fn before_all(mut self) -> Reported {
        self.of.values_mut().for_each(|count| *count = None);
        self
    }

    /// The messages of this sender lost since the last call, or since the subscriber joined. `None`: unknown.
    pub fn lost(&mut self, about: &About, channel: &Name) -> Option<u64> {
        let now = Count { lost: about.lost, count: about.count };
        if now.lost == About::UNKNOWN {
            return None;
        }
        let of = (about.sender, self.each_channel.then(|| channel.clone()));
        // A sender that was unknown when the subscriber joined has lost nothing before.
        let reported = self.of.get_or(of, |forgot| (!forgot).then(Count::default));
        let before = *reported;
        // With several channels, the newest may be received first, and older ones after it.
        if before.is_none_or(|before| (now.count, now.lost) > (before.count, before.lost)) {
            *reported = Some(now);
        }
        before.filter(|before| before.count == now.count).map(|before| now.lost.saturating_sub(before.lost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_transport::losses::{Gaps, Losses};
    use saltus_transport::recent::MOST;

    fn about(sender: u64, Count { lost, count }: Count) -> About {
        About { sender, lost, count, ..About::default() }
    }
    fn name(name: &str) -> Name {
        Name::new(name).unwrap()
    }

    #[test]
    fn a_loss_is_reported_once_and_losses_before_the_first_message_are_unknown() {
        let (mut losses, mut reported, a) = (Losses::default(), Reported::default(), name("a"));
        let mut tell = |count| reported.lost(&about(1, count), &a);
        assert_eq!(tell(losses.begin(1, false)), None, "it was not its first");
        assert_eq!([tell(losses.add(1, 0)), tell(losses.add(1, 3))], [Some(0), Some(3)]);
        let (older, newer) = (losses.add(1, 2), losses.add(1, 4));
        assert_eq!([tell(newer), tell(older), tell(newer)], [Some(6), Some(0), Some(0)]);
        assert_eq!([tell(losses.begin(1, true)), tell(losses.add(1, 1))], [None, Some(1)], "it started over");
        assert_eq!(tell(Count { lost: About::UNKNOWN, count: 0 }), None);
    }

    #[test]
    fn losses_of_a_sender_received_from_its_first_message_are_known() {
        let (mut losses, mut reported) = (Losses::default(), Reported::default());
        losses.begin(1, true);
        assert_eq!(reported.lost(&about(1, losses.add(1, 2)), &name("a")), Some(2));
    }

    #[test]
    fn a_subscriber_gets_losses_since_it_subscribed_only() {
        let (mut losses, a, b) = (Losses::default(), name("a"), name("b"));
        losses.begin(1, false);
        losses.add(1, 5);
        losses.begin(2, true);
        let before = losses.iter().map(|(sender, count)| ((*sender, None), count)).collect();
        let mut reported = Reported::new(before, false);
        let (one, two) = (losses.add(1, 3), losses.add(2, 4));
        assert_eq!(
            [reported.lost(&about(1, one), &a), reported.lost(&about(2, two), &b)],
            [Some(3), Some(4)]
        );
        assert_eq!(reported.lost(&about(1, losses.add(1, 0)), &b), Some(0), "reported on another channel");
        let mut oldest = Reported::new(vec![((2, None), two)], false).before_all();
        assert_eq!(
            [oldest.lost(&about(2, Count::default()), &a), oldest.lost(&about(2, two), &a)],
            [None, Some(4)]
        );
    }

    #[test]
    fn with_counts_per_channel_a_late_subscriber_gets_no_earlier_losses() {
        let (mut gaps, a, b) = (Gaps::default(), name("a"), name("b"));
        let mut note = |channel: &Name, number| gaps.note((1, Some(channel.clone())), number).0;
        assert_eq!([note(&a, 1).lost, note(&a, 7).lost, note(&b, 1).lost], [0, 5, 0]);
        let mut reported = Reported::new(gaps.iter().map(|(of, count)| (of.clone(), count)).collect(), true);
        let mut note = |channel: &Name, number| {
            let count = gaps.note((1, Some(channel.clone())), number).0;
            reported.lost(&about(1, count), channel)
        };
        assert_eq!([note(&a, 8), note(&b, 4), note(&a, 10), note(&b, 5)], [0, 2, 1, 0].map(Some));
        assert_eq!(note(&name("c"), 3), None, "its first is not known");
    }

    #[test]
    fn losses_of_forgotten_senders_are_unknown() {
        let (mut losses, mut reported, a) = (Losses::default(), Reported::default(), name("a"));
        for sender in 0..MOST as u64 {
            assert_eq!(reported.lost(&about(sender, losses.begin(sender, true)), &a), Some(0));
        }
        let one_more = losses.begin(MOST as u64, true);
        assert_eq!(reported.lost(&about(MOST as u64, one_more), &a), None, "it may have been known");
        assert_eq!(reported.lost(&about(7, losses.add(7, 2)), &a), None);
        assert_eq!(reported.lost(&about(7, losses.add(7, 2)), &a), Some(2));
        let last = MOST as u64 - 1;
        assert_eq!(
            reported.lost(&about(last, losses.add(last, 2)), &a),
            Some(2),
            "a recent sender is still known"
        );
        assert!(losses.iter().count() <= MOST);
    }
}
