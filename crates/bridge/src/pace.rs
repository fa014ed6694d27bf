//! The rate limit of a channel, which keeps only the newest message. It reads no clock.

/// A message held by the rate limit.
#[derive(Debug, Default)]
struct Held {
    bytes: Vec<u8>,
    is_held: bool,
}

/// Decides for one channel whether a message is carried now, or when. Of messages that are too early, the newest is
/// kept.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    /// Least time between two messages in ns; 0: none.
    period: u64,
    /// When the next one may be carried.
    free: u64,
    held: Held,
    /// How many were dropped for newer ones.
    pub passed: u64,
}

impl Pace {
    pub fn new(period: u64) -> Pace {
        Pace { period, ..Pace::default() }
    }

    /// Whether a message that arrived at `now` is carried now. If not, it is held, and replaces the one held
    /// before.
    pub fn admit(&mut self, now: u64, bytes: &[u8]) -> bool {
        if now >= self.free {
            self.passed += u64::from(std::mem::take(&mut self.held.is_held));
            self.went(now);
            return true;
        }
        self.passed += u64::from(self.held.is_held);
        self.held.bytes.clear();
        self.held.bytes.extend_from_slice(bytes);
        self.held.is_held = true;
        false
    }

    /// When the held message is due.
    pub fn due(&self) -> Option<u64> {
        self.held.is_held.then_some(self.free)
    }

    /// The held message, if it is due.
    pub fn take(&mut self, now: u64) -> Option<&[u8]> {
        if !self.held.is_held || now < self.free {
            return None;
        }
        self.held.is_held = false;
        self.went(now);
        Some(&self.held.bytes)
    }

    /// Advances the schedule, unless it has fallen behind.
    fn went(&mut self, now: u64) {
        let due = self.free.saturating_add(self.period);
        self.free = if due > now { due } else { now.saturating_add(self.period) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_of_those_that_came_too_early_goes_when_it_is_time() {
        let mut pace = Pace::new(100);
        assert!(pace.admit(1000, b"a"));
        assert!(!pace.admit(1010, b"b"));
        assert!(!pace.admit(1020, b"c"));
        assert_eq!((pace.due(), pace.passed), (Some(1100), 1));
        assert_eq!(pace.take(1099), None);
        assert_eq!(pace.take(1100), Some(&b"c"[..]));
        assert_eq!((pace.due(), pace.take(1300)), (None, None));
        assert!(!pace.admit(1150, b"d"));
        assert!(pace.admit(1250, b"e"), "what is newer than the one held goes in its place");
        assert_eq!((pace.due(), pace.passed), (None, 2));
    }

    #[test]
    fn a_schedule_does_not_drift_and_makes_no_burst_after_silence() {
        let mut pace = Pace::new(100);
        let went = (0..100).filter(|i| pace.admit(1000 + i * 30, b"x") || pace.take(1000 + i * 30).is_some());
        assert_eq!(went.count(), 30);
        assert!(pace.admit(1_000_000, b"x") && !pace.admit(1_000_001, b"x"));
    }

    #[test]
    fn without_a_limit_all_go() {
        let mut pace = Pace::new(0);
        assert!((0..100).all(|_| pace.admit(5, b"x")));
    }
}
