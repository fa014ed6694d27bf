//! How much parity to add, by the binomial distribution.

/// Most parity datagrams for each datagram of a block.
pub(crate) const MOST_FOR_ONE: usize = 8;

/// The probability that of `n` datagrams, each lost with probability `loss`, more than `bearable` are lost.
///
/// This is the failure probability of a block of `n - bearable` datagrams with `bearable` parity datagrams.
pub fn failure(n: usize, bearable: usize, loss: f64) -> f64 {
    if bearable >= n || loss <= 0.0 {
        return 0.0;
    }
    if loss >= 1.0 {
        return 1.0;
    }
    let mean = n as f64 * loss;
    // The shorter of the two tails is summed, from its largest term outwards.
    if (bearable as f64) < mean {
        return 1.0 - add_up((0..=bearable).rev(), n, loss);
    }
    add_up(bearable + 1..=n, n, loss)
}

/// Sums the probabilities of these numbers of losses, until the terms are negligible.
fn add_up(losses: impl Iterator<Item = usize>, n: usize, loss: f64) -> f64 {
    let mut sum = 0.0;
    for lost in losses {
        let term = exactly(n, lost, loss);
        sum += term;
        if term < sum * 1e-12 {
            break;
        }
    }
    sum.min(1.0)
}

/// The probability that exactly `lost` of `n` are lost.
fn exactly(n: usize, lost: usize, loss: f64) -> f64 {
    let kept = n - lost;
    let ways = ln_factorial(n) - ln_factorial(lost) - ln_factorial(kept);
    (ways + lost as f64 * loss.ln() + kept as f64 * (-loss).ln_1p()).exp()
}

/// The logarithm of n!, to ten digits.
fn ln_factorial(n: usize) -> f64 {
    if n < 16 {
        return (2..=n).map(|i| (i as f64).ln()).sum();
    }
    let x = n as f64;
    let stirling = x * x.ln() - x + 0.5 * (std::f64::consts::TAU * x).ln();
    stirling + 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5))
}

/// The least parity for `sources` with which at most `target` of the blocks fail at that loss.
///
/// ```
/// use saltus_tunnel::parity;
/// assert_eq!(parity::needed(1, 0.1, 1e-3), 2); // one message in three copies
/// assert_eq!(parity::needed(128, 0.1, 1e-4), 31);
/// assert_eq!(parity::needed(128, 0.0, 1e-4), 0);
/// ```
pub fn needed(sources: usize, loss: f64, target: f64) -> usize {
    fewest(sources, target, |more| failure(sources + more, more, loss))
}

/// The probability that one of `sources` datagrams is lost and `more` parity datagrams over all of them do not
/// restore it.
pub fn failure_of_one(sources: usize, more: usize, loss: f64) -> f64 {
    // It is lost itself, and so are at least as many others as can be restored.
    match more.checked_sub(1) {
        None => loss,
        Some(others) => loss * failure(sources + others, others, loss),
    }
}

/// The least parity for `sources` with which at most `target` of them are lost, if each is a separate message.
///
/// ```
/// use saltus_tunnel::parity;
/// assert_eq!(parity::needed_together(1, 0.1, 1e-3), 2);
/// assert_eq!(parity::needed_together(16, 0.1, 1e-3), 7); // 44 % instead of 200 %
/// ```
pub fn needed_together(sources: usize, loss: f64, target: f64) -> usize {
    fewest(sources, target, |more| failure_of_one(sources, more, loss))
}

fn fewest(sources: usize, target: f64, failure: impl Fn(usize) -> f64) -> usize {
    // Slightly more than the target, so that a loss of 0.1 in three copies is one in a thousand.
    let enough = |more: usize| failure(more) <= target * (1.0 + 1e-9);
    let (mut low, mut high) = (0, sources * MOST_FOR_ONE);
    while low < high {
        let middle = low.midpoint(high);
        if enough(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums everything, with binomial coefficients by definition.
    fn plainly(n: usize, bearable: usize, loss: f64) -> f64 {
        let ways = |k: usize| (0..k).fold(1.0, |ways, i| ways * (n - i) as f64 / (i + 1) as f64);
        (bearable + 1..=n).map(|k| ways(k) * loss.powi(k as i32) * (1.0 - loss).powi((n - k) as i32)).sum()
    }

    #[test]
    fn the_chance_is_that_of_the_definition() {
        for n in [1, 2, 3, 7, 20, 60, 160] {
            for bearable in 0..n {
                for loss in [0.001, 0.1, 0.4, 0.9] {
                    let (fast, plain) = (failure(n, bearable, loss), plainly(n, bearable, loss));
                    assert!(
                        (fast - plain).abs() <= 1e-9 + plain * 1e-6,
                        "{n} {bearable} {loss}: {fast} {plain}"
                    );
                }
            }
        }
        assert_eq!(failure(5, 5, 0.5), 0.0);
        assert_eq!(failure(5, 2, 1.0), 1.0);
        assert!(failure(20_000, 4_000, 0.19) < 1e-3 && failure(20_000, 4_000, 0.21) > 0.99);
    }

    #[test]
    fn so_many_are_enough_and_one_fewer_is_not() {
        for sources in [1, 2, 8, 31, 128, 1000, 16_384] {
            for loss in [0.01, 0.1, 0.3, 0.4] {
                let more = needed(sources, loss, 1e-4);
                assert!(failure(sources + more, more, loss) <= 1.0001e-4 || more == sources * MOST_FOR_ONE);
                assert!(more > 0 && failure(sources + more - 1, more - 1, loss) > 1e-4);
            }
        }
        assert_eq!(needed(10, 1.0, 1e-3), 80, "never without end");
    }
}
