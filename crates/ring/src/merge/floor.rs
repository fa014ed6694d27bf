//! The newest message ever delivered, below which newest never goes back, and the present time.

use super::choice::Key;
use crate::lanes::Lanes;

/// The newest key ever delivered, and a clock that bounds timestamps.
#[derive(Debug, Default)]
pub(super) struct Floor {
    /// Only rises, except for its timestamp, which is never beyond `now`. A `seq` of 0: nothing was delivered.
    newest: Key,
    /// A recent reading of the channel's clock; 0 while only one lane was in use.
    now: u64,
}

impl Floor {
    /// A timestamp from the future counts as "now". The clock is read only where lanes are compared, and after the
    /// timestamp was read. So an honest timestamp is never reduced, and causes stay before effects.
    #[inline(always)]
    pub fn clamp<L: Lanes>(&mut self, lanes: &L, used: usize, timestamp: u64) -> u64 {
        if used > 1 && timestamp > self.now {
            self.now = lanes.now();
            self.newest.timestamp = self.newest.timestamp.min(self.now);
        }
        if used > 1 { timestamp.min(self.now) } else { timestamp }
    }

    /// Whether `key` is older than a message already delivered.
    #[inline(always)]
    pub fn is_above(&self, key: &Key) -> bool {
        key.older_than(&self.newest)
    }

    /// Records that `key` is delivered.
    #[inline(always)]
    pub fn raise(&mut self, key: Key) {
        if self.newest.older_than(&key) || self.newest.seq == 0 {
            self.newest = key;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Heap, LaneLayout};
    use core::cell::Cell;

    /// A channel with a clock and no lanes.
    struct Clock(Cell<u64>, LaneLayout);

    impl Lanes for Clock {
        type Mem = Heap;
        fn used(&self) -> usize {
            2
        }
        fn lane(&self, _: usize) -> Option<&Heap> {
            None
        }
        fn layout(&self) -> &LaneLayout {
            &self.1
        }
        fn now(&self) -> u64 {
            self.0.get()
        }
    }

    fn clock(now: u64) -> Clock {
        Clock(Cell::new(now), LaneLayout::new(1, 1).unwrap())
    }
    fn key(timestamp: u64, lane: usize, seq: u64) -> Key {
        Key { timestamp, lane, seq }
    }

    #[test]
    fn it_rises_and_stays() {
        let mut floor = Floor::default();
        floor.raise(key(0, 0, 1));
        floor.raise(key(7, 1, 1));
        floor.raise(key(5, 0, 2));
        assert!(floor.is_above(&key(6, 0, 3)) && !floor.is_above(&key(7, 0, 3)));
        assert!(!floor.is_above(&key(5, 1, 2)), "within a lane the number counts");
    }

    #[test]
    fn a_stamp_from_the_future_gains_nothing_among_several_lanes() {
        let (mut floor, clock) = (Floor::default(), clock(100));
        assert_eq!(floor.clamp(&clock, 2, 90), 90);
        assert_eq!(floor.clamp(&clock, 2, u64::MAX), 100);
        assert_eq!(floor.clamp(&clock, 1, u64::MAX), u64::MAX, "one lane has nobody to compare with");
        floor.raise(key(u64::MAX, 0, 1));
        clock.0.set(110);
        assert_eq!(floor.clamp(&clock, 2, 105), 105, "the clock is asked again");
        assert!(
            !floor.is_above(&key(110, 1, 1)),
            "what a lone liar raised it to does not outlast the next reading"
        );
    }
}
