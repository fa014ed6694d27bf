//! A subscriber's place in its channel: where it is, what it has counted, and how to move without receiving.

use super::Subscriber;
use saltus_ring::Which;

impl Subscriber {
    /// Skips to now. What was unseen counts as missed.
    pub fn flush(&mut self) {
        self.receiver.flush();
    }
    /// Goes back to the oldest message kept, seen or not. What is received again counts again, and in
    /// [`Subscriber::rewound`].
    pub fn seek_oldest(&mut self) {
        self.receiver.seek_oldest();
        self.rearm_event_fd();
    }
    /// Gives up the oldest unseen messages until at most `keep` are left; they count as missed. Returns how many.
    pub fn limit(&mut self, keep: u64) -> u64 {
        self.receiver.limit(keep)
    }
    /// The stamp of the message that `which` would give now; `None` if nothing is unseen. Moves nothing.
    pub fn peek(&mut self, which: Which) -> Option<u64> {
        self.receiver.peek(which)
    }
    /// How many messages are unseen, those among them that are overwritten already too.
    pub fn unseen_count(&self) -> u64 {
        self.receiver.unseen_count()
    }
    /// Messages received.
    pub fn received(&self) -> u64 {
        self.receiver.merge().received()
    }
    /// Messages missed. Received and missed together are what was published since the subscriber joined, up to its
    /// place.
    pub fn missed(&self) -> u64 {
        self.receiver.merge().missed()
    }
    /// Messages that [`Subscriber::seek_oldest`] has made unseen again. Received and missed together are what was
    /// published since the subscriber joined, and these.
    pub fn rewound(&self) -> u64 {
        self.receiver.merge().rewound()
    }
    /// Whether there is anything unseen. A few loads.
    pub fn has_unseen(&self) -> bool {
        self.receiver.has_unseen()
    }
}
