//! Publish-to-receive times of running programs, hop by hop: what subscribers count themselves.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use saltus_channel::LatencyCounts;

use crate::times;

/// So many are kept; a program may come again and again, or say so.
pub const MOST: usize = 10_000;
/// As often a time may have been counted. Receivers write what they like; the sums of this can be counted and written.
const OFTEN: u64 = 1 << 48;

/// A subscriber of a channel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hop {
    /// The channel's name, escaped.
    pub channel: String,
    /// Its process.
    pub pid: u32,
    /// When it joined.
    pub since: u64,
    /// The name of its process, escaped.
    pub process: String,
}

impl Hop {
    /// As a tag of an interval log; what a tag may not hold becomes `_`.
    pub fn tag(&self) -> String {
        format!("{}/{}/{}", self.channel, self.process, self.pid).replace([',', ' ', '\r', '\n'], "_")
    }
}

/// What the hops have counted. One that is not there for a while is known when it comes back, and what one has counted that
/// has ended is not lost.
#[derive(Default)]
pub struct Hops {
    /// All that each has counted, and what of it is of this run.
    all: BTreeMap<Hop, [LatencyCounts; 2]>,
    /// Whether there were more.
    more: bool,
}

impl Hops {
    /// Takes what a hop has counted before this run.
    pub fn begin(&mut self, hop: Hop, counts: LatencyCounts) {
        if let Some([all, _]) = self.of(hop) {
            *all = counts;
        }
    }

    /// Takes what a hop has counted so far. The times that are new; none if there are none.
    pub fn take(&mut self, hop: Hop, counts: LatencyCounts) -> Option<Histogram<u64>> {
        let [all, run] = self.of(hop)?;
        let new = counts.since(all);
        *all = counts;
        run.add(&new);
        (new.count() > 0).then(|| histogram(&new))
    }

    /// Whether there were more than are kept.
    pub fn more(&self) -> bool {
        self.more
    }

    /// The times of this run, by hop.
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
