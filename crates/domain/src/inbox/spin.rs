//! Whether to look again for a moment before going to sleep.
//!
//! To sleep and to be woken costs some microseconds, and most of them are the sender's, who must wake us. Where messages come
//! closer together than that, it pays to look for the next one instead. Whether they do, the last look tells: each one in
//! vain doubles the number of waits that go straight to sleep. So a sender that cannot run while we look, since it shares our
//! core, is hardly ever kept waiting, and messages at a leisurely rate cost no more than before.

/// How long to look, in ns: about what it costs to sleep and to be woken.
pub(super) const LOOK: u64 = 10_000;
/// The most waits that go straight to sleep between two looks.
const MOST: u32 = 4096;

/// What the looks so far have taught.
#[derive(Debug)]
pub(super) struct Spin {
    /// Waits that go straight to sleep from now on.
    skip: u32,
    /// How many the next look in vain costs.
    next: u32,
}

impl Spin {
    /// Nothing has been learned.
    pub fn new() -> Spin {
        Spin { skip: 1, next: 1 }
    }
    /// Whether this wait is to begin with a look.
    #[inline]
    pub fn is_due(&mut self) -> bool {
        let due = self.skip == 0;
        self.skip = self.skip.saturating_sub(1);
        due
    }
    /// The look has found something.
    pub fn found(&mut self) {
        self.next = 1;
    }
    /// The look was in vain.
    pub fn in_vain(&mut self) {
        self.skip = self.next;
        self.next = (self.next * 2).min(MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many waits begin with a look.
    fn looks(spin: &mut Spin, waits: usize, found: bool) -> usize {
        let mut looks = 0;
        for _ in 0..waits {
            if spin.is_due() {
                looks += 1;
                if found { spin.found() } else { spin.in_vain() }
            }
        }
        looks
    }

    #[test]
    fn looks_in_vain_become_rare_and_one_that_finds_something_brings_them_back() {
        let mut spin = Spin::new();
        assert!(looks(&mut spin, 100_000, false) < 50);
        while !spin.is_due() {}
        spin.found();
        assert_eq!(looks(&mut spin, 1_000, true), 1_000);
    }
}
