//! Stateless noise.
//!
//! The value depends only on the sensor and the step. So a restarted physics process continues with the same noise.

/// Mixes 64 bits so that every input bit affects every output bit (the finalizer of SplitMix64).
pub fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

/// A uniformly distributed number in 0 … 1.
pub fn uniform(source: u64, step: u64) -> f64 {
    (mix(mix(source) ^ step) >> 11) as f64 / (1u64 << 53) as f64
}

/// An approximately normally distributed number with mean 0 and deviation 1: the sum of twelve uniform ones, minus 6.
pub fn normal(source: u64, step: u64) -> f64 {
    (0..12).map(|k| uniform(source.wrapping_mul(16) + k, step)).sum::<f64>() - 6.0
}

/// A sequence of random numbers, for code without steps.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    drawn: u64,
}

impl Random {
    /// The sequence for this seed.
    pub fn new(seed: u64) -> Random {
        Random { seed, drawn: 0 }
    }

    /// The next number, from 0 up to but not including `below`.
    pub fn below(&mut self, below: f64) -> f64 {
        self.drawn += 1;
        uniform(self.seed, self.drawn) * below
    }

    /// The next index into a list of this length, which must not be 0.
    pub fn index(&mut self, len: usize) -> usize {
        (self.below(len as f64) as usize).min(len - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_noise_has_its_mean_and_deviation() {
        let n = 50_000;
        let values: Vec<f64> = (0..n).map(|step| normal(7, step)).collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n as f64;
        assert!(mean.abs() < 0.02, "mean {mean}");
        assert!((variance - 1.0).abs() < 0.03, "variance {variance}");
    }

    #[test]
    fn the_same_question_has_the_same_answer_and_another_sensor_another() {
        assert_eq!(normal(1, 5), normal(1, 5));
        assert_ne!(normal(1, 5), normal(2, 5));
        assert_ne!(normal(1, 5), normal(1, 6));
        let (mut a, mut b) = (Random::new(3), Random::new(3));
        assert!((0..100).all(|_| a.index(10) == b.index(10)));
        assert!((0..1000).all(|_| a.index(3) < 3));
    }
}
