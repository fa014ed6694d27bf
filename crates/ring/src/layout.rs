//! The layout of a lane in memory.
//!
//! ```text
//! byte     what                                           written by         read by
//! 0        head     last published message, 0: none       owner, each `[w5]`   all readers   <- publication
//! 128      intent   bytes up to here may be dirty         owner, now and then `[w2]`  all readers
//! 256      bytes, abandoned, wakes                        owner              tools
//! 384      owner    lease, pid, since, uid, name[32]      owner, at lease    tools (never trusted)
//! 512      slots[S], one cache line each:
//!            +0 seq | +8 pos | +16 timestamp | +24 lease | +32 len, flags | +40 off | +48 crc | +56 spare
//! 512+64S  data[cap]: each message in one piece, starting at a multiple of 64
//! ```
//!
//! Lines that different parties read are 128 bytes apart, because processors fetch lines in pairs. `seq` is the
//! number of the message that a slot describes (0 while the slot is being rewritten). `pos` is the position counted
//! over the lane's whole life and never wraps; `off = pos % cap`. `S` is a power of two of at least `frames + 2`,
//! and `cap = (frames + 2) * A + chunk`, where `A` is the longest message rounded up to 64. The two spare frames
//! keep `frames` messages readable while one more is written and one is skipped at the end of the ring. `intent` is
//! raised `chunk` bytes ahead, so that its line stays shared with the readers for most messages.

/// Bytes in a cache line, and the alignment of every message.
pub const CACHE_LINE: u64 = 64;
/// Bytes in one slot.
pub const SLOT_BYTES: u64 = 64;
/// Bytes before the first slot.
pub const HEADER_BYTES: u64 = 512;
/// Most lanes that a channel can have.
pub const MAX_LANES: usize = 1024;
/// Longest message in bytes (1 TiB; a sanity bound that keeps all arithmetic far from overflow).
pub const MAX_MESSAGE: u64 = 1 << 40;
/// Most frames a lane can keep.
const MAX_FRAMES: u64 = 1 << 24;
/// A lane is a whole number of these, so that lanes can be mapped one by one.
const PAGE: u64 = 4096;

pub(crate) const HEAD: usize = 0;
pub(crate) const INTENT: usize = 128;
pub(crate) const BYTES: usize = 256;
pub(crate) const ABANDONED: usize = 264;
pub(crate) const WAKES: usize = 272;
pub(crate) const OWNER: usize = 384;

pub(crate) const SEQ: usize = 0;
pub(crate) const POS: usize = 8;
pub(crate) const TIMESTAMP: usize = 16;
pub(crate) const LEASE: usize = 24;
pub(crate) const LEN: usize = 32;
pub(crate) const OFF: usize = 40;
/// The low 48 bits of the length word are the length, the others flags.
pub(crate) const LEN_MASK: u64 = (1 << 48) - 1;

/// The least multiple of `to` (a power of two) that is not below `n`.
pub const fn round_up(n: u64, to: u64) -> u64 {
    (n + to - 1) & !(to - 1)
}

/// The layout of every lane of a channel. It follows from the number of frames and the longest message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneLayout {
    pub(crate) frames: u64,
    pub(crate) max_len: u64,
    slots: u64,
    pub(crate) cap: u64,
    pub(crate) chunk: u64,
}

impl LaneLayout {
    /// A lane that keeps the newest `frames` messages of up to `max_len` bytes each.
    ///
    /// `None` if either is 0 or above the limits (2^24 frames, 1 TiB per message, 64 TiB in total).
    pub fn new(frames: u64, max_len: u64) -> Option<LaneLayout> {
        if frames == 0 || frames > MAX_FRAMES || max_len == 0 || max_len > MAX_MESSAGE {
            return None;
        }
        let frame = round_up(max_len, CACHE_LINE);
        let least = (frames + 2).checked_mul(frame)?;
        // Small messages: raise `intent` only about every eighth time. Large ones: the cost of its line is
        // negligible.
        let ahead = if frame <= 1024 { 8 * frame } else { 0 };
        let slots = (frames + 2).next_power_of_two();
        let before = HEADER_BYTES + slots * SLOT_BYTES;
        let stride = round_up(before.checked_add(least)?.checked_add(ahead)?, PAGE);
        if stride > 1 << 46 {
            return None;
        }
        let cap = stride - before; // `chunk` gets the rest of the last page
        Some(LaneLayout { frames, max_len, slots, cap, chunk: cap - least })
    }

    /// A lane with any layout, for tests that must reach a wrap in few steps.
    ///
    /// `slots` a power of two above `frames`; `cap` and `chunk` multiples of 64.
    #[doc(hidden)]
    pub fn custom(frames: u64, max_len: u64, slots: u64, cap: u64, chunk: u64) -> LaneLayout {
        assert!(
            slots.is_power_of_two()
                && slots > frames
                && cap.is_multiple_of(64)
                && chunk.is_multiple_of(64)
                && cap >= max_len
        );
        LaneLayout { frames, max_len, slots, cap, chunk }
    }

    /// How many of a publisher's newest messages stay readable.
    pub fn frames(&self) -> u64 {
        self.frames
    }
    /// Longest message in bytes.
    pub fn max_len(&self) -> u64 {
        self.max_len
    }
    /// Bytes in the ring of messages.
    pub fn cap(&self) -> u64 {
        self.cap
    }
    /// How far `intent` is raised beyond the bytes needed.
    pub fn chunk(&self) -> u64 {
        self.chunk
    }
    /// Bytes from one lane to the next.
    pub fn stride(&self) -> u64 {
        HEADER_BYTES + self.slots * SLOT_BYTES + self.cap
    }
    /// Byte offset of the slot of message `seq`.
    #[inline(always)]
    pub(crate) fn slot(&self, seq: u64) -> usize {
        (HEADER_BYTES + (seq & (self.slots - 1)) * SLOT_BYTES) as usize
    }
    /// Byte offset of the ring of messages.
    #[inline(always)]
    pub(crate) fn data(&self) -> usize {
        (HEADER_BYTES + self.slots * SLOT_BYTES) as usize
    }
    /// The oldest message that readers may read when `head` is the last one published.
    #[inline(always)]
    pub fn oldest(&self, head: u64) -> u64 {
        head.saturating_sub(self.frames - 1).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_has_room_for_the_promise() {
        for frames in [1, 2, 3, 10, 16, 1000] {
            for max_len in [1, 63, 64, 65, 512, 1500, 4096, 1 << 20] {
                let l = LaneLayout::new(frames, max_len).unwrap();
                let frame = round_up(max_len, 64);
                assert!(l.cap() >= (frames + 2) * frame + l.chunk(), "{l:?}");
                assert!(
                    l.cap() >= 3 * frame,
                    "a reservation of the longest message must not hide all others"
                );
                assert!(
                    l.cap().is_multiple_of(64)
                        && l.chunk().is_multiple_of(64)
                        && l.stride().is_multiple_of(4096)
                );
                assert!(l.slots >= frames + 2 && l.slots.is_power_of_two());
            }
        }
    }

    #[test]
    fn shapes_without_sense_are_refused() {
        for (frames, max_len) in [(0, 1), (1, 0), (u64::MAX, 1), (1, u64::MAX), (MAX_FRAMES, MAX_MESSAGE)] {
            assert_eq!(LaneLayout::new(frames, max_len), None, "{frames} x {max_len}");
        }
    }
}
