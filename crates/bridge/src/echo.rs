//! Knowing one's own messages when they come back.

use saltus_domain::{Message, Name, Publisher};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

/// How long a message may take to come back over a transport that does not tell senders apart, in ns: longer than a busy machine lets a
/// process stand still.
const WHILE: u64 = 5_000_000_000;
/// Messages that are remembered for such a transport, twice.
const MOST: usize = 1 << 16;
/// Senders that are remembered: those of channels that were made anew often are forgotten one day.
const SENDERS: usize = 1 << 16;

/// What a bridge, or whoever else carries messages, has published in one domain: it does not take them for somebody else's when
/// they come back. Where the transport tells senders apart that is certain; where it does not, a message of the same channel with
/// the same bytes counts as the one that was published, once, for 5 s. Bounded memory.
#[derive(Debug, Default)]
pub struct Own {
    /// Channels and senders that are its own.
    senders: HashSet<(Name, u64)>,
    /// For transports without senders: hashes of what was published, how often, and when last.
    published: HashMap<u64, (u32, u64)>,
    /// The same of earlier, and when the later ones began.
    before: HashMap<u64, (u32, u64)>,
    since: u64,
    hasher: RandomState,
}

impl Own {
    /// Notes that `publisher` has published `bytes` at `now`, in ns of a clock that does not go back. `listens`: what comes in
    /// that domain is carried too, so that the message may come back.
    pub fn note(&mut self, publisher: &Publisher, bytes: &[u8], now: u64, listens: bool) {
        let channel = publisher.channel();
        match publisher.sender() {
            Some(sender) if !self.senders.contains(&(channel.clone(), sender)) => {
                if self.senders.len() >= SENDERS {
                    self.senders.clear();
                }
                self.senders.insert((channel.clone(), sender));
            }
            None if listens => self.publish(self.hash(channel, bytes), now),
            _ => {}
        }
    }

    /// Notes a hash. Those that are too old to come back go together, so that none is looked for.
    fn publish(&mut self, hash: u64, now: u64) {
        if now.saturating_sub(self.since) >= WHILE || self.published.len() >= MOST {
            let is_old = now.saturating_sub(self.since) >= 2 * WHILE;
            self.before = std::mem::take(&mut self.published);
            if is_old {
                self.before.clear();
            }
            self.since = now;
        }
        let (times, at) = self.published.entry(hash).or_insert((0, now));
        // One that did not come back in time is not waited for any more.
        *times = if now.saturating_sub(*at) < WHILE { times.saturating_add(1) } else { 1 };
        *at = now;
    }

    /// Whether a message is one's own. One that is known by its bytes alone is forgotten with it.
    pub fn is(&mut self, message: &Message<'_>, now: u64) -> bool {
        let by_sender = |sender| self.senders.contains(&(message.channel.clone(), sender));
        if message.sender.is_some_and(by_sender) {
            return true;
        }
        if self.published.is_empty() && self.before.is_empty() {
            return false;
        }
        let hash = self.hash(message.channel, message.data);
        forget(&mut self.before, hash, now) || forget(&mut self.published, hash, now)
    }

    fn hash(&self, channel: &Name, bytes: &[u8]) -> u64 {
        self.hasher.hash_one((channel.as_bytes(), bytes))
    }
}

/// Whether that was published lately; then it counts as come back, once.
fn forget(published: &mut HashMap<u64, (u32, u64)>, hash: u64, now: u64) -> bool {
    let Some((times, at)) = published.get_mut(&hash) else { return false };
    let came_back = now.saturating_sub(*at) < WHILE;
    *times -= 1;
    if *times == 0 || !came_back {
        published.remove(&hash);
    }
    came_back
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_come_back_in_time_does_not_take_anothers_message_for_its_own() {
        let mut own = Own::default();
        own.publish(7, 0);
        own.publish(7, 5 * WHILE);
        assert!(forget(&mut own.published, 7, 5 * WHILE + 1), "the second came back");
        assert!(!forget(&mut own.published, 7, 5 * WHILE + 2), "this one is somebody else's");
    }

    #[test]
    fn a_flood_of_messages_is_remembered_in_bounded_memory_and_time() {
        let mut own = Own::default();
        for n in 0..40 * MOST as u64 {
            own.publish(n, WHILE / 1000);
            assert!(own.published.len() <= MOST && own.before.len() <= MOST);
        }
        let last = 40 * MOST as u64 - 1;
        assert!(forget(&mut own.published, last, WHILE / 1000) && !forget(&mut own.before, 0, WHILE / 1000));
    }
}
