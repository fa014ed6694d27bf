//! Recognizes a program's own messages when they return.

use saltus_domain::{Message, Name, Publisher};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

/// How long a message may take to return over a transport that does not identify senders, in ns: longer than a busy
/// machine stops a process.
const WHILE: u64 = 5_000_000_000;
/// Most messages remembered for such a transport, in each of two generations.
const MOST: usize = 1 << 16;
/// Most senders remembered: those of channels that are replaced often are eventually forgotten.
const SENDERS: usize = 1 << 16;

/// The messages that a bridge, or a similar program, has published in one domain, so that it recognizes them when
/// they return. If the transport identifies senders, that is exact. Otherwise, a message with the same channel and
/// bytes counts as the published one, once, within 5 s. Uses bounded memory.
#[derive(Debug, Default)]
pub struct Own {
    /// Channels and senders that are its own.
    senders: HashSet<(Name, u64)>,
    /// For transports without senders: hashes of published messages, how often each was published, and when last.
    published: HashMap<u64, (u32, u64)>,
    /// An earlier generation, and when the present one began.
    before: HashMap<u64, (u32, u64)>,
    since: u64,
    hasher: RandomState,
}

impl Own {
    /// Records that `publisher` has published `bytes` at `now`, in ns of a clock that does not go back. `listens`:
    /// messages of that domain are carried too, so that the message may return.
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

    /// Records a hash. Those too old to return are dropped together, so that none is searched for.
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
        // A message that did not return in time is no longer expected.
        *times = if now.saturating_sub(*at) < WHILE { times.saturating_add(1) } else { 1 };
        *at = now;
    }

    /// Whether a message is one's own. One recognized only by its bytes is then forgotten.
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

/// Whether this was published recently; then one such message counts as returned.
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
    fn an_expired_echo_does_not_suppress_anothers_message() {
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
