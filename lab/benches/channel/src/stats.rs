//! Statistics: medians and ratios within a repetition.
//!
//! A virtual machine drifts by tens of percent from one minute to the next. A ratio of two figures measured a
//! second apart does not. So contenders are compared inside each repetition, and the median of those ratios is
//! reported with the smallest and the largest.

/// The median; of an even number, the mean of the two in the middle. `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    match n {
        0 => None,
        _ if n % 2 == 1 => Some(sorted[n / 2]),
        _ => Some((sorted[n / 2 - 1] + sorted[n / 2]) / 2.0),
    }
}

/// Ratios of one contender to another, one for each repetition in which both were measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// The median.
    pub median: f64,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// All ratios, in the order of the repetitions.
    pub each: Vec<f64>,
}

impl Ratio {
    /// Pairs `(repetition, value)` with `(repetition, base)`; skips repetitions that only one of them has.
    pub fn of(values: &[(usize, f64)], bases: &[(usize, f64)]) -> Option<Ratio> {
        let each: Vec<f64> = values
            .iter()
            .filter_map(|(rep, value)| {
                let (_, base) = bases.iter().find(|(other, _)| other == rep)?;
                (*base > 0.0 && value.is_finite()).then(|| value / base)
            })
            .collect();
        let min = each.iter().copied().min_by(f64::total_cmp)?;
        let max = each.iter().copied().max_by(f64::total_cmp)?;
        Some(Ratio { median: median(&each)?, min, max, each })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_even_and_nothing() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[f64::INFINITY, 1.0]), Some(1.0));
    }

    #[test]
    fn drift_of_the_machine_does_not_move_a_ratio() {
        let base = [(0, 100.0), (1, 200.0), (2, 400.0)];
        let value = [(0, 110.0), (1, 220.0), (2, 440.0)];
        let ratio = Ratio::of(&value, &base).expect("three repetitions");
        assert!((ratio.median - 1.1).abs() < 1e-9 && (ratio.max - ratio.min).abs() < 1e-9);
    }

    #[test]
    fn a_repetition_that_only_one_side_has_is_left_out() {
        let ratio = Ratio::of(&[(0, 2.0), (2, 9.0)], &[(0, 1.0), (1, 1.0), (2, 3.0)]).expect("two pairs");
        assert_eq!(ratio.each, [2.0, 3.0]);
        assert_eq!(ratio.median, 2.5);
        assert_eq!((ratio.min, ratio.max), (2.0, 3.0));
        assert_eq!(Ratio::of(&[(0, 1.0)], &[(1, 1.0)]), None);
        assert_eq!(Ratio::of(&[(0, 1.0)], &[(0, 0.0)]), None);
    }
}
