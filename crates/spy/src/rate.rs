//! Rate and bandwidth of one sender, from its counts and the timestamps of its messages.

use std::collections::VecDeque;

/// Marks per window. More would smooth the rate, and use more memory.
const MARKS: u64 = 16;
/// A message is overdue after 1.5 periods plus this time, in ns, because receivers and readings may be late.
const GRACE: f64 = 5e8;

/// The counts of a sender at one time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    /// Time of the reading, boot time in ns.
    pub seen: u64,
    /// Time of publication of the newest message until then, if known.
    pub published: Option<u64>,
    /// Messages until then.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// The rate of one sender over the last seconds.
///
/// The rate is the number of messages between two marks, divided by the time between the newest message of each. These are whole periods,
/// so the time of reading does not matter. Timestamps come from the sender and may be wrong; they are used only if they agree with the
/// counts and the local clock.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    marks: VecDeque<Mark>,
    /// Length of the window in ns.
    length: u64,
}

/// Messages and bytes per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rate {
    pub hz: f64,
    pub bytes_per_s: f64,
}

impl Track {
    pub fn new(length: u64) -> Track {
        Track { marks: VecDeque::new(), length: length.max(MARKS) }
    }

    /// Total messages, if any.
    pub fn count(&self) -> u64 {
        self.newest().map_or(0, |mark| mark.count)
    }
    pub fn bytes(&self) -> u64 {
        self.newest().map_or(0, |mark| mark.bytes)
    }
    fn newest(&self) -> Option<&Mark> {
        self.marks.back()
    }

    /// Adds a reading. Ignores it if nothing was published since the last one.
    pub fn mark(&mut self, mark: Mark) {
        match self.newest() {
            Some(newest) if newest.count == mark.count => return,
            // The count restarted: another sender, or a new channel of the same name.
            Some(newest) if newest.count > mark.count => self.marks.clear(),
            _ => {}
        }
        let apart = self.length / MARKS;
        let before = self.marks.len().checked_sub(2).map(|at| self.marks[at].seen);
        if before.is_some_and(|before| mark.seen.saturating_sub(before) < apart) {
            self.marks.pop_back();
        } else if self.marks.len() > MARKS as usize + 1 {
            self.marks.pop_front();
        }
        self.marks.push_back(mark);
    }

    /// The first and the newest mark of the window; two different ones if there are two.
    fn ends(&self) -> Option<(&Mark, &Mark)> {
        let newest = self.newest()?;
        let from = newest.seen.saturating_sub(self.length);
        let before = self.marks.len().checked_sub(2)?;
        let first = self.marks.iter().take(before + 1).find(|mark| mark.seen >= from);
        Some((first.unwrap_or(&self.marks[before]), newest))
    }

    /// The current rate.
    pub fn rate(&self, now: u64) -> Rate {
        let Some((first, newest)) = self.ends() else { return Rate::default() };
        let count = newest.count.saturating_sub(first.count) as f64;
        let seen = newest.seen.saturating_sub(first.seen) as f64;
        let published =
            newest.published.zip(first.published).map(|(to, from)| to.saturating_sub(from) as f64);
        // The number of periods that began between the two readings: one fewer than messages, or one more.
        let (least, most) =
            (count * seen / (count + 1.0), count * seen / (count - 1.0).max(f64::MIN_POSITIVE));
        let time = published.unwrap_or(seen).clamp(least, most.max(least));
        // A burst of a few messages is not a rate.
        let time = time.max((self.length / MARKS) as f64);
        let period = time / count.max(1.0);
        let silent = now.saturating_sub(newest.seen) as f64 - 1.5 * period - GRACE;
        if silent > self.length as f64 {
            return Rate::default();
        }
        let seconds = (time + silent.max(0.0)) / 1e9;
        let bytes = newest.bytes.saturating_sub(first.bytes) as f64;
        Rate { hz: count / seconds, bytes_per_s: bytes / seconds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;
    const WINDOW: u64 = 2 * SECOND;

    /// Reproducible pseudorandom numbers from 0 to 1.
    fn noise(n: u64) -> f64 {
        let mut x = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x ^= x >> 29;
        (x.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Reads a publisher of exactly `hz`, about every 250 ms, and returns the rates after each reading and just before the next.
    fn looked(hz: f64, stamped: impl Fn(u64) -> Option<u64>) -> Vec<Rate> {
        let (mut track, mut now, mut rates) = (Track::new(WINDOW), 5 * SECOND, Vec::new());
        for look in 0..120 {
            let published = (now as f64 / 1e9 * hz) as u64;
            let at = (published as f64 / hz * 1e9) as u64;
            track.mark(Mark { seen: now, published: stamped(at), count: published, bytes: published * 50 });
            let next = now + 180_000_000 + (noise(look) * 140e6) as u64;
            if now > 8 * SECOND {
                rates.extend([track.rate(now), track.rate(next)]);
            }
            now = next;
        }
        rates
    }

    #[test]
    fn a_rate_is_right_to_one_percent_however_unevenly_it_is_looked_at() {
        for hz in [1.0, 7.3, 50.0, 1000.0] {
            let rates = looked(hz, Some);
            assert!(rates.len() > 100);
            for rate in rates {
                assert!((rate.hz / hz - 1.0).abs() < 0.01, "{hz} Hz: {rate:?}");
                assert!((rate.bytes_per_s / rate.hz - 50.0).abs() < 1e-6, "{rate:?}");
            }
        }
    }

    #[test]
    fn timestamps_that_are_wrong_change_a_rate_by_no_more_than_one_message() {
        // No timestamps; constant ones; ten times too fast, as in a log that is played; decreasing ones.
        let wrong: [fn(u64) -> Option<u64>; 4] =
            [|_| None, |_| Some(7), |at| Some(at * 10), |at| Some(u64::MAX - at)];
        for timestamps in wrong {
            for rate in looked(1000.0, timestamps) {
                assert!((rate.hz / 1000.0 - 1.0).abs() < 0.002, "{rate:?}");
            }
            for rate in looked(50.0, timestamps) {
                assert!((rate.hz / 50.0 - 1.0).abs() < 0.03, "{rate:?}");
            }
        }
    }

    #[test]
    fn two_bytes_counts_that_begin_again_are_no_jump() {
        let mut track = Track::new(WINDOW);
        for i in 0..10 {
            track.mark(Mark { seen: i * SECOND / 4, published: None, count: 1_000_000 + i * 25, bytes: 0 });
        }
        for i in 10..20 {
            track.mark(Mark { seen: i * SECOND / 4, published: None, count: i * 25, bytes: 0 });
            let hz = track.rate(i * SECOND / 4).hz;
            assert!(i == 10 && hz == 0.0 || (hz - 100.0).abs() < 1e-6, "{hz}");
        }
    }

    #[test]
    fn a_rate_falls_to_zero_in_silence_and_then_follows_new_messages() {
        let mut track = Track::new(WINDOW);
        let mark = |at: u64, count| Mark { seen: at, published: Some(at), count, bytes: 0 };
        (0..400).for_each(|i| track.mark(mark(i * SECOND / 100, i)));
        let end = 399 * SECOND / 100;
        let rates = [0, 1, 2, 3].map(|s| track.rate(end + s * SECOND).hz);
        assert!((rates[0] - 100.0).abs() < 0.01 && rates[1] < rates[0] && rates[2] < rates[1], "{rates:?}");
        assert_eq!(rates[3], 0.0);
        for i in 0..40 {
            let at = end + 100 * SECOND + i * SECOND / 20;
            track.mark(mark(at, 400 + i));
            assert!(i < 3 || (track.rate(at).hz - 20.0).abs() < 0.2, "{i}: {:?}", track.rate(at));
        }
    }

    #[test]
    fn one_message_has_no_rate_and_a_burst_is_not_measured_by_its_own_length() {
        let mut track = Track::new(WINDOW);
        track.mark(Mark { seen: SECOND, published: None, count: 1, bytes: 9 });
        assert_eq!(track.rate(SECOND), Rate::default());
        track.mark(Mark { seen: SECOND + 1000, published: None, count: 5, bytes: 45 });
        assert!(track.rate(SECOND + 1000).hz < 50.0, "{:?}", track.rate(SECOND + 1000));
        assert!(track.marks.len() <= MARKS as usize + 2);
    }
}
