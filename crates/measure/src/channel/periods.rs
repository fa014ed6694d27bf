//! Times between messages of a publisher.

use serde::Serialize;

/// Nanoseconds between consecutive messages of one publisher. The JSON fields are a stable interface.
#[derive(Serialize, Clone, Copy, Debug, PartialEq)]
pub struct Period {
    /// The mean.
    pub mean: f64,
    /// The shortest.
    pub min: f64,
    /// The longest.
    pub max: f64,
    /// Standard deviation.
    pub jitter: f64,
}

/// Running statistics of the periods in one interval: number, mean, spread and extremes.
#[derive(Clone, Copy, Default)]
pub struct Periods {
    count: u64,
    mean: f64,
    /// Sum of squared distances from the mean (Welford's method, which does not cancel out).
    squares: f64,
    min: f64,
    max: f64,
}

impl Periods {
    /// Adds the nanoseconds between two consecutive messages.
    pub fn add(&mut self, nanos: f64) {
        (self.min, self.max) =
            if self.count == 0 { (nanos, nanos) } else { (self.min.min(nanos), self.max.max(nanos)) };
        self.count += 1;
        let distance = nanos - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (nanos - self.mean);
    }

    /// Mean, shortest, longest, and standard deviation (jitter); `None` without a period.
    pub fn summary(&self) -> Option<Period> {
        let jitter = (self.squares / self.count as f64).sqrt();
        (self.count > 0).then_some(Period { mean: self.mean, min: self.min, max: self.max, jitter })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_jitter_are_right_even_far_from_zero() {
        let mut periods = Periods::default();
        assert_eq!(periods.summary(), None);
        for n in 0..1000 {
            periods.add(1e12 + if n % 2 == 0 { 3.0 } else { -3.0 });
        }
        let Period { mean, min, max, jitter } = periods.summary().unwrap();
        assert!((mean - 1e12).abs() < 1e-3, "{mean}");
        assert!((jitter - 3.0).abs() < 1e-3, "{jitter}");
        assert_eq!((min, max), (1e12 - 3.0, 1e12 + 3.0));
    }
}
