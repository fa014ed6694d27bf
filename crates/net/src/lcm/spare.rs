//! Memory of delivered messages, for reuse.

/// Most buffers kept.
const MOST: usize = 8;
/// Most bytes kept, beyond one buffer of any size.
const BYTES: usize = 16 << 20;
/// How long an unused large buffer is kept, in ns.
const AGE: u64 = 10_000_000_000;
/// Least size of a large buffer, in bytes.
const LARGE: usize = 1 << 20;

/// Empty buffers, the most recently used last.
#[derive(Default)]
pub(super) struct Spare {
    buffers: Vec<(Vec<u8>, u64)>,
}

impl Spare {
    /// A buffer for a message of `size` bytes: one that holds it and not much more, or the largest of the smaller
    /// ones, or a new one without memory. So a message never holds far more memory than it may need.
    pub fn take(&mut self, size: usize) -> Vec<u8> {
        let fitting = |(i, (buffer, _)): (usize, &(Vec<u8>, u64))| {
            let room = buffer.capacity();
            (room <= size.saturating_mul(2)).then_some((room.min(size), i))
        };
        match self.buffers.iter().enumerate().filter_map(fitting).max() {
            Some((_, at)) => self.buffers.swap_remove(at).0,
            None => Vec::new(),
        }
    }
    /// Keeps a buffer for later, and frees those that are too many or too old.
    pub fn give(&mut self, mut buffer: Vec<u8>, now_ns: u64) {
        if buffer.capacity() == 0 {
            return;
        }
        buffer.clear();
        self.buffers.push((buffer, now_ns));
        self.buffers.retain(|(b, at)| b.capacity() < LARGE || now_ns.saturating_sub(*at) < AGE);
        while self.buffers.len() > 1 && (self.buffers.len() > MOST || self.bytes() > BYTES) {
            let oldest = self.buffers.iter().enumerate().min_by_key(|(_, (_, at))| *at).map_or(0, |(i, _)| i);
            self.buffers.swap_remove(oldest);
        }
    }
    /// Bytes kept.
    pub fn bytes(&self) -> usize {
        self.buffers.iter().map(|(b, _)| b.capacity()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_fitting_buffer_is_used_again() {
        let mut spare = Spare::default();
        for size in [100, 1000, 10_000] {
            spare.give(Vec::with_capacity(size), 0);
        }
        assert_eq!(spare.take(900).capacity(), 1000);
        assert_eq!(spare.take(10), Vec::<u8>::new(), "none is so small");
        assert_eq!(spare.take(900).capacity(), 100);
        assert_eq!(spare.take(1 << 20).capacity(), 10_000);
        assert_eq!(spare.bytes(), 0);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut spare = Spare::default();
        for now in 0..100 {
            spare.give(Vec::with_capacity(20 << 20), now);
            assert!(spare.bytes() <= 21 << 20);
        }
        for now in 100..200 {
            spare.give(Vec::with_capacity(1000), now);
        }
        assert!(spare.buffers.len() <= MOST);
        spare.give(Vec::with_capacity(2 << 20), 200);
        spare.give(Vec::with_capacity(10), 200 + AGE);
        assert!(spare.bytes() < LARGE, "an unused large buffer is freed");
    }
}
