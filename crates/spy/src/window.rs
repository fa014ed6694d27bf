//! Periods over the last seconds, in a fixed number of slots.

/// Slots per window. More would be smoother, and take longer to sum.
const SLOTS: usize = 16;

/// Count, mean and sum of squared deviations of times in ns. Two of them can be merged.
#[derive(Clone, Copy, Debug, Default)]
struct Spread {
    n: f64,
    mean: f64,
    squares: f64,
}

impl Spread {
    fn add(&mut self, value: f64) {
        self.n += 1.0;
        let before = value - self.mean;
        self.mean += before / self.n;
        self.squares += before * (value - self.mean);
    }
    fn with(self, other: Spread) -> Spread {
        let n = self.n + other.n;
        if n == 0.0 {
            return self;
        }
        let apart = other.mean - self.mean;
        Spread {
            n,
            mean: self.mean + apart * other.n / n,
            squares: self.squares + other.squares + apart * apart * self.n * other.n / n,
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// Its start.
    start: u64,
    periods: Spread,
}

/// The periods of a channel over the last seconds.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    slots: [Slot; SLOTS],
    /// Number of slots in use.
    used: usize,
    now: usize,
    /// Length of a slot in ns.
    width: u64,
}

/// Times between messages in a window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sums {
    pub period_ns: Option<f64>,
    pub jitter_ns: Option<f64>,
}

impl Window {
    pub fn new(now: u64, length: u64) -> Window {
        let mut slots = [Slot::default(); SLOTS];
        slots[0].start = now;
        Window { slots, used: 1, now: 0, width: (length / SLOTS as u64).max(1) }
    }

    /// Advances to the current slot.
    pub fn tick(&mut self, now: u64) {
        let late = now.saturating_sub(self.slots[self.now].start) / self.width;
        for _ in 0..late.min(SLOTS as u64) {
            let start = self.slots[self.now].start + self.width;
            self.now = (self.now + 1) % SLOTS;
            self.used = (self.used + 1).min(SLOTS);
            self.slots[self.now] = Slot { start, ..Slot::default() };
        }
        if late > SLOTS as u64 {
            self.slots[self.now].start = now;
            self.used = 1;
        }
    }

    pub fn period(&mut self, ns: u64) {
        self.slots[self.now].periods.add(ns as f64);
    }

    /// The statistics of the window.
    pub fn sums(&self) -> Sums {
        let used = (0..self.used).map(|i| &self.slots[(self.now + SLOTS - i) % SLOTS]);
        let periods = used.fold(Spread::default(), |periods, slot| periods.with(slot.periods));
        Sums {
            period_ns: (periods.n > 0.0).then_some(periods.mean),
            jitter_ns: (periods.n > 1.0).then(|| (periods.squares / periods.n).max(0.0).sqrt()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn a_steady_channel_has_its_period_and_no_jitter() {
        let mut window = Window::new(0, 2 * SECOND);
        for i in 1..=1000u64 {
            let now = i * SECOND / 100;
            window.tick(now);
            window.period(SECOND / 100);
        }
        let sums = window.sums();
        assert_eq!(sums.period_ns, Some(1e7));
        assert!(sums.jitter_ns.unwrap() < 1.0);
    }

    #[test]
    fn jitter_is_the_standard_deviation_over_all_slots() {
        let mut window = Window::new(0, 2 * SECOND);
        let mut now = 0;
        for i in 0..400u64 {
            let period = if i % 2 == 0 { 4_000_000 } else { 6_000_000 };
            now += period;
            window.tick(now);
            window.period(period);
        }
        let sums = window.sums();
        assert!((sums.period_ns.unwrap() - 5e6).abs() < 5e4, "{sums:?}");
        assert!((sums.jitter_ns.unwrap() - 1e6).abs() < 1e4, "{sums:?}");
    }

    #[test]
    fn silence_empties_it() {
        let mut window = Window::new(0, 2 * SECOND);
        window.period(1000);
        window.tick(100 * SECOND);
        assert_eq!(window.sums().period_ns, None);
    }
}
