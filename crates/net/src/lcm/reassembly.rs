//! Reassembles messages from fragments, in any order and from any senders.
//!
//! For each message, the bytes up to the first gap are contiguous; fragments beyond a gap are kept separately until
//! the gap closes. So memory grows with the bytes received, not with the size in a header. A message is complete
//! when every byte of it has arrived once: copies change nothing, and no count in a header is trusted.
//!
//! ```text
//!   front: 0 ─────────────► first gap        ahead: [offset ▒▒▒]   [offset ▒▒▒▒]        size
//! ```
//!
//! Memory is bounded by [`Limits`]. The message that a fragment arrives for may use its length, at most
//! [`Limits::message`], and 16 MiB to keep its 65,535 fragments apart; all others together may use
//! [`Limits::bytes`]. Beyond that, the message whose last fragment is oldest is dropped first. The memory of one
//! message of any length is kept for the next one.

mod partial;

use super::MESSAGE;
use super::packet::Fragment;
use super::spare::Spare;
use crate::lru::Lru;
use partial::{Added, Partial};
use std::net::SocketAddrV4;

pub use partial::Refused;

/// Limits for incomplete messages.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Most messages. LCM: 1000.
    pub messages: usize,
    /// Most bytes of all messages except the one that a fragment just arrived for. LCM: 16 MiB.
    pub bytes: usize,
    /// Bytes of the longest message; longer ones are refused. LCM: 256 MiB.
    pub message: usize,
    /// Time after its last fragment at which an incomplete message is dropped, in ns. LCM: never.
    pub age_ns: u64,
}

impl Default for Limits {
    /// 1000 messages, 64 MiB, 256 MiB, 5 s.
    fn default() -> Limits {
        Limits { messages: 1000, bytes: 64 << 20, message: MESSAGE, age_ns: 5_000_000_000 }
    }
}

impl Limits {
    /// Limits that together stay below `memory` bytes, if these are at least 64 MiB: a quarter for the longest
    /// message, and a sixteenth for incomplete ones next to it.
    pub fn within(memory: usize) -> Limits {
        let limits = Limits::default();
        Limits { bytes: limits.bytes.min(memory / 16), message: limits.message.min(memory / 4), ..limits }
    }
}

/// The effect of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken<'a> {
    /// It completed a message.
    Whole {
        /// The channel's name.
        channel: &'a [u8],
        /// The message.
        payload: &'a [u8],
    },
    /// Others are missing.
    Pending,
    /// It contradicts itself or earlier fragments, which are kept.
    Refused(Refused),
}

/// Counts of messages and fragments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages completed.
    pub completed: u64,
    /// Messages dropped to make space for newer ones.
    pub evicted: u64,
    /// Messages dropped because no fragment arrived for too long.
    pub expired: u64,
    /// Messages begun again because a fragment has another size.
    pub restarted: u64,
    /// Fragments whose bytes had already arrived.
    pub copies: u64,
    /// Fragments refused.
    pub refused: u64,
}

type Key = (SocketAddrV4, u32);

/// The incomplete messages.
pub struct Reassembly {
    limits: Limits,
    partial: Lru<Key, Partial>,
    /// Bytes held by all of `partial`.
    held: usize,
    /// The message returned last; its memory is reused.
    told: Partial,
    spare: Spare,
    counters: Counters,
}

impl Reassembly {
    /// Without messages.
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

    /// Processes a fragment from `from`. `now_ns` is any clock that does not go back. Does not block. Fragments in
    /// order allocate nothing once messages of their size have been seen.
    pub fn take(&mut self, from: SocketAddrV4, now_ns: u64, fragment: &Fragment<'_>) -> Taken<'_> {
        self.recycle(now_ns);
        self.expire(now_ns);
        let key = (from, fragment.sequence);
        if let Err(why) = partial::check(fragment, self.limits.message) {
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

    /// Drops an incomplete message that is not wanted.
    pub fn forget(&mut self, from: SocketAddrV4, sequence: u32, now_ns: u64) {
        self.drop_partial(&(from, sequence), now_ns);
    }
    /// The number of incomplete messages.
    pub fn pending(&self) -> usize {
        self.partial.len()
    }
    /// Bytes of memory held: by incomplete messages, by the one returned last, and for later ones.
    pub fn memory(&self) -> usize {
        self.held + self.told.held() + self.spare.bytes()
    }
    /// The counters.
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

    /// Drops messages to stay within the limits, except the newest, which holds `mine` bytes.
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
