//! When message k is due. The schedule decides, never the answer to the message before: a receiver or a sender that
//! falls behind is charged for it, which coordinated omission would hide.

/// Due times `start + k * period`.
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    start: u64,
    period: u64,
}

impl Schedule {
    /// A schedule; times are nanoseconds of one clock.
    pub fn new(start: u64, period: u64) -> Schedule {
        Schedule { start, period }
    }

    /// When message `k` (from 0) is due.
    pub fn due(&self, k: u64) -> u64 {
        self.start + k * self.period
    }

    /// How many messages are due strictly before `end`.
    pub fn count_before(&self, end: u64) -> u64 {
        end.saturating_sub(self.start).div_ceil(self.period)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn due_times_do_not_drift_and_do_not_depend_on_when_the_last_was_sent() {
        let s = Schedule::new(5_000, 1_000_000);
        assert_eq!(s.due(0), 5_000);
        assert_eq!(s.due(86_400_000), 5_000 + 86_400_000 * 1_000_000);
    }

    #[test]
    fn counts_the_messages_of_a_window() {
        let s = Schedule::new(100, 10);
        assert_eq!(s.count_before(100), 0);
        assert_eq!(s.count_before(101), 1);
        assert_eq!(s.count_before(110), 1);
        assert_eq!(s.count_before(111), 2);
        assert_eq!(s.count_before(0), 0);
    }
}
