//! Order statistics of the turns of one contender, and ratios within a repetition.
//!
//! A virtual machine drifts by tens of percent from one minute to the next. A ratio of two figures measured a
//! moment apart does not. So contenders are compared inside each repetition, and the median of those ratios is
//! reported.

/// The value below which `part` of them lie, by the nearest rank; NaN of none.
pub fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (part * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).copied().unwrap_or(f64::NAN)
}

/// The median of `values[i] / bases[i]`, repetition by repetition; `None` without values.
pub fn ratio(values: &[f64], bases: &[f64]) -> Option<f64> {
    let each: Vec<f64> =
        values.iter().zip(bases).filter(|(_, base)| **base > 0.0).map(|(v, base)| v / base).collect();
    (!each.is_empty()).then(|| quantile(&each, 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_by_the_nearest_rank() {
        let values = [5.0, 1.0, 4.0, 2.0, 3.0];
        assert_eq!(quantile(&values, 0.5), 3.0);
        assert_eq!(quantile(&values, 0.0), 1.0);
        assert_eq!(quantile(&values, 0.99), 5.0);
        assert_eq!(quantile(&values, 1.0), 5.0);
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn drift_of_the_machine_does_not_move_a_ratio() {
        assert_eq!(ratio(&[200.0, 400.0, 800.0], &[100.0, 200.0, 400.0]), Some(2.0));
        assert_eq!(ratio(&[], &[]), None);
    }
}
