//! The number and length of measurements.

use std::time::Duration;

/// Repetitions, and how long each takes.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The number of turns of every contender.
    pub reps: usize,
    /// Least time of a turn: as many operations as that takes.
    pub turn: Duration,
    /// How long each operation in Java runs before it is measured, so that it is compiled.
    pub warm_up: Duration,
}

impl Plan {
    /// The short plan, or the full one; with another number of repetitions, if given.
    pub fn new(short: bool, reps: Option<usize>) -> Plan {
        let (few, turn, warm_up) = if short { (5, 200, 150_000) } else { (31, 2_000, 1_000_000) };
        Plan {
            reps: reps.unwrap_or(few).max(1),
            turn: Duration::from_micros(turn),
            warm_up: Duration::from_micros(warm_up),
        }
    }
}
