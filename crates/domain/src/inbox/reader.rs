//! A subscriber's cursors in an in-memory channel.

use super::channel::Channel;
use super::lane::Lane;
use saltus_channel::Name;
use saltus_ring::{Fault, Merge, Start, Which};
use saltus_transport::About;
use std::sync::Arc;

/// Reads one channel.
#[derive(Debug)]
pub(crate) struct Reader {
    channel: Arc<Channel>,
    /// The state of the list of lanes that `lanes` was made from.
    generation: u64,
    /// The lanes at the last check, older ones first.
    lanes: Vec<(Arc<Lane>, Merge)>,
    /// Messages in lanes that the channel had removed by then.
    forgotten: u64,
    /// The newest timestamp delivered: newest never goes back behind it.
    floor: u64,
    /// The number of lanes, at the front of `lanes`, that the channel has removed and that are only read to their
    /// end.
    ending: usize,
    /// Given up because the subscriber's depth is limited, and not reported yet.
    limited: u64,
    /// Missed in removed lanes, including those that appeared and were removed between two checks.
    gone: u64,
    /// Missed in all lanes, as far as reported.
    reported: u64,
}

/// Counts reported with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub about: About,
    /// Messages overwritten or skipped here since the last one delivered.
    pub overwritten: u64,
    /// Messages given up for the depth limit since the last one delivered.
    pub limited: u64,
}

impl Reader {
    /// Joins the channel.
    pub fn new(channel: Arc<Channel>, start: Start) -> Reader {
        let generation = channel.generation();
        let mut reader = Reader {
            lanes: Vec::new(),
            channel,
            generation,
            forgotten: 0,
            floor: 0,
            ending: 0,
            limited: 0,
            gone: 0,
            reported: 0,
        };
        let (lanes, forgotten) = reader.channel.lanes();
        reader.forgotten = forgotten;
        reader.gone = if start == Start::Beginning { forgotten } else { 0 };
        // With several lanes, the newest message is in one of them.
        let newest = |lane: &Arc<Lane>| Merge::new(&**lane, Start::Newest).peek(&**lane, Which::Newest);
        let best = (0..lanes.len()).max_by_key(|&i| newest(&lanes[i]));
        for (i, lane) in lanes.into_iter().enumerate() {
            let start = if start == Start::Newest && Some(i) != best { Start::Now } else { start };
            let merge = Merge::new(&*lane, start);
            reader.lanes.push((lane, merge));
        }
        reader
    }

    pub fn name(&self) -> &Name {
        self.channel.name()
    }

    pub fn reads(&self, channel: &Arc<Channel>) -> bool {
        Arc::ptr_eq(&self.channel, channel)
    }

    /// Whether anything is unseen. A few loads, unless the lanes have changed.
    #[inline]
    pub fn unseen(&mut self) -> bool {
        self.refresh();
        self.lanes.iter().any(|(lane, merge)| merge.unseen(&**lane))
    }

    /// The timestamp of the message that a receive would return now.
    #[inline]
    pub fn peek(&mut self, which: Which) -> Option<u64> {
        self.refresh();
        self.best(which).map(|(_, timestamp)| timestamp)
    }

    /// Receives a message into `buf`, with its header first. `None`: nothing unseen, or lapped too often just now.
    pub fn take(&mut self, which: Which, buf: &mut Vec<u8>) -> Option<Taken> {
        self.refresh();
        let (i, timestamp) = self.best(which)?;
        if which != Which::Next {
            // A message that arrives late, from a publisher that was stopped, is missed, not newest.
            let late = timestamp < self.floor;
            for (j, (lane, merge)) in self.lanes.iter_mut().enumerate() {
                if late || j != i {
                    merge.flush(&**lane);
                }
            }
            if late {
                return None;
            }
        }
        let (lane, merge) = &mut self.lanes[i];
        let got = merge.receive(&**lane, which, |mem, meta| {
            Lane::copy(mem, meta.at, meta.len, buf);
            Ok(())
        });
        let delivered = match got {
            Ok(Some(delivered)) => delivered,
            Ok(None) | Err(Fault::Overrun | Fault::TooSmall(_)) => return None,
        };
        self.floor = self.floor.max(delivered.meta.timestamp);
        let about = About::of_bytes(buf)?;
        let missed = self.gone + self.lanes.iter().map(|(_, merge)| merge.missed()).sum::<u64>();
        let limited = std::mem::take(&mut self.limited);
        let overwritten = (missed - std::mem::replace(&mut self.reported, missed)).saturating_sub(limited);
        Some(Taken { about, overwritten, limited })
    }

    /// The lane with the oldest unseen message, or the newest. Of equal timestamps, the older lane's.
    #[inline]
    fn best(&mut self, which: Which) -> Option<(usize, u64)> {
        if let [(lane, merge)] = &mut self.lanes[..] {
            return merge.peek(&**lane, which).map(|timestamp| (0, timestamp));
        }
        let mut best: Option<(usize, u64)> = None;
        for (i, (lane, merge)) in self.lanes.iter_mut().enumerate() {
            let Some(timestamp) = merge.peek(&**lane, which) else { continue };
            let better =
                |(_, b): (usize, u64)| if which == Which::Next { timestamp < b } else { timestamp >= b };
            if best.is_none_or(better) {
                best = Some((i, timestamp));
            }
        }
        best
    }

    /// Gives up the oldest unseen messages until at most `depth` are left.
    #[inline]
    pub fn limit(&mut self, depth: u64) {
        self.refresh();
        if let [(lane, merge)] = &mut self.lanes[..] {
            self.limited += merge.limit(&**lane, depth);
            return;
        }
        let count = |(lane, merge): &(Arc<Lane>, Merge)| merge.unseen_count(&**lane);
        let mut total: u64 = self.lanes.iter().map(count).sum();
        while total > depth {
            let Some((i, _)) = self.best(Which::Next) else { return };
            let (lane, merge) = &mut self.lanes[i];
            let before = merge.unseen_count(&**lane);
            self.limited += merge.limit(&**lane, before.saturating_sub(1));
            total -= 1;
        }
    }

    /// Adds new lanes, and drops replaced ones that were read to their end.
    #[inline]
    fn refresh(&mut self) {
        let generation = self.channel.generation();
        if generation != self.generation || self.ending > 0 {
            self.join_lanes();
            self.generation = generation;
        }
    }

    #[cold]
    fn join_lanes(&mut self) {
        let (now, forgotten) = self.channel.lanes();
        // Messages published in lanes removed since the last check are missed, except those of lanes read here.
        let is_kept = |lane: &Arc<Lane>| now.iter().any(|kept| Arc::ptr_eq(kept, lane));
        let (ending, mut known) = (self.ending, forgotten - self.forgotten);
        for (lane, _) in self.lanes.iter().skip(ending).filter(|(lane, _)| !is_kept(lane)) {
            known -= lane.published();
        }
        (self.gone, self.forgotten) = (self.gone + known, forgotten);
        self.lanes.sort_by_key(|(lane, _)| is_kept(lane)); // stable: ending lanes come first
        self.lanes.retain(|(lane, merge)| {
            let done = !is_kept(lane) && !merge.unseen(&**lane);
            self.gone += if done { merge.missed() } else { 0 };
            !done
        });
        self.ending = self.lanes.iter().filter(|(lane, _)| !is_kept(lane)).count();
        for lane in now {
            if !self.lanes.iter().any(|(l, _)| Arc::ptr_eq(l, &lane)) {
                // It is newer than this reader: all its messages are unseen.
                let merge = Merge::new(&*lane, Start::Beginning);
                self.lanes.push((lane, merge));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbox::channel::ChannelEnd;

    fn publish(end: &mut ChannelEnd, n: u64, len: usize) {
        let about = About { arrived: n, sender: 1, ..About::default() };
        end.publish(&about, &vec![0; len]).unwrap();
    }

    /// Lanes that grow between two checks replace each other, and some are removed without having been seen.
    #[test]
    fn all_is_counted_while_lanes_appear_and_vanish_between_two_reads() {
        for (depth, every) in [(1, 1), (4, 3), (40, 7), (4, 100), (1, 130), (1000, 50)] {
            let channel = Arc::new(Channel::new(Name::new("grows").unwrap(), Arc::default()));
            channel.deepen(depth);
            let mut end = ChannelEnd::new(channel.clone());
            let mut reader = Reader::new(channel, Start::Beginning);
            let (mut buf, mut reported) = (Vec::new(), 0);
            for n in 1..=400 {
                // Gradually longer: a new lane at each doubling, 40 messages apart.
                publish(&mut end, n, 400 << (n / 40));
                if n % every == 0 || n == 400 {
                    reader.limit(depth);
                    while let Some(taken) = reader.take(Which::Next, &mut buf) {
                        reported += 1 + taken.overwritten + taken.limited;
                        assert_eq!(reported, taken.about.arrived, "depth {depth}, every {every}");
                    }
                    assert_eq!(reported, n, "depth {depth}, every {every}");
                }
            }
        }
    }
}
