//! The one publisher of a lane: reserve, fill, commit.
//!
//! Only the holder of the lane's lease writes it, so every step is a plain store: wait-free, with a bound that
//! depends on the message length only. A publisher may die between any two steps; see [`LaneWriter::adopt`].

use crate::layout::*;
use crate::memory::Memory;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// The lane's words contradict each other, because of a stray store or a hostile writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damaged;

/// Space in a lane for one message, between [`LaneWriter::reserve`] and [`Reservation::commit`].
///
/// It borrows its writer, and `commit` consumes it: there is one reservation at a time, and it is committed once.
/// Dropping it publishes nothing, and the next reservation uses the same space.
///
/// ```compile_fail,E0382
/// # use saltus_ring::{Commit, Heap, LaneLayout, LaneWriter};
/// # let layout = LaneLayout::new(4, 64).unwrap();
/// # let mut writer = LaneWriter::adopt(Heap::zeroed(layout.stride() as usize), layout, 0).unwrap();
/// let reservation = writer.reserve(5).unwrap();
/// reservation.commit(Commit { len: 5, timestamp: 1, lease: 1 });
/// reservation.commit(Commit { len: 5, timestamp: 2, lease: 1 }); // error: use of moved value
/// ```
///
/// ```compile_fail,E0499
/// # use saltus_ring::{Commit, Heap, LaneLayout, LaneWriter};
/// # let layout = LaneLayout::new(4, 64).unwrap();
/// # let mut writer = LaneWriter::adopt(Heap::zeroed(layout.stride() as usize), layout, 0).unwrap();
/// let first = writer.reserve(5).unwrap();
/// let second = writer.reserve(5).unwrap(); // error: the writer is borrowed already
/// first.commit(Commit { len: 5, timestamp: 1, lease: 1 });
/// ```
#[derive(Debug)]
#[must_use = "a reservation publishes nothing until it is committed"]
pub struct Reservation<'w, M> {
    writer: &'w mut LaneWriter<M>,
    /// Start, as a position over the lane's whole life and within the ring: `off == pos % cap`, a multiple of 64.
    pos: u64,
    off: u64,
    /// At most the longest message; the space is contiguous.
    len: u64,
}

/// The arguments of [`Reservation::commit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Length of the message in bytes; limited to the length reserved.
    pub len: usize,
    /// Time of publication, in ns of the channel's clock; raised to the lane's last timestamp if it is below.
    pub timestamp: u64,
    /// Number of the publisher's lease.
    pub lease: u64,
}

/// A message that was published by [`Reservation::commit`].
#[derive(Debug)]
pub struct Committed<'w, M> {
    /// Number of the message in its lane, from 1.
    pub seq: u64,
    /// The timestamp assigned to it.
    pub timestamp: u64,
    /// The writer, to count wakes.
    pub writer: &'w LaneWriter<M>,
}

/// The writing end of a lane. There must be only one at a time; the lease guarantees that.
#[derive(Debug)]
pub struct LaneWriter<M> {
    mem: M,
    layout: LaneLayout,
    /// Number of the last message that this owner published; the same as the word in memory.
    head: u64,
    /// Earliest start of the next message, as a position over the lane's whole life and within the ring.
    end: u64,
    off: u64,
    intent: u64,
    bytes: u64,
    last_timestamp: u64,
}

impl<'w, M: Memory> Reservation<'w, M> {
    /// Byte offset of the reserved space in the lane's memory.
    #[inline(always)]
    pub fn at(&self) -> usize {
        self.writer.layout.data() + self.off as usize
    }
    /// Bytes reserved.
    pub fn len(&self) -> usize {
        self.len as usize
    }
    /// Whether nothing was reserved.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The memory of the lane.
    pub fn memory(&self) -> &M {
        &self.writer.mem
    }

    /// Copies `bytes` into the reserved space at offset `at`. `[w3]`
    ///
    /// `at` must be a multiple of eight unless `bytes` is empty. Panics if `bytes` does not fit into the reserved
    /// space.
    #[inline(always)]
    pub fn fill(&mut self, at: usize, bytes: &[u8]) {
        assert!(at <= self.len() && bytes.len() <= self.len() - at, "outside the reserved space");
        self.writer.mem.copy_in(self.at() + at, bytes); // [w3]
    }

    /// Publishes the first bytes of the reserved space as the lane's next message.
    #[inline(always)]
    pub fn commit(self, message: Commit) -> Committed<'w, M> {
        let writer = self.writer;
        let len = (message.len as u64).min(self.len);
        let seq = writer.head + 1;
        let timestamp = message.timestamp.max(writer.last_timestamp);
        let slot = writer.layout.slot(seq);
        // Relaxed: all published by [w4].
        writer.mem.store(slot + POS, self.pos, Relaxed);
        writer.mem.store(slot + TIMESTAMP, timestamp, Relaxed);
        writer.mem.store(slot + LEASE, message.lease, Relaxed);
        writer.mem.store(slot + LEN, len, Relaxed);
        writer.mem.store(slot + OFF, self.off, Relaxed);
        // [w4] Release: pairs with the reader's acquire [r2].
        writer.mem.store(slot + SEQ, seq, Release);
        // [w5] Release: pairs with the reader's acquire [r1]. This one store is the publication.
        writer.mem.store(HEAD, seq, Release);
        let used = round_up(len, CACHE_LINE);
        writer.head = seq;
        writer.end = self.pos + used;
        writer.off = self.off + used;
        writer.last_timestamp = timestamp;
        writer.bytes = writer.bytes.wrapping_add(len);
        // Relaxed: a counter that only tools read.
        writer.mem.store(BYTES, writer.bytes, Relaxed);
        Committed { seq, timestamp, writer }
    }

    /// Drops the reservation, and counts that.
    pub fn abandon(self) {
        self.writer.count(ABANDONED);
    }
}

impl<M: Memory> LaneWriter<M> {
    /// Takes over the lane, fresh or from a dead owner, in a few loads, and publishes nothing.
    ///
    /// Messages that the dead owner published stay readable. A message that it only began is never seen: a slot
    /// that was complete but whose message was not yet the head stays unpublished, since the next message rewrites
    /// it.
    ///
    /// `now` is the present time on the channel's clock. Timestamps in a lane never go back. A last timestamp
    /// beyond `now` is ignored: its writer was hostile, or the clock was set back.
    pub fn adopt(mem: M, layout: LaneLayout, now: u64) -> Result<Self, Damaged> {
        // Acquire on both: pairs with the dead owner's releases [w4] [w5].
        let head = mem.load(HEAD, Acquire); // [t1]
        let intent = mem.load(INTENT, Relaxed); // ours alone now; kept unchanged
        if head >= 1 << 62 || intent >= 1 << 62 {
            return Err(Damaged);
        }
        let slot = layout.slot(head);
        let (mut end, mut last_timestamp) = (0, 0);
        if head > 0 {
            end = intent; // [t2] past all bytes that may be dirty, unless the last message gives a better bound
            // Acquire: pairs with [w4]; the slot of the head is whole.
            if mem.load(slot + SEQ, Acquire) == head {
                let (pos, len) = (mem.load(slot + POS, Relaxed), mem.load(slot + LEN, Relaxed) & LEN_MASK);
                let after = pos.saturating_add(round_up(len, CACHE_LINE));
                if pos.is_multiple_of(CACHE_LINE) && len <= layout.max_len && after <= intent {
                    end = after;
                }
                last_timestamp = Some(mem.load(slot + TIMESTAMP, Relaxed)).filter(|s| *s <= now).unwrap_or(0);
            }
        }
        // [t3] A dead owner may have declared more bytes dirty than the ring holds. A message before that mark
        // would count as overwritten from the start.
        end = round_up(end.max(intent.saturating_sub(layout.cap())), CACHE_LINE);
        let (off, bytes) = (end % layout.cap(), mem.load(BYTES, Relaxed));
        Ok(LaneWriter { mem, layout, head, end, off, intent, bytes, last_timestamp })
    }

    /// The memory of the lane.
    pub fn memory(&self) -> &M {
        &self.mem
    }
    /// The last message published in this lane, by this owner or earlier ones.
    pub fn head(&self) -> u64 {
        self.head
    }

    /// Reserves space for a message of up to `len` bytes, discarding the messages stored there.
    ///
    /// `None` if the channel does not hold messages of that length. Reserving again without a commit reserves the
    /// same space.
    #[inline(always)]
    pub fn reserve(&mut self, len: usize) -> Option<Reservation<'_, M>> {
        let len = len as u64;
        if len > self.layout.max_len {
            return None;
        }
        let need = round_up(len, CACHE_LINE);
        let (mut pos, mut off) = (self.end, self.off);
        if off + need > self.layout.cap {
            pos += self.layout.cap - off; // messages are contiguous: skip the rest of the ring
            off = 0;
        }
        let slot = self.layout.slot(self.head + 1);
        // [w1] Relaxed: ordered before the data by the fence; a reader's fence [rf] makes both visible together.
        self.mem.store(slot + SEQ, 0, Relaxed);
        if self.intent < pos + need {
            self.intent = pos + need + self.layout.chunk;
            // [w2] Relaxed: as [w1].
            self.mem.store(INTENT, self.intent, Relaxed);
        }
        // [wf] Pairs with the reader's acquire fence [rf]: a reader that saw any byte of this message sees w1 and
        // w2.
        self.mem.fence(Release);
        Some(Reservation { writer: self, pos, off, len })
    }

    /// Counts a system call made to wake waiting subscribers.
    pub fn count_wake(&self) {
        self.count(WAKES);
    }
    fn count(&self, at: usize) {
        // Relaxed: a counter that only tools read, and only the owner writes.
        self.mem.store(at, self.mem.load(at, Relaxed).wrapping_add(1), Relaxed);
    }

    /// Writes the lane's owner, for tools. `name` is cut to 32 bytes.
    pub fn sign(&self, owner: &crate::reader::Owner) {
        let words = [owner.lease, owner.pid as u64, owner.since, owner.uid as u64];
        for (i, word) in words.into_iter().enumerate() {
            // Relaxed: information, never trusted.
            self.mem.store(OWNER + 8 * i, word, Relaxed);
        }
        self.mem.copy_in(OWNER + 32, &owner.name);
    }
}
