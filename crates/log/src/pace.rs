//! When the events of a log are due in playback.

/// Converts the times of a log to those of a clock. It reads no clock: its times are nanoseconds that advance
/// evenly.
///
/// ```
/// # use saltus_log::Pace;
/// let mut pace = Pace::new(2.0);
/// assert_eq!(pace.due(1_000_000, 500), 500); // the first event is due when it is asked for
/// assert_eq!(pace.due(1_000_004, 9999), 2500); // 4 µs later in the log
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    speed: f64,
    /// The time of the last event in the log, µs, and when it was due.
    last: Option<(i64, u64)>,
}

impl Pace {
    /// Plays `speed` times as fast as recorded; without waiting if `speed` is 0 or less, or not a number.
    pub fn new(speed: f64) -> Pace {
        Pace { speed, last: None }
    }
    /// Whether events are delayed at all.
    pub fn is_paced(&self) -> bool {
        self.speed > 0.0
    }
    /// When the next event is due, which has this `time`, µs; `now` counts for the first. The intervals between
    /// events are those of the log. A time that goes back, as in merged logs, causes no delay; playback then
    /// continues from it.
    pub fn due(&mut self, time: i64, now: u64) -> u64 {
        let due = match self.last {
            Some((last, due)) if self.is_paced() => {
                let later = time.saturating_sub(last).max(0) as f64 * 1000.0 / self.speed;
                due.saturating_add(later as u64) // saturates
            }
            _ => now,
        };
        self.last = Some((time, due));
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_as_far_apart_as_they_were() {
        for (speed, expected) in [(1.0, 3_000), (0.5, 6_000), (10.0, 300)] {
            let mut pace = Pace::new(speed);
            assert_eq!((pace.due(77, 5000), pace.due(80, 123_456)), (5000, 5000 + expected));
        }
    }

    #[test]
    fn time_that_goes_back_passes_at_once_and_then_goes_on() {
        let mut pace = Pace::new(1.0);
        let due: Vec<u64> = [100, 101, 1, 2, 4].into_iter().map(|time| pace.due(time, 0)).collect();
        assert_eq!(due, [0, 1000, 1000, 2000, 4000]);
    }

    #[test]
    fn without_a_speed_all_is_due_when_it_is_asked_for() {
        for speed in [0.0, -1.0, f64::NAN] {
            let mut pace = Pace::new(speed);
            assert!(!pace.is_paced());
            assert_eq!((pace.due(1, 10), pace.due(1_000_000, 20), pace.due(0, 30)), (10, 20, 30));
        }
    }

    #[test]
    fn times_that_cannot_be_are_late_and_nothing_worse() {
        let mut pace = Pace::new(1e-9);
        pace.due(i64::MIN, 1);
        assert_eq!(pace.due(i64::MAX, 1), u64::MAX);
        assert_eq!(pace.due(i64::MIN, 1), u64::MAX);
    }
}
