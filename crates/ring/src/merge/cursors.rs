//! The last message counted in each lane.

/// A subscriber's position in all lanes.
#[derive(Debug)]
pub(super) struct Cursors {
    /// The last message counted as received or missed, by lane; 0: none. Only [`Cursors::rewind`] moves it back.
    /// Its capacity is the channel's maximum number of lanes, so that a new lane allocates nothing.
    last: Vec<u64>,
    /// What the latest choice observed, by lane; as long as `last`. After a choice of the newest: the head that it
    /// accepted, or `last`, and never below it. After a choice of the next: 0 for a lane that had nothing unseen.
    observed: Vec<u64>,
}

impl Cursors {
    /// Without lanes yet, with capacity for `most`.
    pub fn new(most: usize) -> Cursors {
        Cursors { last: Vec::with_capacity(most), observed: Vec::with_capacity(most) }
    }
    /// Adds a lane that is counted up to `last`.
    pub fn push(&mut self, last: u64) {
        self.last.push(last); // within the capacity reserved by `new`
        self.observed.push(0);
    }

    /// The number of known lanes.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.last.len()
    }
    /// The last message counted in lane `i`, which may be unknown yet.
    #[inline(always)]
    pub fn get(&self, i: usize) -> u64 {
        self.last.get(i).copied().unwrap_or(0)
    }
    /// The last message counted in lane `i < len()`.
    #[inline(always)]
    pub fn at(&self, i: usize) -> u64 {
        self.last[i]
    }

    /// Records what a choice observed in lane `i`.
    #[inline(always)]
    pub fn observe(&mut self, i: usize, what: u64) {
        self.observed[i] = what;
    }
    /// What the latest choice observed in lane `i`.
    #[inline(always)]
    pub fn observed(&self, i: usize) -> u64 {
        self.observed[i]
    }

    /// Advances lane `i` to `seq`, if that is further. Returns the number of messages passed.
    #[inline(always)]
    pub fn pass(&mut self, i: usize, seq: u64) -> u64 {
        let last = &mut self.last[i];
        let passed = seq.saturating_sub(*last);
        *last += passed;
        passed
    }

    /// Advances the first `used` lanes to what was observed. Returns the number of messages passed.
    #[inline(always)]
    pub fn advance(&mut self, used: usize) -> u64 {
        let mut passed = 0;
        for (last, &seen) in self.last[..used].iter_mut().zip(&self.observed) {
            passed = u64::saturating_add(passed, seen.saturating_sub(*last)); // a hostile head can have any value
            *last = seen.max(*last);
        }
        passed
    }

    /// Moves lane `i` back to `seq`, if that is further back. Returns the number of messages to count again.
    pub fn rewind(&mut self, i: usize, seq: u64) -> u64 {
        let back = self.last[i].saturating_sub(seq);
        self.last[i] -= back;
        back
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursors(last: &[u64]) -> Cursors {
        let mut cursors = Cursors::new(last.len());
        last.iter().for_each(|last| cursors.push(*last));
        cursors
    }

    #[test]
    fn a_cursor_goes_on_by_passing_and_back_by_rewinding_only() {
        let mut cursors = cursors(&[5, 7]);
        assert_eq!((cursors.pass(0, 8), cursors.pass(0, 6), cursors.at(0)), (3, 0, 8));
        assert_eq!((cursors.rewind(1, 9), cursors.rewind(1, 2), cursors.at(1)), (0, 5, 2));
        assert_eq!((cursors.len(), cursors.get(2)), (2, 0), "a lane that is not known yet");
    }

    #[test]
    fn advancing_passes_what_was_observed_and_never_goes_back() {
        let mut cursors = cursors(&[5, 7, 1]);
        for (i, head) in [(0, 9), (1, 6), (2, u64::MAX)] {
            cursors.observe(i, head);
        }
        assert_eq!(cursors.advance(2), 4);
        assert_eq!([cursors.at(0), cursors.at(1), cursors.at(2)], [9, 7, 1], "lanes beyond `used` stay");
        assert_eq!(cursors.advance(3), u64::MAX - 1);
        cursors.rewind(0, 0);
        assert_eq!(cursors.pass(1, u64::MAX), u64::MAX - 7);
        assert_eq!(cursors.advance(3), 9, "observed again");
    }
}
