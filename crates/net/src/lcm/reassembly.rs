//! Fragments back into messages, whatever order they come in, and whoever sends them.
//!
//! For each message the bytes up to the first gap lie in one piece; what came ahead of a gap waits aside until the gap
//! closes. So memory grows with what has arrived, not with what a header promises, and a message is complete when every
//! byte of it has come once: copies change nothing, and no count in a header is trusted.
//!
//! ```text
//!   front: 0 ─────────────► first gap        ahead: [offset ▒▒▒]   [offset ▒▒▒▒]        size
//! ```
//!
//! Memory is bounded by [`Limits`]: the message that a fragment comes for may have as much as LCM allows, 256 MiB, and 16 MiB
//! to keep its 65,535 fragments apart, all others together [`Limits::bytes`]. What is too much goes: the message whose last fragment is oldest first.

mod partial;

use super::packet::Fragment;
use super::spare::Spare;
use crate::lru::Lru;
use partial::{Added, Partial};
use std::net::SocketAddrV4;

pub use partial::Refused;

/// What may wait for its missing fragments.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many messages. LCM: 1000.
    pub messages: usize,
    /// Bytes of all messages but the one that a fragment just came for. LCM: 16 MiB.
    pub bytes: usize,
    /// How long after its last fragment a message is given up, in ns. LCM: never.
    pub age_ns: u64,
}

impl Default for Limits {
    /// 1000 messages, 64 MiB, 5 s.
    fn default() -> Limits {
        Limits { messages: 1000, bytes: 64 << 20, age_ns: 5_000_000_000 }
    }
}

/// What became of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken<'a> {
    /// It was the last that was missing.
    Whole {
        /// The channel's name.
        channel: &'a [u8],
        /// The message.
        payload: &'a [u8],
    },
    /// Others are missing.
    Pending,
    /// It contradicts itself or those before it. What was there of the message stays.
    Refused(Refused),
}

/// What has happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages that became whole.
    pub completed: u64,
    /// Messages given up because newer ones needed the room.
    pub evicted: u64,
    /// Messages given up because nothing came for them for too long.
    pub expired: u64,
    /// Messages begun anew because a fragment told another size.
    pub restarted: u64,
    /// Fragments whose bytes had already come.
    pub copies: u64,
    /// Fragments refused.
    pub refused: u64,
}

type Key = (SocketAddrV4, u32);

/// The messages of which some fragments have come.
pub struct Reassembly {
    limits: Limits,
    partial: Lru<Key, Partial>,
    /// Bytes that all of `partial` hold.
    held: usize,
    /// The message that was told last; its memory is used again.
    told: Partial,
    spare: Spare,
    counters: Counters,
}

impl Reassembly {
    /// No messages yet.
    pub fn new(limits: Limits) -> Reassembly {
        Reassembly {
            limits,
            partial: Lru::new(),
            held: 0,
            told: Partial::default(),
            spare: Spare::default(),
            counters: Counters::default(),
        }
    }

    /// Takes a fragment that `from` sent. `now_ns` is any clock that does not go back. Does not block; fragments that come
    /// in order allocate nothing once messages of their size have been seen.
    pub fn take(&mut self, from: SocketAddrV4, now_ns: u64, fragment: &Fragment<'_>) -> Taken<'_> {
        self.recycle(now_ns);
        self.expire(now_ns);
        let key = (from, fragment.sequence);
        if let Err(why) = partial::check(fragment) {
            self.counters.refused += 1;
            return Taken::Refused(why);
        }
        if self.partial.peek(&key).is_some_and(|p| p.size() != fragment.size as usize) {
            self.counters.restarted += 1;
            self.drop_partial(&key, now_ns);
        }
        if self.partial.peek(&key).is_none() {
            let partial = Partial::new(fragment.size as usize, self.spare.take(fragment.size as usize));
            self.held += partial.held();
            self.partial.insert(key, partial);
        }
        let Some(partial) = self.partial.get_mut(&key) else { return Taken::Pending };
        let before = partial.held();
        let added = partial.add(fragment, now_ns);
        let mine = partial.held();
        self.held = self.held - before + mine;
        match added {
            Added::Whole => return self.tell(&key),
            Added::Some => {}
            Added::Copy => self.counters.copies += 1,
            Added::Refused(why) => {
                self.counters.refused += 1;
                return Taken::Refused(why);
            }
        }
        self.evict(mine, now_ns);
        Taken::Pending
    }

    /// Gives up a message, if fragments of it have come: nobody wants it.
    pub fn forget(&mut self, from: SocketAddrV4, sequence: u32, now_ns: u64) {
        self.drop_partial(&(from, sequence), now_ns);
    }
    /// How many messages wait for fragments.
    pub fn pending(&self) -> usize {
        self.partial.len()
    }
    /// Bytes of memory held: by messages that wait, by the one told last, and for later ones.
    pub fn memory(&self) -> usize {
        self.held + self.told.held() + self.spare.bytes()
    }
    /// What has happened so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    fn tell(&mut self, key: &Key) -> Taken<'_> {
        let Some(partial) = self.partial.remove(key) else { return Taken::Pending };
        self.held -= partial.held();
        self.counters.completed += 1;
        self.told = partial;
        Taken::Whole { channel: self.told.channel(), payload: self.told.payload() }
    }

    fn recycle(&mut self, now_ns: u64) {
        let told = std::mem::take(&mut self.told);
        self.spare.give(told.into_memory(), now_ns);
    }

    /// Makes room, but for the newest message, which holds `mine` bytes.
    fn evict(&mut self, mine: usize, now_ns: u64) {
        while self.partial.len() > 1
            && (self.partial.len() > self.limits.messages || self.held - mine > self.limits.bytes)
        {
            let Some(key) = self.partial.oldest().map(|(key, _)| *key) else { return };
            self.counters.evicted += 1;
            self.drop_partial(&key, now_ns);
        }
    }

    fn expire(&mut self, now_ns: u64) {
        while let Some((key, partial)) = self.partial.oldest() {
            if now_ns.saturating_sub(partial.touched_ns()) <= self.limits.age_ns {
                return;
            }
            let key = *key;
            self.counters.expired += 1;
            self.drop_partial(&key, now_ns);
        }
    }

    fn drop_partial(&mut self, key: &Key, now_ns: u64) {
        if let Some(partial) = self.partial.remove(key) {
            self.held -= partial.held();
            self.spare.give(partial.into_memory(), now_ns);
        }
    }
}
