//! The pre-trigger buffer: the most recent messages, in memory.

use crate::batch::{Batch, Channel};
use std::collections::VecDeque;
use std::time::Duration;

/// Batches of the last `time`, in at most `most` bytes.
#[derive(Debug)]
pub(crate) struct Keep {
    time: u64,
    most: usize,
    batches: VecDeque<Batch>,
    bytes: usize,
    /// Channels whose first message was discarded. They are added to the next batch that is written.
    channels: Vec<Channel>,
}

impl Keep {
    pub fn new(time: Duration, most: usize) -> Keep {
        let time = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Keep { time, most, batches: VecDeque::new(), bytes: 0, channels: Vec::new() }
    }

    /// Keeps `batch`, and discards batches that are too old. Calls `gone` for each message discarded for lack of memory. Returns an empty
    /// batch.
    pub fn push(&mut self, batch: Batch, mut gone: impl FnMut(u32)) -> Batch {
        let now = batch.last().unwrap_or(0);
        self.bytes += batch.size();
        self.batches.push_back(batch);
        let mut spare = Batch::default();
        while self.batches.len() > 1 {
            let Some(first) = self.batches.front() else { break };
            let is_old = first.last().unwrap_or(0).saturating_add(self.time) < now;
            if !is_old && self.bytes <= self.most {
                break;
            }
            let Some(mut first) = self.batches.pop_front() else { break };
            self.bytes -= first.size();
            if !is_old {
                first.messages().for_each(|(head, _)| gone(head.channel));
            }
            self.channels.append(&mut first.channels);
            first.clear();
            spare = first;
        }
        spare
    }

    /// Removes and returns all kept batches, oldest first.
    pub fn take(&mut self) -> impl Iterator<Item = Batch> {
        let mut batches = std::mem::take(&mut self.batches);
        self.bytes = 0;
        if let Some(first) = batches.front_mut() {
            first.channels.splice(0..0, self.channels.drain(..));
        }
        batches.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_domain::{Message, Missed, Name};

    fn batch(second: u64, len: usize) -> Batch {
        let name = Name::new("A").unwrap();
        let mut batch = Batch::default();
        let message = Message {
            data: &vec![0; len],
            channel: &name,
            published: None,
            arrived: second * 1_000_000_000,
            logged: None,
            sender: None,
            sequence: None,
            missed: Missed::Unknown,
            dropped: 0,
        };
        batch.push(0, &message, 0);
        batch.channels.push(Channel { domain: "mem://".into(), name, types: Vec::new() });
        batch
    }
    fn seconds(keep: &mut Keep) -> Vec<u64> {
        keep.take().filter_map(|b| b.last()).map(|ns| ns / 1_000_000_000).collect()
    }

    #[test]
    fn messages_older_than_the_window_are_discarded_and_not_lost() {
        let (mut keep, mut gone) = (Keep::new(Duration::from_secs(30), 1 << 20), 0);
        for second in 0..100 {
            keep.push(batch(second, 10), |_| gone += 1);
        }
        assert_eq!((seconds(&mut keep), gone), ((69..100).collect(), 0));
        assert!(seconds(&mut keep).is_empty(), "taken batches are not kept");
    }

    #[test]
    fn messages_beyond_the_memory_limit_are_counted() {
        let (mut keep, mut gone) = (Keep::new(Duration::from_secs(30), 10_000), 0);
        for second in 0..10 {
            keep.push(batch(second, 4000), |_| gone += 1);
        }
        assert_eq!(gone, 8);
        let kept: Vec<Batch> = keep.take().collect();
        // Each of these batches has the channel, which is not lost with discarded ones.
        assert_eq!((kept.len(), kept[0].channels.len()), (2, 9));
    }
}
