//! An in-memory channel: a name, and a lane for each publisher.

use super::budget::Budget;
use super::lane::{Lane, LaneEnd};
use crate::Result;
use saltus_channel::Name;
use saltus_transport::About;
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A channel in this process. Publishing never waits, except when a lane must grow.
#[derive(Debug)]
pub(crate) struct Channel {
    name: Name,
    lanes: Mutex<Lanes>,
    /// Counts changes to the list of lanes.
    generation: AtomicU64,
    /// The greatest depth that a subscriber has asked for.
    depth: AtomicU64,
    budget: Arc<Budget>,
}

#[derive(Debug, Default)]
struct Lanes {
    /// The lanes that subscribers read; an older lane comes before its replacement.
    all: Vec<Arc<Lane>>,
    /// Lanes without a publisher. Their messages stay, and later publishers reuse them.
    spare: Vec<LaneEnd>,
    /// Messages in lanes that are no longer in `all`.
    gone: u64,
}

impl Channel {
    pub fn new(name: Name, budget: Arc<Budget>) -> Channel {
        let (generation, depth) = (AtomicU64::new(0), AtomicU64::new(0));
        Channel { name, lanes: Mutex::default(), generation, depth, budget }
    }
    pub fn name(&self) -> &Name {
        &self.name
    }
    /// Requests that at least `depth` messages are kept, from the next one on.
    pub fn deepen(&self, depth: u64) {
        self.depth.fetch_max(depth, Relaxed); // a request; nothing is published by it
    }
    /// Counts changes to the list of lanes.
    #[inline]
    pub fn generation(&self) -> u64 {
        self.generation.load(Acquire) // pairs with the release in `changed`
    }
    /// The lanes, and the number of messages in removed lanes.
    pub fn lanes(&self) -> (Vec<Arc<Lane>>, u64) {
        let lanes = self.lock();
        (lanes.all.clone(), lanes.gone)
    }

    fn lock(&self) -> MutexGuard<'_, Lanes> {
        // A panic between two lines that only move lanes leaves nothing broken.
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Removes lanes from the list. Their readers keep them.
    #[cold]
    fn forget(&self, lanes: Vec<Arc<Lane>>) {
        let mut list = self.lock();
        list.gone += lanes.iter().map(|lane| lane.published()).sum::<u64>();
        list.all.retain(|lane| !lanes.iter().any(|gone| Arc::ptr_eq(gone, lane)));
        drop(list);
        self.changed();
    }
    fn changed(&self) {
        self.generation.fetch_add(1, Release); // pairs with the acquire in `generation`
    }
}

/// Publishes in an in-memory channel.
#[derive(Debug)]
pub(crate) struct ChannelEnd {
    channel: Arc<Channel>,
    /// `None` until the first message, which determines its size.
    end: Option<LaneEnd>,
    /// Whether a message was refused before.
    refused: bool,
}

impl ChannelEnd {
    pub fn new(channel: Arc<Channel>) -> ChannelEnd {
        let end = channel.lock().spare.pop();
        ChannelEnd { channel, end, refused: false }
    }
    pub fn channel(&self) -> &Arc<Channel> {
        &self.channel
    }
    /// Whether a message is refused for the first time; called for each refusal.
    pub fn is_first_refusal(&mut self) -> bool {
        !std::mem::replace(&mut self.refused, true)
    }

    /// Publishes. Allocates when a message is longer than all before it, or a subscriber has asked for more depth;
    /// otherwise real-time safe.
    #[inline]
    pub fn publish(&mut self, about: &About, payload: &[u8]) -> Result<()> {
        let depth = self.channel.depth.load(Relaxed); // a request
        match &mut self.end {
            Some(end) if end.suits(depth, payload.len()) => {
                end.publish(about, payload);
                if !end.before.is_empty() && end.is_full() {
                    self.channel.forget(std::mem::take(&mut end.before));
                }
                Ok(())
            }
            _ => self.grow(depth, about, payload),
        }
    }

    /// Publishes in a larger lane, which replaces the present one. Readers read the replaced lane to its end. If there is no memory for
    /// more messages, the present lane stays, unless the message is too long for it.
    #[cold]
    fn grow(&mut self, depth: u64, about: &About, payload: &[u8]) -> Result<()> {
        let made = LaneEnd::new(depth, payload.len(), &self.channel.budget);
        if let Some(present) = self.end.as_mut().filter(|present| present.fits(payload.len()))
            && made.as_ref().map_or(true, |made| made.frames() <= present.frames())
        {
            present.give_up(depth);
            present.publish(about, payload);
            return Ok(());
        }
        let mut larger = made?;
        // A reader that joins now finds the old lane's messages or the new one's, never none.
        larger.publish(about, payload);
        if let Some(old) = &mut self.end {
            larger.before = std::mem::take(&mut old.before);
            larger.before.push(old.lane().clone());
        }
        self.channel.lock().all.push(larger.lane().clone());
        self.channel.changed();
        self.end = Some(larger);
        Ok(())
    }
}

impl Drop for ChannelEnd {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            self.channel.lock().spare.push(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_keeps_its_memory_if_there_is_none_for_the_depth_that_is_requested() {
        let budget = Arc::new(Budget::new(16 << 20));
        let channel = Arc::new(Channel::new(Name::new("imu").unwrap(), budget.clone()));
        let mut end = ChannelEnd::new(channel.clone());
        let (about, message) = (About::default(), vec![7; 60_000]);
        end.publish(&about, &message).unwrap();
        let frames = |end: &ChannelEnd| end.end.as_ref().unwrap().frames();
        let before = frames(&end);
        let mut others = vec![budget.charge(5 << 20, true).expect("memory for others")];
        for depth in [2 * before, 4 * before] {
            channel.deepen(depth);
            for _ in 0..3 {
                end.publish(&about, &message).unwrap();
            }
            assert_eq!((frames(&end), channel.lanes().0.len()), (before, 1));
            // First a little is left, then nothing.
            while let Some(one) = (9..20).rev().find_map(|bits| budget.charge(1 << bits, true)) {
                others.push(one);
            }
        }
        end.publish(&about, &vec![7; 4 << 20]).expect_err("there is no memory for a longer message");
        end.publish(&about, &message).unwrap();
        assert_eq!(channel.lanes().0[0].published(), 8);
    }
}
