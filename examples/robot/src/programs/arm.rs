//! `robot-arm shoulder|elbow`: a joint of the arm. It waves. One program, started once for each joint.
//!
//! Nobody's life hangs on it: kill it and the robot stands, a little calmer. What to see here is how little a
//! device needs: a clock and a publisher.

use std::time::Duration;

use saltus_channel::clock;

use crate::error::Result;
use crate::life::Life;
use crate::wire::types::Arm;

/// How often it moves.
const PERIOD: Duration = Duration::from_millis(10);

/// Runs the program.
pub fn run(joint: &str) -> Result<()> {
    let mut life = Life::begin(&format!("arm-{joint}"))?;
    let channel = format!("arm/{joint}");
    let mut states = life.writer(&channel)?;
    // How far it swings (rad), how fast (1/s), and what its weight does to the body (N m for each rad).
    let (swing, pace, weight) = if joint == "shoulder" { (0.6, 1.1, 3.0) } else { (0.9, 2.3, 1.0) };

    let mut count = life.inherited::<Arm>(&channel)?.map_or(0, |(arm, _)| arm.count);
    let mut due = clock::monotonic();
    while life.sleep_until(due)? {
        count += 1;
        let angle = swing * (count as f64 * PERIOD.as_secs_f64() * pace).sin();
        states.publish(&Arm { count, angle, torque: weight * angle, check: 0 })?;
        // A joint that was late does not wave faster to make up for it.
        due = (due + PERIOD.as_nanos() as u64).max(clock::monotonic());
    }
    Ok(())
}
