//! The steps of a reader of one lane. It only reads, and trusts only validated data.
//!
//! A message is read in three steps: [`inspect`] finds it, the caller copies it or reads it in place, and
//! [`validate`] then checks that it was whole throughout. If the reader saw any byte of a later message, then by
//! the pair of fences `[wf]` `[rf]` it also sees that message's `seq = 0` `[w1]` or its `intent` `[w2]`, and
//! validation fails. (Proof: `ARCHITECTURE.md`; checked by SPIN and by loom.)

use crate::layout::*;
use crate::memory::Memory;
use core::sync::atomic::Ordering::{Acquire, Relaxed};

/// The metadata in a message's slot. Do not trust it before [`validate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meta {
    /// Number of the message in its lane, from 1.
    pub seq: u64,
    /// When it was published, in ns of the channel's clock; 0 if the channel keeps no timestamps.
    pub timestamp: u64,
    /// The lease under which it was published.
    pub lease: u64,
    /// Length in bytes.
    pub len: usize,
    /// Byte offset in the lane's memory. Always inside the ring, even if the writer is hostile.
    pub at: usize,
    pos: u64,
}

/// The number of the last message published, or 0. `[r1]`
#[inline(always)]
pub fn head<M: Memory>(mem: &M) -> u64 {
    mem.load(HEAD, Acquire) // [r1] pairs with [w5]
}

/// Finds message `seq`, which must not be beyond the [`head`]. `None`: overwritten or damaged.
#[inline(always)]
pub fn inspect<M: Memory>(mem: &M, layout: &LaneLayout, seq: u64) -> Option<Meta> {
    let slot = layout.slot(seq);
    // [r2] Acquire: pairs with [w4]; the fields read below are this message's or a later one's.
    if mem.load(slot + SEQ, Acquire) != seq {
        return None;
    }
    // [r3] Relaxed: validated by r6 and r7. Each value is loaded once and bounded before its use.
    let pos = mem.load(slot + POS, Relaxed);
    let timestamp = mem.load(slot + TIMESTAMP, Relaxed);
    let lease = mem.load(slot + LEASE, Relaxed);
    let len = mem.load(slot + LEN, Relaxed) & LEN_MASK;
    let off = mem.load(slot + OFF, Relaxed);
    // [r4] A hostile writer can put any value into every field; none of them leads outside the ring.
    if len > layout.max_len()
        || off > layout.cap()
        || len > layout.cap() - off
        || !off.is_multiple_of(CACHE_LINE)
    {
        return None;
    }
    Some(Meta { seq, timestamp, lease, len: len as usize, at: layout.data() + off as usize, pos })
}

/// Whether `meta`, and all bytes of the message read since [`inspect`], were whole. `[r5]` is the read itself.
#[inline(always)]
pub fn validate<M: Memory>(mem: &M, layout: &LaneLayout, meta: &Meta) -> bool {
    mem.fence(Acquire); // [rf] pairs with [wf]
    // [r6] [r7] Relaxed: ordered after all reads of the message by the fence.
    mem.load(layout.slot(meta.seq) + SEQ, Relaxed) == meta.seq
        && mem.load(INTENT, Relaxed) <= meta.pos.saturating_add(layout.cap())
}

/// Byte offset of the slot of `seq`, for a prefetch.
pub(crate) fn slot_line(layout: &LaneLayout, seq: u64) -> usize {
    layout.slot(seq)
}

/// The present or last owner of a lane, as it describes itself. For tools; never trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// Number of the lease.
    pub lease: u64,
    /// Process id in the owner's own namespace.
    pub pid: u32,
    /// When the lane was leased, boot time in ns.
    pub since: u64,
    /// User id in the owner's own namespace.
    pub uid: u32,
    /// Name of the process, padded with zeros.
    pub name: [u8; 32],
}

/// A lane's counters. Reading them costs the publisher nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneCounters {
    /// Messages published in this lane, ever.
    pub published: u64,
    /// Payload bytes published in this lane, ever.
    pub bytes: u64,
    /// Loans returned unused.
    pub abandoned: u64,
    /// System calls made to wake waiting subscribers.
    pub wakes: u64,
    /// Messages that are still readable.
    pub kept: u64,
    /// Timestamp of the last message; 0 if there is none or it was just overwritten.
    pub last_timestamp: u64,
    /// Length of the last message in bytes; 0 if there is none or it was just overwritten.
    pub last_len: u64,
    /// The present or last owner of the lane.
    pub owner: Owner,
}

/// Reads a lane's counters. Costs a few loads, and the publisher nothing but cache misses.
pub fn counters<M: Memory>(mem: &M, layout: &LaneLayout) -> LaneCounters {
    let published = head(mem);
    let last = if published > 0 { inspect(mem, layout, published) } else { None };
    let last = last.filter(|meta| validate(mem, layout, meta));
    // Relaxed: each counter is a single word that only grows; together they are not a snapshot of one instant.
    let word = |at| mem.load(at, Relaxed);
    let mut name = [0; 32];
    for (i, piece) in name.chunks_mut(8).enumerate() {
        piece.copy_from_slice(&word(OWNER + 32 + 8 * i).to_le_bytes());
    }
    LaneCounters {
        published,
        bytes: word(BYTES),
        abandoned: word(ABANDONED),
        wakes: word(WAKES),
        kept: published.min(layout.frames()),
        last_timestamp: last.map_or(0, |meta| meta.timestamp),
        last_len: last.map_or(0, |meta| meta.len as u64),
        owner: Owner {
            lease: word(OWNER),
            pid: word(OWNER + 8) as u32,
            since: word(OWNER + 16),
            uid: word(OWNER + 24) as u32,
            name,
        },
    }
}
