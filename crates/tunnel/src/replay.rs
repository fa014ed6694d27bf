//! Replay protection: each datagram is accepted once, also when they arrive out of order.

/// Window of numbers below the highest that are distinguished.
const SEEN: u64 = 4096;
const WORDS: usize = (SEEN / 64) as usize;

/// The numbers seen recently. A number more than 4,096 below the highest counts as seen.
#[derive(Debug)]
pub(crate) struct Replay {
    /// The highest plus one.
    end: u64,
    seen: [u64; WORDS],
    /// How many different numbers were seen.
    count: u64,
}

impl Replay {
    pub fn new() -> Replay {
        Replay { end: 0, seen: [0; WORDS], count: 0 }
    }

    /// Whether the number is new. [`Replay::note`] records it, once the datagram is known to be genuine.
    pub fn is_new(&self, number: u64) -> bool {
        number >= self.end
            || (self.end - number <= SEEN && self.seen[Self::word(number)] & 1 << (number % 64) == 0)
    }

    /// Records a new number; returns whether it is the highest so far.
    pub fn note(&mut self, number: u64) -> bool {
        let highest = number >= self.end;
        if highest {
            // The bits in between are cleared: they belong to numbers of the previous round.
            if number - self.end >= SEEN {
                self.seen = [0; WORDS];
            } else {
                for skipped in self.end..number {
                    self.seen[Self::word(skipped)] &= !(1 << (skipped % 64));
                }
            }
            self.end = number.saturating_add(1);
        }
        self.seen[Self::word(number)] |= 1 << (number % 64);
        self.count += 1;
        highest
    }

    /// How many numbers there have been, and how many of them were seen.
    pub fn counts(&self) -> (u64, u64) {
        (self.end, self.count)
    }

    fn word(number: u64) -> usize {
        (number / 64) as usize % WORDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn each_number_is_new_once(steps in proptest::collection::vec((0..9000_u64, any::<bool>()), 1..400)) {
            let (mut replay, mut seen, mut highest, mut base) = (Replay::new(), HashSet::new(), None, 0);
            for (step, on) in steps {
                if on { base += step / 7; }
                let number = base + step % 5000;
                let far = highest.is_some_and(|h: u64| number + SEEN <= h);
                let new = !seen.contains(&number) && !far;
                prop_assert_eq!(replay.is_new(number), new, "{}", number);
                if new {
                    prop_assert_eq!(replay.note(number), highest.is_none_or(|h| number > h));
                    seen.insert(number);
                    highest = highest.max(Some(number));
                }
            }
            prop_assert_eq!(replay.counts(), (highest.map_or(0, |h| h + 1), seen.len() as u64));
        }
    }

    #[test]
    fn the_highest_number_of_all_harms_nothing() {
        let mut replay = Replay::new();
        assert!(replay.is_new(u64::MAX) && replay.note(u64::MAX));
        assert!(replay.is_new(u64::MAX - 1) && !replay.is_new(0));
    }
}
