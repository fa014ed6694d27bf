//! The meters, which measure how late a periodic thread runs.
//!
//! A meter reads the clock and sleeps through [`Time`], so that a test can pass one with known delays.

use saltus_os::{clock, process};

/// A clock and the two ways to sleep on it.
pub trait Time {
    /// Monotonic time in ns.
    fn now(&mut self) -> u64;
    /// Blocks for at least this many nanoseconds.
    fn sleep_for(&mut self, ns: u64);
    /// Blocks at least until this time.
    fn sleep_until(&mut self, deadline: u64);
}

/// `CLOCK_MONOTONIC`.
pub struct Monotonic;

impl Time for Monotonic {
    fn now(&mut self) -> u64 {
        clock::monotonic()
    }
    fn sleep_for(&mut self, ns: u64) {
        process::sleep_for(ns);
    }
    fn sleep_until(&mut self, deadline: u64) {
        process::sleep_until(deadline);
    }
}

/// Methods of measuring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// jHiccup's method: sleeps for the resolution repeatedly. A hiccup is the difference to the shortest cycle so far.
    Sleep,
    /// cyclictest's method: sleeps until points in time that are the resolution apart. A hiccup is the delay of waking. Points that have
    /// passed in the meantime are skipped.
    Deadline,
    /// Reads the clock without pause. A hiccup is the longest time between two readings within the resolution, less the shortest so far.
    /// Uses a whole CPU.
    Spin,
}

impl Kind {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Sleep => "sleep",
            Kind::Deadline => "deadline",
            Kind::Spin => "spin",
        }
    }
}

/// One hiccup, possibly of 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The time of its end.
    pub at: u64,
    /// Its length.
    pub delay: u64,
}

/// A running meter.
pub struct Meter<T> {
    time: T,
    kind: Kind,
    resolution: u64,
    /// The last reading.
    last: u64,
    /// The shortest cycle so far.
    shortest: u64,
    /// The next point in time.
    due: u64,
}

impl<T: Time> Meter<T> {
    /// Starts, with one cycle that does not count. The resolution is in ns, at least 1.
    pub fn start(mut time: T, kind: Kind, resolution: u64) -> Meter<T> {
        let resolution = resolution.max(1);
        if kind != Kind::Spin {
            time.sleep_for(resolution);
        }
        let now = time.now();
        Meter { time, kind, resolution, last: now, shortest: u64::MAX, due: now + resolution }
    }

    /// The last reading of the clock.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Runs one cycle. Blocks, or spins, for at least the resolution.
    pub fn sample(&mut self) -> Sample {
        match self.kind {
            Kind::Sleep => {
                self.time.sleep_for(self.resolution);
                let turn = self.turn();
                self.beyond_shortest(self.last, turn)
            }
            Kind::Deadline => {
                let due = self.due;
                self.time.sleep_until(due);
                self.turn();
                self.next_due();
                Sample { at: self.last, delay: self.last.saturating_sub(due) }
            }
            Kind::Spin => {
                let (mut at, mut longest) = (self.last, 0);
                while self.last < self.due {
                    let gap = self.turn();
                    self.shortest = self.shortest.min(gap);
                    if gap >= longest {
                        (at, longest) = (self.last, gap);
                    }
                }
                self.next_due();
                self.beyond_shortest(at, longest)
            }
        }
    }

    /// The time since the last reading.
    fn turn(&mut self) -> u64 {
        let now = self.time.now();
        now.saturating_sub(std::mem::replace(&mut self.last, now))
    }

    fn beyond_shortest(&mut self, at: u64, turn: u64) -> Sample {
        self.shortest = self.shortest.min(turn);
        Sample { at, delay: turn - self.shortest }
    }

    /// The first point of the schedule that has not passed.
    fn next_due(&mut self) {
        let passed = self.last.saturating_sub(self.due) / self.resolution;
        self.due += (passed + 1) * self.resolution;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine with known delays, one for each sleep, or for each reading when spinning.
    struct Late<'a> {
        now: u64,
        delays: std::slice::Iter<'a, u64>,
        spun: bool,
    }

    impl Late<'_> {
        fn late(&mut self) -> u64 {
            *self.delays.next().expect("a delay for each")
        }
    }

    impl Time for Late<'_> {
        fn now(&mut self) -> u64 {
            if self.spun {
                self.now += 20 + self.late();
            }
            self.now
        }
        fn sleep_for(&mut self, ns: u64) {
            self.now += ns + self.late();
        }
        fn sleep_until(&mut self, deadline: u64) {
            self.now = self.now.max(deadline) + self.late();
        }
    }

    fn found(kind: Kind, delays: &[u64], turns: usize) -> Vec<u64> {
        let time = Late { now: 5_000, delays: delays.iter(), spun: kind == Kind::Spin };
        let mut meter = Meter::start(time, kind, 1_000);
        (0..turns).map(|_| meter.sample().delay).collect()
    }

    #[test]
    fn sleeping_finds_each_delay_beyond_the_shortest() {
        // The first cycle does not count. The constant part, the timer's slack, is not a hiccup.
        assert_eq!(found(Kind::Sleep, &[9_999, 60, 50, 57, 40_050], 4), [0, 0, 7, 40_000]);
    }

    #[test]
    fn a_deadline_finds_how_late_it_was_and_leaves_out_what_has_passed() {
        let delays = [3, 50, 0, 2_500, 0, 7];
        assert_eq!(found(Kind::Deadline, &delays, 5), [50, 0, 2_500, 0, 7]);
        let time = Late { now: 0, delays: delays.iter(), spun: false };
        let mut meter = Meter::start(time, Kind::Deadline, 1_000);
        let at: Vec<u64> = (0..5).map(|_| meter.sample().at - 1_003).collect();
        assert_eq!(at, [1_050, 2_000, 5_500, 6_000, 7_007], "the schedule does not drift");
    }

    #[test]
    fn spinning_finds_the_longest_gap_of_each_span() {
        let mut delays = vec![0; 151];
        delays[10] = 300;
        delays[30] = 100;
        delays[60] = 5_000;
        // 50 readings per span of 1000 ns; the first reading only starts.
        assert_eq!(found(Kind::Spin, &delays, 3), [300, 5_000, 0]);
    }

    #[test]
    fn the_real_clock_passes_at_least_the_resolution() {
        for kind in [Kind::Sleep, Kind::Deadline, Kind::Spin] {
            let mut meter = Meter::start(Monotonic, kind, 200_000);
            let start = meter.last();
            (0..5).for_each(|_| {
                meter.sample();
            });
            assert!(meter.last() - start >= 4 * 200_000, "{kind:?}");
        }
    }
}
