//! A schedule: the k-th event is due at start + k × period, however late the events before it were.

use std::time::{Duration, Instant};

use crate::stop;

/// The delay, in ns, beyond which due events are skipped and not sent in one burst.
const LATEST: Duration = Duration::from_millis(500);

/// Computes when the next event is due. Each time is computed from the start, so errors do not add up.
pub struct Pace {
    start: Instant,
    /// Nanoseconds between events; 0: no delay.
    period: f64,
    next: u64,
    skipped: u64,
}

impl Pace {
    /// Schedules this number of events per second from `start` on; 0: no delay.
    pub fn new(hz: f64, start: Instant) -> Pace {
        Pace { start, period: if hz == 0.0 { 0.0 } else { 1e9 / hz }, next: 0, skipped: 0 }
    }

    /// Sleeps until the next event is due; returns false when a stop was requested.
    pub fn wait(&mut self) -> bool {
        if self.period == 0.0 {
            return !stop::requested();
        }
        let due = self.due(Instant::now());
        stop::sleep_until(due)
    }

    /// The number of events skipped because they were too late.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// When the next event is due, as seen from now.
    fn due(&mut self, now: Instant) -> Instant {
        let behind = now.saturating_duration_since(self.time_of(self.next));
        if behind > LATEST {
            let missed = (behind.as_nanos() as f64 / self.period) as u64;
            self.next += missed;
            self.skipped += missed;
        }
        let due = self.time_of(self.next);
        self.next += 1;
        due
    }

    fn time_of(&self, event: u64) -> Instant {
        self.start + Duration::from_nanos((event as f64 * self.period) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedule_does_not_drift() {
        let start = Instant::now();
        let mut pace = Pace::new(3.0, start);
        let last = (0..=3_000_000).map(|_| pace.due(start)).last();
        assert_eq!(last, Some(start + Duration::from_secs(1_000_000)));
    }

    #[test]
    fn a_little_late_is_caught_up_and_very_late_is_skipped() {
        let start = Instant::now();
        let mut pace = Pace::new(100.0, start);
        let at = |ms| start + Duration::from_millis(ms);
        assert_eq!(pace.due(at(0)), at(0));
        assert_eq!(pace.due(at(300)), at(10), "what is a little late is still sent");
        assert_eq!(pace.due(at(300)), at(20));
        assert_eq!(pace.due(at(5_000)), at(5_000), "after a freeze it goes on with the present");
        assert_eq!(pace.skipped(), 497);
        assert_eq!(pace.due(at(5_000)), at(5_010));
    }
}
