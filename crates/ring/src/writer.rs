//! The one publisher of a lane.
//!
//! Only the holder of the lane's lease writes it, so every step is a plain store: wait-free, and bounded by the
//! length of the message. A publisher may die between any two steps; see [`LaneWriter::adopt`].

use crate::layout::*;
use crate::memory::Memory;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// The lane's words contradict each other: a wild store, or a hostile writer, has been here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// Room in the lane for one message, between [`LaneWriter::reserve`] and [`LaneWriter::commit`].
#[derive(Clone, Copy, Debug)]
pub struct Room {
    pos: u64,
    off: u64,
    len: u64,
    at: usize,
}

impl Room {
    /// Byte offset of the room in the lane's memory.
    pub fn at(&self) -> usize {
        self.at
    }
    /// Bytes reserved.
    pub fn len(&self) -> usize {
        self.len as usize
    }
    /// Whether nothing was reserved.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// The writing end of a lane. There must be only one at a time; the lease sees to that.
#[derive(Debug)]
pub struct LaneWriter<M> {
    mem: M,
    layout: LaneLayout,
    /// What this owner has published last; the same as the word in memory.
    head: u64,
    /// Where the next message starts at the earliest, as a position of all times and within the ring.
    end: u64,
    off: u64,
    intent: u64,
    bytes: u64,
    last_stamp: u64,
}

impl<M: Memory> LaneWriter<M> {
    /// Takes the lane over, fresh or from a dead owner, in a few loads, and publishes nothing.
    ///
    /// What the dead owner had published stays readable. What it had begun is never seen: a slot that was
    /// complete but whose message was not yet the head stays unpublished, since the next message rewrites it.
    ///
    /// `now` is the present time on the channel's clock. Stamps in a lane never go back, but a last stamp beyond `now`
    /// is a liar's, or of a clock that was set back, and binds nobody.
    pub fn adopt(mem: M, layout: LaneLayout, now: u64) -> Result<Self, Damaged> {
        // Acquire on both: pairs with the dead owner's releases [w4] [w5].
        let head = mem.load(HEAD, Acquire); // [t1]
        let intent = mem.load(INTENT, Relaxed); // ours alone now, kept as it is
        if head >= 1 << 62 || intent >= 1 << 62 {
            return Err(Damaged);
        }
        let slot = layout.slot(head);
        let (mut end, mut last_stamp) = (0, 0);
        if head > 0 {
            end = intent; // [t2] past all that may be dirty, unless the last message says better
            // Acquire: pairs with [w4]; the slot of the head is whole.
            if mem.load(slot + SEQ, Acquire) == head {
                let (pos, len) = (mem.load(slot + POS, Relaxed), mem.load(slot + LEN, Relaxed) & LEN_MASK);
                let after = pos.saturating_add(round_up(len, CACHE_LINE));
                if pos.is_multiple_of(CACHE_LINE) && len <= layout.max_len && after <= intent {
                    end = after;
                }
                last_stamp = Some(mem.load(slot + STAMP, Relaxed)).filter(|s| *s <= now).unwrap_or(0);
            }
        }
        // [t3] A dead owner may have declared more dirty than the ring is long; a message before that mark would
        // count as overtaken from the start.
        end = round_up(end.max(intent.saturating_sub(layout.cap())), CACHE_LINE);
        let (off, bytes) = (end % layout.cap(), mem.load(BYTES, Relaxed));
        Ok(LaneWriter { mem, layout, head, end, off, intent, bytes, last_stamp })
    }

    /// The memory of the lane.
    pub fn memory(&self) -> &M {
        &self.mem
    }
    /// The last message published in this lane, by this owner or those before.
    pub fn head(&self) -> u64 {
        self.head
    }

    /// Makes room for a message of up to `len` bytes and gives up what lay there.
    ///
    /// `None` if the channel does not hold messages of that length. Reserving again without a commit takes
    /// the same room again.
    #[inline(always)]
    pub fn reserve(&mut self, len: usize) -> Option<Room> {
        let len = len as u64;
        if len > self.layout.max_len {
            return None;
        }
        let need = round_up(len, CACHE_LINE);
        let (mut pos, mut off) = (self.end, self.off);
        if off + need > self.layout.cap {
            pos += self.layout.cap - off; // a message lies in one piece: leave the rest of the ring
            off = 0;
        }
        let slot = self.layout.slot(self.head + 1);
        // [w1] Relaxed: ordered before the data by the fence, seen with it by a reader's fence [rf].
        self.mem.store(slot + SEQ, 0, Relaxed);
        if self.intent < pos + need {
            self.intent = pos + need + self.layout.chunk;
            // [w2] Relaxed: as [w1].
            self.mem.store(INTENT, self.intent, Relaxed);
        }
        // [wf] Pairs with the reader's acquire fence [rf]: who read any byte of this message sees w1 and w2.
        self.mem.fence(Release);
        Some(Room { pos, off, len, at: self.layout.data() + off as usize })
    }

    /// Fills `room` from `at` bytes on. `[w3]`
    ///
    /// `at` must be a multiple of eight unless `bytes` is empty. Panics if it does not fit into the room.
    #[inline(always)]
    pub fn fill(&self, room: &Room, at: usize, bytes: &[u8]) {
        assert!(at <= room.len() && bytes.len() <= room.len() - at, "outside the room reserved");
        self.mem.copy_in(room.at + at, bytes); // [w3]
    }

    /// Publishes the first `len` bytes of `room`; returns the message's number in this lane.
    ///
    /// `stamp` is raised to the lane's last one if it is below: stamps in a lane never go back.
    /// Returns the number and the stamp.
    #[inline(always)]
    pub fn commit(&mut self, room: Room, len: usize, stamp: u64, lease: u64) -> (u64, u64) {
        let len = (len as u64).min(room.len);
        let seq = self.head + 1;
        let stamp = stamp.max(self.last_stamp);
        let slot = self.layout.slot(seq);
        // Relaxed: all published by [w4].
        self.mem.store(slot + POS, room.pos, Relaxed);
        self.mem.store(slot + STAMP, stamp, Relaxed);
        self.mem.store(slot + LEASE, lease, Relaxed);
        self.mem.store(slot + LEN, len, Relaxed);
        self.mem.store(slot + OFF, room.off, Relaxed);
        // [w4] Release: pairs with the reader's acquire [r2].
        self.mem.store(slot + SEQ, seq, Release);
        // [w5] Release: pairs with the reader's acquire [r1]. This one store is the publication.
        self.mem.store(HEAD, seq, Release);
        let used = round_up(len, CACHE_LINE);
        self.head = seq;
        self.end = room.pos + used;
        self.off = room.off + used;
        self.last_stamp = stamp;
        self.bytes = self.bytes.wrapping_add(len);
        // Relaxed: a counter that only tools read.
        self.mem.store(BYTES, self.bytes, Relaxed);
        (seq, stamp)
    }

    /// Counts a loan that was given back unused.
    pub fn count_abandoned(&self) {
        self.count(ABANDONED);
    }
    /// Counts a system call made to wake sleepers.
    pub fn count_wake(&self) {
        self.count(WAKES);
    }
    fn count(&self, at: usize) {
        // Relaxed: a counter that only tools read, and only the owner writes.
        self.mem.store(at, self.mem.load(at, Relaxed).wrapping_add(1), Relaxed);
    }

    /// Writes who owns the lane, for tools. `name` is cut to 32 bytes.
    pub fn sign(&self, owner: &crate::reader::Owner) {
        let words = [owner.lease, owner.pid as u64, owner.since, owner.uid as u64];
        for (i, word) in words.into_iter().enumerate() {
            // Relaxed: information, never trusted.
            self.mem.store(OWNER + 8 * i, word, Relaxed);
        }
        self.mem.copy_in(OWNER + 32, &owner.name);
    }
}
