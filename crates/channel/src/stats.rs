//! Statistics that a subscriber reports to tools while it receives.

use crate::counters::Counters;
use crate::mapping::Mapping;
use saltus_os::clock;
use saltus_ring::{Merge, reader::Meta};

/// A subscriber's counters, if it has any, and the choice of latencies to measure.
#[derive(Debug)]
pub(crate) struct Stats {
    /// In a forked child, the parent's until their first use.
    counters: Option<Counters>,
    /// Whether times from publish to receive are measured.
    latency: bool,
    /// Of the messages found without sleeping, one in this number is measured. At least 1.
    every: u64,
    /// Whether the subscriber slept before the next message.
    slept: bool,
}

impl Stats {
    /// Makes a file of counters in the channel, if `counters` is set, and permissions and memory allow it.
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
        let measured = due && self.latency && attributes.timestamps;
        let latency = measured.then(|| clock::now(attributes.clock).saturating_sub(meta.timestamp));
        if let Some(counters) = self.own(mapping) {
            counters.delivered(merge.received(), merge.missed(), meta.seq, meta.timestamp, latency);
        }
    }

    /// Counts a sleep.
    pub fn slept(&mut self, mapping: &Mapping) {
        self.slept = true;
        if let Some(counters) = self.own(mapping) {
            counters.slept();
        }
    }

    /// Counts a receive that failed because publishers overwrote the message at every try.
    pub fn overrun(&mut self, mapping: &Mapping) {
        if let Some(counters) = self.own(mapping) {
            counters.overrun();
        }
    }

    /// Sets the total number of missed messages.
    pub fn missed(&mut self, mapping: &Mapping, missed: u64) {
        if let Some(counters) = self.own(mapping) {
            counters.missed(missed);
        }
    }

    /// The counters; new ones in a forked child.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counters::{self, Seen};
    use crate::testing::Temporary;
    use saltus_ring::{Start, Which};

    /// Reads the counters of the channel's only subscriber, as tools do.
    fn seen(channel: &Temporary) -> Option<Seen> {
        counters::read_all(&channel.mapping.dir).pop()
    }
    /// Publishes a message, and counts it in `stats` as received.
    fn deliver(channel: &mut Temporary, merge: &mut Merge, stats: &mut Stats) {
        channel.publisher.publish(b"tilt").unwrap();
        let delivered = merge.receive(&*channel.mapping, Which::Next, |_, _| Ok(())).unwrap().unwrap();
        stats.received(&channel.mapping, merge, &delivered.meta);
    }

    #[test]
    fn what_is_counted_is_what_tools_read() {
        let mut channel = Temporary::new();
        let mut merge = Merge::new(&*channel.mapping, Start::Newest);
        let mut stats = Stats::new(&channel.mapping, true, true, 16);
        deliver(&mut channel, &mut merge, &mut stats);
        deliver(&mut channel, &mut merge, &mut stats);
        stats.missed(&channel.mapping, 7);
        stats.overrun(&channel.mapping);
        let seen = seen(&channel).unwrap();
        assert_eq!((seen.received, seen.missed, seen.overruns, seen.last_seq), (2, 7, 1, 2));
        assert_eq!(seen.latency.count(), 0, "a message in 16 is measured, and none was slept for");
    }

    #[test]
    fn the_first_message_after_a_sleep_is_measured() {
        let mut channel = Temporary::new();
        let mut merge = Merge::new(&*channel.mapping, Start::Newest);
        let mut stats = Stats::new(&channel.mapping, true, true, 16);
        stats.slept(&channel.mapping);
        deliver(&mut channel, &mut merge, &mut stats);
        deliver(&mut channel, &mut merge, &mut stats);
        let seen = seen(&channel).unwrap();
        assert_eq!((seen.sleeps, seen.latency.count()), (1, 1));
    }

    #[test]
    fn without_counters_there_is_no_file_and_nothing_fails() {
        let mut channel = Temporary::new();
        let mut merge = Merge::new(&*channel.mapping, Start::Newest);
        let mut stats = Stats::new(&channel.mapping, false, true, 0);
        stats.slept(&channel.mapping);
        deliver(&mut channel, &mut merge, &mut stats);
        assert!(seen(&channel).is_none());
    }
}
