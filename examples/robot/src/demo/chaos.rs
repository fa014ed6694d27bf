//! The plan of the chaos: the times, kinds and victims of its actions.

use std::time::Duration;

use crate::sim::noise::Random;

/// Range of the time between two actions, uniformly distributed: 5.5 per second on average.
const BETWEEN: (f64, f64) = (0.10, 0.26);

/// A plan that is later than this, in s, continues from now, so that a supervisor that was stopped (Ctrl-Z) does not catch up.
const LATE: f64 = 1.0;

/// An action on a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disturbance {
    /// SIGKILL: the process ends at any instruction.
    Kill,
    /// SIGSTOP: the process exists and does nothing. The supervisor has to detect it.
    Freeze,
}

/// An endless plan.
#[derive(Debug)]
pub struct Chaos {
    random: Random,
    next: f64,
}

impl Chaos {
    /// The plan for this seed.
    pub fn new(seed: u64) -> Chaos {
        let mut random = Random::new(seed);
        let next = random.below(BETWEEN.1);
        Chaos { random, next }
    }

    /// An index below `count`, which is not 0.
    pub fn choose(&mut self, candidates: usize) -> usize {
        (self.random.below(candidates as f64) as usize).min(candidates - 1)
    }

    /// The next due action, and the index of its victim. `None` if no action is due. Call it until it returns `None`.
    pub fn due(&mut self, elapsed: Duration, candidates: usize) -> Option<(Disturbance, usize)> {
        let now = elapsed.as_secs_f64();
        if now < self.next || candidates == 0 {
            return None;
        }
        if now > self.next + LATE {
            self.next = now;
        }
        self.next += BETWEEN.0 + self.random.below(BETWEEN.1 - BETWEEN.0);
        let deed = if self.random.below(1.0) < 0.5 { Disturbance::Kill } else { Disturbance::Freeze };
        Some((deed, self.random.index(candidates)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_every_ten_seconds_there_are_more_than_fifty_deeds_of_both_kinds() {
        for seed in 0..50 {
            let mut chaos = Chaos::new(seed);
            let (mut kills, mut freezes, mut victims) = (0, 0, [0; 8]);
            for ms in 0..10_000 {
                while let Some((deed, victim)) = chaos.due(Duration::from_millis(ms), 8) {
                    victims[victim] += 1;
                    if deed == Disturbance::Kill { kills += 1 } else { freezes += 1 }
                }
            }
            assert!(kills + freezes > 50, "seed {seed}: {kills} kills, {freezes} freezes");
            assert!(kills > 10 && freezes > 10 && victims.iter().all(|n| *n > 0), "seed {seed}");
        }
    }
}
