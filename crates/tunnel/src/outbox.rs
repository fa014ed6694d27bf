//! Messages waiting to be sent: a queue for each channel, served in turn.

use crate::Order;
use crate::stats::Dropped;
use std::collections::{HashMap, VecDeque};

/// Most channels with separate queues. Those without messages are dropped first.
const CHANNELS: usize = 1024;

/// A message waiting to be sent.
pub(crate) struct Waiting {
    pub number: u64,
    /// When it was queued, and its deadline, in ns.
    pub made: u64,
    pub until: u64,
    pub payload: Vec<u8>,
}

/// Messages waiting to be sent, by channel.
pub(crate) struct Outbox {
    order: Order,
    memory: usize,
    bytes: usize,
    lanes: HashMap<Vec<u8>, VecDeque<Waiting>>,
    /// The channels that have messages, in the order of their turns.
    turns: VecDeque<Vec<u8>>,
}

impl Outbox {
    pub fn new(order: Order, memory: usize) -> Outbox {
        Outbox { order, memory, bytes: 0, lanes: HashMap::new(), turns: VecDeque::new() }
    }

    /// Queues a message. If only the newest matters, it replaces those waiting in its channel.
    pub fn push(&mut self, channel: &[u8], message: Waiting, dropped: &mut Dropped) {
        if !self.lanes.contains_key(channel) && self.lanes.len() >= CHANNELS {
            self.lanes.retain(|_, waiting| !waiting.is_empty());
            if self.lanes.len() >= CHANNELS {
                dropped.full += 1;
                return;
            }
        }
        let lane = self.lanes.entry(channel.to_vec()).or_default();
        let was_empty = lane.is_empty();
        if self.order == Order::Newest {
            if lane.back().is_some_and(|newest| newest.number > message.number) {
                dropped.superseded += 1;
                return;
            }
            dropped.superseded += lane.len() as u64;
            self.bytes -= lane.drain(..).map(|w| w.payload.len()).sum::<usize>();
        }
        // Older messages of its own channel are dropped first; other channels keep theirs.
        while self.bytes + message.payload.len() > self.memory {
            let Some(oldest) = lane.pop_front() else {
                dropped.full += 1;
                return self.forget_if_empty(channel);
            };
            self.bytes -= oldest.payload.len();
            dropped.full += 1;
        }
        self.bytes += message.payload.len();
        lane.push_back(message);
        if was_empty {
            self.turns.push_back(channel.to_vec());
        }
    }

    fn forget_if_empty(&mut self, channel: &[u8]) {
        if self.lanes.get(channel).is_some_and(VecDeque::is_empty) {
            self.turns.retain(|turn| turn != channel);
        }
    }

    /// The next channel and its message; drops messages past their deadline. Busy channels are skipped.
    pub fn first(
        &mut self,
        now: u64,
        busy: impl Fn(&[u8]) -> bool,
        dropped: &mut Dropped,
    ) -> Option<(&[u8], &Waiting)> {
        let mut passed = 0;
        loop {
            let channel = self.turns.front()?;
            let lane = self.lanes.get_mut(channel)?;
            while lane.front().is_some_and(|message| message.until <= now) {
                self.bytes -= lane.pop_front().map_or(0, |late| late.payload.len());
                dropped.expired += 1;
            }
            if lane.is_empty() {
                self.turns.pop_front();
            } else if !busy(channel) {
                break;
            } else if passed < self.turns.len() {
                self.turns.rotate_left(1);
                passed += 1;
            } else {
                return None;
            }
        }
        let channel = self.turns.front()?;
        Some((channel, self.lanes.get(channel)?.front()?))
    }

    /// Removes the message that [`Outbox::first`] returned; the other channels' turns come before its channel's
    /// next one.
    pub fn take(&mut self) -> Option<(Vec<u8>, Waiting)> {
        let channel = self.turns.pop_front()?;
        let lane = self.lanes.get_mut(&channel)?;
        let message = lane.pop_front()?;
        self.bytes -= message.payload.len();
        if !lane.is_empty() {
            self.turns.push_back(channel.clone());
        }
        Some((channel, message))
    }

    /// Removes the messages for which that is true.
    pub fn split_off(&mut self, is_out: impl Fn(&[u8], &Waiting) -> bool) -> Vec<(Vec<u8>, Waiting)> {
        let mut out = Vec::new();
        for (channel, lane) in &mut self.lanes {
            let (gone, stays): (VecDeque<_>, VecDeque<_>) = lane.drain(..).partition(|m| is_out(channel, m));
            *lane = stays;
            out.extend(gone.into_iter().map(|message| (channel.clone(), message)));
        }
        self.bytes -= out.iter().map(|(_, message)| message.payload.len()).sum::<usize>();
        let lanes = &self.lanes;
        self.turns.retain(|channel| lanes.get(channel).is_some_and(|lane| !lane.is_empty()));
        out
    }

    /// Drops all waiting messages, and counts them.
    pub fn clear(&mut self) -> u64 {
        let count = self.lanes.drain().map(|(_, lane)| lane.len() as u64).sum();
        self.turns.clear();
        self.bytes = 0;
        count
    }

    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(number: u64, len: usize, until: u64) -> Waiting {
        Waiting { number, made: 0, until, payload: vec![0; len] }
    }

    fn drain(outbox: &mut Outbox, now: u64, dropped: &mut Dropped) -> Vec<u64> {
        let mut all = Vec::new();
        while outbox.first(now, |_| false, dropped).is_some() {
            all.push(outbox.take().unwrap().1.number);
        }
        assert!(outbox.is_empty() && outbox.bytes == 0 && outbox.take().is_none());
        all
    }

    #[test]
    fn the_newest_takes_the_place_of_older_ones_of_its_channel() {
        let (mut outbox, mut dropped) = (Outbox::new(Order::Newest, 1000), Dropped::default());
        for (number, channel) in [(1, b"a"), (2, b"b"), (3, b"a"), (4, b"a")] {
            outbox.push(channel, message(number, 10, 99), &mut dropped);
        }
        assert_eq!(drain(&mut outbox, 0, &mut dropped), [4, 2]);
        assert_eq!(dropped, Dropped { superseded: 2, ..Dropped::default() });
    }

    #[test]
    fn channels_take_turns_and_keep_their_order() {
        let (mut outbox, mut dropped) = (Outbox::new(Order::All, 1000), Dropped::default());
        for (number, channel) in [(1, b"a"), (2, b"a"), (3, b"a"), (4, b"b"), (5, b"c")] {
            outbox.push(channel, message(number, 10, 99), &mut dropped);
        }
        assert_eq!(drain(&mut outbox, 0, &mut dropped), [1, 4, 5, 2, 3]);
        assert_eq!(dropped, Dropped::default());
    }

    #[test]
    fn late_messages_are_dropped_and_an_overflow_evicts_its_own_channel() {
        let (mut outbox, mut dropped) = (Outbox::new(Order::All, 100), Dropped::default());
        outbox.push(b"a", message(1, 40, 50), &mut dropped);
        outbox.push(b"a", message(2, 40, 99), &mut dropped);
        outbox.push(b"b", message(3, 30, 99), &mut dropped);
        assert_eq!(dropped.full, 1, "b has nothing that could go");
        outbox.push(b"a", message(4, 60, 99), &mut dropped);
        assert_eq!(dropped.full, 2, "one of a went");
        outbox.push(b"a", message(5, 101, 99), &mut dropped);
        assert_eq!(dropped.full, 5);
        outbox.push(b"b", message(6, 10, 50), &mut dropped);
        outbox.push(b"b", message(7, 10, 51), &mut dropped);
        assert_eq!(drain(&mut outbox, 50, &mut dropped), [7]);
        assert_eq!(dropped.expired, 1);
    }

    #[test]
    fn busy_channels_are_skipped() {
        let (mut outbox, mut dropped) = (Outbox::new(Order::All, 1000), Dropped::default());
        outbox.push(b"a", message(1, 1, 99), &mut dropped);
        outbox.push(b"b", message(2, 1, 99), &mut dropped);
        assert!(outbox.first(0, |_| true, &mut dropped).is_none());
        assert_eq!(outbox.first(0, |c| c == b"a", &mut dropped).unwrap().1.number, 2);
        assert_eq!(outbox.take().unwrap().1.number, 2);
        assert!(outbox.first(0, |c| c == b"a", &mut dropped).is_none());
        assert_eq!(drain(&mut outbox, 0, &mut dropped), [1]);
    }

    #[test]
    fn idle_channels_make_room_for_others() {
        let (mut outbox, mut dropped) = (Outbox::new(Order::All, 1 << 20), Dropped::default());
        for number in 0..3 * CHANNELS as u64 {
            outbox.push(&number.to_le_bytes(), message(number, 1, 99), &mut dropped);
            assert_eq!(drain(&mut outbox, 0, &mut dropped), [number]);
        }
        for number in 0..2 * CHANNELS as u64 {
            outbox.push(&number.to_le_bytes(), message(number, 1, 99), &mut dropped);
        }
        assert_eq!(dropped, Dropped { full: CHANNELS as u64, ..Dropped::default() });
        assert_eq!(outbox.clear(), CHANNELS as u64);
        assert!(outbox.is_empty());
    }
}
