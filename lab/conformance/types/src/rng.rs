//! Random numbers that are the same for the same seed.

pub use saltus_types::arbitrary::Rng;

/// Random choices for tests.
pub trait Choose {
    /// A number from `from` to `to`, both included.
    fn between(&mut self, from: usize, to: usize) -> usize;
    /// True `percent` times out of a hundred.
    fn percent(&mut self, percent: usize) -> bool;
}

impl Choose for Rng {
    fn between(&mut self, from: usize, to: usize) -> usize {
        from + self.below(to - from + 1)
    }
    fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}
