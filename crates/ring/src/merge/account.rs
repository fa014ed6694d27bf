//! Counts of the messages that a subscriber's cursors passed.

/// Sums of messages. `received + missed` is how far the cursors advanced, in all lanes together. Once nothing is
/// unseen, it equals the messages published since the subscriber joined, plus `rewound`. No sum wraps, even for
/// hostile publishers.
#[derive(Debug, Default)]
pub(super) struct Account {
    /// Delivered for the first time.
    received: u64,
    /// Passed without a delivery.
    missed: u64,
    /// Messages that seeking back made unseen: each is received or missed a second time.
    rewound: u64,
    /// Messages among `missed` that no delivery has reported yet.
    untold: u64,
}

impl Account {
    #[inline(always)]
    pub fn received(&self) -> u64 {
        self.received
    }
    #[inline(always)]
    pub fn missed(&self) -> u64 {
        self.missed
    }
    pub fn rewound(&self) -> u64 {
        self.rewound
    }

    /// The cursors passed `passed` messages, at least one, and delivered one of them. Returns the number missed
    /// since the last delivery.
    #[inline(always)]
    pub fn deliver(&mut self, passed: u64) -> u64 {
        let missed = passed - 1;
        self.missed = self.missed.saturating_add(missed);
        self.received += 1;
        missed.saturating_add(core::mem::take(&mut self.untold))
    }

    /// The cursors passed `passed` messages and delivered none: the next delivery reports them.
    #[inline(always)]
    pub fn miss(&mut self, passed: u64) {
        self.missed = self.missed.saturating_add(passed);
        self.untold = self.untold.saturating_add(passed);
    }

    /// The cursors went back by `back` messages.
    pub fn rewind(&mut self, back: u64) {
        self.rewound = self.rewound.saturating_add(back);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_missed_message_is_told_once_with_the_next_delivery() {
        let mut account = Account::default();
        assert_eq!(account.deliver(3), 2);
        account.miss(4);
        account.miss(1);
        assert_eq!((account.deliver(1), account.deliver(1)), (5, 0));
        assert_eq!((account.received(), account.missed()), (3, 7));
    }

    #[test]
    fn going_back_takes_nothing_off_the_sums() {
        let mut account = Account::default();
        account.deliver(1);
        account.rewind(1);
        account.deliver(1);
        assert_eq!((account.received(), account.missed(), account.rewound()), (2, 0, 1));
    }

    #[test]
    fn no_sum_wraps() {
        let mut account = Account::default();
        account.miss(u64::MAX);
        assert_eq!(account.deliver(u64::MAX), u64::MAX);
        account.rewind(u64::MAX);
        account.rewind(1);
        assert_eq!((account.missed(), account.rewound()), (u64::MAX, u64::MAX));
    }
}
