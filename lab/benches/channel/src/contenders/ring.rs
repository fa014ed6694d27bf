//! The minimal seqlock ring, without waiting: one writer, any number of readers, the oldest is overwritten.
//!
//! It is the reference, so it is made as fast as we know how, and it does much less than a channel: sizes and
//! writers are fixed at creation, all processes have write access, a writer that dies leaves a slot locked, nothing
//! is checked. In particular a reader needs no head and no index: it waits on the line that precedes the data it
//! will copy, at an address known in advance, so that a message crosses to another core as one pair of neighboring
//! lines. There is no cheaper way to keep a history.

use crate::shared::Pages;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release, fence};

/// Bytes before the data of a slot: the sequence, alone in its line.
const BEFORE: usize = 64;

/// Several rings in shared pages, one for each writer.
pub struct Rings {
    pages: Pages,
    depth: u64,
    stride: usize,
}

impl Rings {
    /// Rings for `writers` writers, each of `depth` messages of `size` bytes.
    pub fn new(writers: usize, depth: usize, size: usize) -> std::io::Result<Rc<Rings>> {
        // A multiple of two lines, because processors fetch lines in pairs.
        let stride = (BEFORE + size).next_multiple_of(128);
        let pages = Pages::shared(writers * depth * stride)?;
        Ok(Rc::new(Rings { pages, depth: depth as u64, stride }))
    }

    fn slot(&self, ring: usize, number: u64) -> (&AtomicU64, *mut u8) {
        let index = ring * self.depth as usize + (number % self.depth) as usize;
        debug_assert!((index + 1) * self.stride <= self.pages.len());
        // SAFETY: inside the mapping (ring < writers, the index within depth), aligned to 64, and this word
        // is only ever accessed as an atomic.
        unsafe {
            let start = self.pages.start().add(index * self.stride);
            (&*start.cast::<AtomicU64>(), start.add(BEFORE))
        }
    }
}

/// The writer of one ring.
pub struct RingWriter {
    rings: Rc<Rings>,
    ring: usize,
    number: u64,
}

impl RingWriter {
    /// Takes ring `ring`, which must be fresh.
    pub fn new(rings: &Rc<Rings>, ring: usize) -> RingWriter {
        rings.pages.prefault();
        RingWriter { rings: rings.clone(), ring, number: 0 }
    }

    /// Publishes one message; never waits.
    #[inline]
    pub fn put(&mut self, message: &[u8]) {
        self.number += 1;
        let (seq, data) = self.rings.slot(self.ring, self.number);
        assert!(message.len() + BEFORE <= self.rings.stride);
        // Odd: being written. The release fence keeps the data after it; its partner is the acquire fence of the
        // reader.
        seq.store(2 * self.number - 1, Relaxed);
        fence(Release);
        // SAFETY: the slot has space for the message (asserted), and the two do not overlap. Readers copy at the
        // same time and discard the copy when the sequence has moved; the calls to memcpy are opaque to the
        // compiler on both sides, as in any seqlock in C.
        unsafe { libc::memcpy(data.cast(), message.as_ptr().cast(), message.len()) };
        // Even: whole. Pairs with the acquire load of the reader.
        seq.store(2 * self.number, Release);
    }
}

/// A reader of all rings.
pub struct RingReader {
    rings: Rc<Rings>,
    /// The next message number for each ring.
    next: Vec<u64>,
}

impl RingReader {
    /// Starts at the first message of every ring.
    pub fn new(rings: &Rc<Rings>, writers: usize) -> RingReader {
        rings.pages.prefault();
        RingReader { rings: rings.clone(), next: vec![1; writers] }
    }

    /// Takes the next message of any ring, if there is one.
    #[inline]
    pub fn get(&mut self, buffer: &mut [u8]) -> bool {
        (0..self.next.len()).any(|ring| self.get_from(ring, buffer))
    }

    #[inline]
    fn get_from(&mut self, ring: usize, buffer: &mut [u8]) -> bool {
        assert!(buffer.len() + BEFORE <= self.rings.stride);
        loop {
            let wanted = self.next[ring];
            let (seq, data) = self.rings.slot(ring, wanted);
            // Acquire: pairs with the writer's release store of the even number.
            let before = seq.load(Acquire);
            if before < 2 * wanted {
                return false;
            }
            if before == 2 * wanted {
                // SAFETY: the slot is as long as asserted; a copy that raced is thrown away below.
                unsafe { libc::memcpy(buffer.as_mut_ptr().cast(), data.cast(), buffer.len()) };
                // Acquire: pairs with the writer's release fence; a reader that copied a newer byte sees its odd
                // number.
                fence(Acquire);
                if seq.load(Relaxed) == before {
                    self.next[ring] = wanted + 1;
                    return true;
                }
            }
            // Lapped: continue at half of the history, since the oldest would be overwritten immediately.
            let newest = seq.load(Relaxed).div_ceil(2);
            self.next[ring] = (newest.saturating_sub(self.rings.depth / 2)).max(wanted + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_gets_everything_in_order_until_it_is_lapped() {
        let rings = Rings::new(1, 8, 64).expect("memory");
        let (mut writer, mut reader) = (RingWriter::new(&rings, 0), RingReader::new(&rings, 1));
        let mut buffer = [0; 64];
        assert!(!reader.get(&mut buffer));
        for n in 1..=8 {
            writer.put(&[n; 64]);
        }
        for n in 1..=8 {
            assert!(reader.get(&mut buffer));
            assert_eq!(buffer, [n; 64]);
        }
        assert!(!reader.get(&mut buffer));
        for n in 9..=29 {
            writer.put(&[n; 64]);
        }
        assert!(reader.get(&mut buffer), "lapped, it continues with the remaining messages");
        assert!(buffer[0] > 21 && buffer[0] < 29, "{}", buffer[0]);
        let mut last = buffer[0];
        while reader.get(&mut buffer) {
            assert_eq!(buffer[0], last + 1);
            last = buffer[0];
        }
        assert_eq!(last, 29);
    }

    #[test]
    fn rings_of_several_writers_do_not_touch() {
        let rings = Rings::new(2, 4, 64).expect("memory");
        let mut reader = RingReader::new(&rings, 2);
        for (ring, fill) in [(0, 10), (1, 20)] {
            let mut writer = RingWriter::new(&rings, ring);
            (0..4).for_each(|n| writer.put(&[fill + n; 64]));
        }
        let mut seen = Vec::new();
        let mut buffer = [0; 64];
        while reader.get(&mut buffer) {
            seen.push(buffer[0]);
        }
        assert_eq!(seen, [10, 11, 12, 13, 20, 21, 22, 23]);
    }
}
