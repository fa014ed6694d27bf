//! What a subscriber reports to tools while it receives.

use crate::counters::Counters;
use crate::mapping::Mapping;
use saltus_os::clock;
use saltus_ring::{Merge, reader::Meta};

/// A subscriber's counters, if it keeps any, and which latencies it measures.
#[derive(Debug)]
pub(crate) struct Stats {
    /// In a forked child, the parent's until the first use.
    counters: Option<Counters>,
    /// Whether times from publish to receive are measured at all.
    latency: bool,
    /// Of the messages found without sleeping, every so many is measured. At least 1.
    every: u64,
    /// Whether the message that comes next was slept for.
    slept: bool,
}

impl Stats {
    /// Makes a file of counters in the channel, if `counters` asks for it and permissions and memory allow.
    pub fn new(mapping: &Mapping, counters: bool, latency: bool, every: u32) -> Stats {
        let counters = if counters { Counters::make(&mapping.dir) } else { None };
        Stats { counters, latency, every: every.max(1).into(), slept: false }
    }

    /// Counts a message that was received for the first time; `merge` has the sums.
    #[inline(always)]
    pub fn received(&mut self, mapping: &Mapping, merge: &Merge, meta: &Meta) {
        if self.counters.is_none() {
            return;
        }
        let attributes = &mapping.geometry.attributes;
        let due = std::mem::take(&mut self.slept) || meta.seq.is_multiple_of(self.every);
        let measured = due && self.latency && attributes.stamps;
        let latency = measured.then(|| clock::now(attributes.clock).saturating_sub(meta.stamp));
        if let Some(counters) = self.own(mapping) {
            counters.delivered(merge.received(), merge.missed(), meta.seq, meta.stamp, latency);
        }
    }

    /// Counts a sleep.
    pub fn slept(&mut self, mapping: &Mapping) {
        self.slept = true;
        if let Some(counters) = self.own(mapping) {
            counters.slept();
        }
    }

    /// Counts a receive that publishers overtook at every try.
    pub fn overrun(&mut self, mapping: &Mapping) {
        if let Some(counters) = self.own(mapping) {
            counters.overrun();
        }
    }

    /// Sets how many messages were missed in all.
    pub fn missed(&mut self, mapping: &Mapping, missed: u64) {
        if let Some(counters) = self.own(mapping) {
            counters.missed(missed);
        }
    }

    /// The counters; in a forked child, new ones.
    #[inline(always)]
    fn own(&mut self, mapping: &Mapping) -> Option<&Counters> {
        if self.counters.as_ref().is_some_and(|c| !c.is_ours()) {
            self.renew(mapping);
        }
        self.counters.as_ref()
    }

    #[cold]
    fn renew(&mut self, mapping: &Mapping) {
        self.counters = Counters::make(&mapping.dir);
    }
}
