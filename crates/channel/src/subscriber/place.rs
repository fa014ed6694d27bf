//! A subscriber's place in its channel: where it is, what it has counted, and how to move without receiving.

use super::Subscriber;
use saltus_ring::Which;

impl Subscriber {
    /// Skips to now. What was unseen counts as missed.
    pub fn flush(&mut self) {
        self.merge.flush(&*self.shared);
        let missed = self.merge.missed();
        if let Some(counters) = self.own_counters() {
            counters.missed(missed);
        }
    }
    /// Goes back to the oldest message kept, seen or not. What is received again counts again, and in
    /// [`Subscriber::rewound`].
    pub fn seek_oldest(&mut self) {
        self.merge.seek_oldest(&*self.shared);
        if let Some(event) = &self.event {
            event.rearm(&self.merge);
        }
    }
    /// Gives up the oldest unseen messages until at most `keep` are left; they count as missed. Returns how many.
    pub fn limit(&mut self, keep: u64) -> u64 {
        let missed = self.merge.limit(&*self.shared, keep);
        let total = self.merge.missed();
        if missed > 0
            && let Some(counters) = self.own_counters()
        {
            counters.missed(total);
        }
        missed
    }
    /// The stamp of the message that `which` would give now; `None` if nothing is unseen. Moves nothing.
    pub fn peek(&mut self, which: Which) -> Option<u64> {
        self.merge.peek(&*self.shared, which)
    }
    /// How many messages are unseen, those among them that are overwritten already too.
    pub fn unseen_count(&self) -> u64 {
        self.merge.unseen_count(&*self.shared)
    }
    /// Messages received.
    pub fn received(&self) -> u64 {
        self.merge.received()
    }
    /// Messages missed. Received and missed together are what was published since the subscriber joined, up to its
    /// place.
    pub fn missed(&self) -> u64 {
        self.merge.missed()
    }
    /// Messages that [`Subscriber::seek_oldest`] has made unseen again. Received and missed together are what was
    /// published since the subscriber joined, and these.
    pub fn rewound(&self) -> u64 {
        self.merge.rewound()
    }
    /// Whether there is anything unseen. A few loads.
    pub fn has_unseen(&self) -> bool {
        self.merge.unseen(&*self.shared)
    }
}
