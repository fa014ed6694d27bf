//! Publish-to-receive times of running programs, from the histograms of each subscriber.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use saltus_channel::LatencyCounts;

use crate::times;

/// Most subscribers that are kept. A program may resubscribe repeatedly, or pretend to.
pub const MOST: usize = 10_000;
/// Largest count of one time. Subscribers can write any number; sums of this one still fit the histogram and its encoding.
const OFTEN: u64 = 1 << 48;

/// A subscriber of a channel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hop {
    /// The channel's name, escaped.
    pub channel: String,
    /// Its process.
    pub pid: u32,
    /// Time of its subscription.
    pub since: u64,
    /// The name of its process, escaped.
    pub process: String,
}

impl Hop {
    /// Its tag in an interval log. Characters that are not allowed become `_`.
    pub fn tag(&self) -> String {
        format!("{}/{}/{}", self.channel, self.process, self.pid).replace([',', ' ', '\r', '\n'], "_")
    }
}

/// The histograms of the subscribers. One that is temporarily absent is recognized later, and the counts of one that exited are kept.
#[derive(Default)]
pub struct Hops {
    /// Of each, all counts, and those of this run.
    all: BTreeMap<Hop, [LatencyCounts; 2]>,
    /// Whether more were seen.
    more: bool,
}

impl Hops {
    /// Sets the counts of a subscriber before this run.
    pub fn begin(&mut self, hop: Hop, counts: LatencyCounts) {
        if let Some([all, _]) = self.of(hop) {
            *all = counts;
        }
    }

    /// Updates the counts of a subscriber. Returns new times, if any.
    pub fn take(&mut self, hop: Hop, counts: LatencyCounts) -> Option<Histogram<u64>> {
        let [all, run] = self.of(hop)?;
        let new = counts.since(all);
        *all = counts;
        run.add(&new);
        (new.count() > 0).then(|| histogram(&new))
    }

    /// Whether there were more subscribers than are kept.
    pub fn more(&self) -> bool {
        self.more
    }

    /// The times of this run, by subscriber.
    pub fn run(&self) -> impl Iterator<Item = (&Hop, Histogram<u64>)> {
        self.all.iter().map(|(hop, [_, run])| (hop, histogram(run)))
    }

    fn of(&mut self, hop: Hop) -> Option<&mut [LatencyCounts; 2]> {
        if self.all.len() >= MOST && !self.all.contains_key(&hop) {
            self.more = true;
            return None;
        }
        Some(self.all.entry(hop).or_default())
    }
}

fn histogram(counts: &LatencyCounts) -> Histogram<u64> {
    let mut all = times();
    counts.buckets().for_each(|(ns, count)| all.saturating_record_n(ns, count.min(OFTEN)));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receivers_without_end_take_no_memory_without_end() {
        let mut hops = Hops::default();
        let hop = |since: u64| Hop { channel: "a".into(), pid: 1, since, process: "b".into() };
        for n in 0..2 * MOST as u64 {
            hops.take(hop(n), LatencyCounts::default());
        }
        assert_eq!((hops.all.len(), hops.more), (MOST, true));
        assert!(hops.of(hop(0)).is_some() && hops.of(hop(MOST as u64)).is_none(), "the first are kept");
    }
}
