//! Whether to busy-wait briefly before blocking.
//!
//! To block and be woken costs some microseconds, mostly the sender's, which must wake us. Where messages arrive
//! closer together than that, it is cheaper to busy-wait for the next one. The last attempts decide: each failed
//! one doubles the number of waits that block immediately. So a sender that cannot run while we busy-wait, since it
//! shares our core, is hardly ever delayed, and messages at a low rate cost no more than before.

/// Longest busy-wait, in ns: about the cost of blocking and being woken.
pub(super) const CHECK_INTERVAL: u64 = 10_000;
/// Most waits that block immediately between two busy-waits.
const MOST: u32 = 4096;

/// The results of busy-waiting so far.
#[derive(Debug)]
pub(super) struct Spin {
    /// Number of further waits that block immediately.
    skip: u32,
    /// The number of waits that the next failure will add.
    next: u32,
}

impl Spin {
    /// Without results so far.
    pub fn new() -> Spin {
        Spin { skip: 1, next: 1 }
    }
    /// Whether to begin this wait by busy-waiting.
    #[inline]
    pub fn is_due(&mut self) -> bool {
        let due = self.skip == 0;
        self.skip = self.skip.saturating_sub(1);
        due
    }
    /// Busy-waiting found a message.
    pub fn found(&mut self) {
        self.next = 1;
    }
    /// Busy-waiting found nothing.
    pub fn in_vain(&mut self) {
        self.skip = self.next;
        self.next = (self.next * 2).min(MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of `waits` waits begin by busy-waiting.
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
