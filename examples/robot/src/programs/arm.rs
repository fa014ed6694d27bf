//! `robot-arm shoulder|elbow`: a joint of the arm. It waves. One program, started once for each joint.
//!
//! It is not critical: without it the robot still stands, a little calmer. It shows how little a device needs: a clock and a publisher.

use std::time::Duration;

use saltus_channel::clock;

use crate::error::Result;
use crate::life::Life;
use crate::wire::types::Arm;

/// The period of its steps.
const PERIOD: Duration = Duration::from_millis(10);

/// Runs the program.
pub fn run(joint: &str) -> Result<()> {
    let mut life = Life::begin(&format!("arm-{joint}"))?;
    let channel = format!("arm/{joint}");
    let mut states = life.writer(&channel)?;
    // Amplitude (rad), angular frequency (1/s), and effect of its weight on the body (N m per rad).
    let (swing, pace, weight) = if joint == "shoulder" { (0.6, 1.1, 3.0) } else { (0.9, 2.3, 1.0) };

    let mut count = life.inherited::<Arm>(&channel)?.map_or(0, |(arm, _)| arm.count);
    let mut due = clock::monotonic();
    while life.sleep_until(due)? {
        count += 1;
        let angle = swing * (count as f64 * PERIOD.as_secs_f64() * pace).sin();
        states.publish(&Arm { count, angle, torque: weight * angle, check: 0 })?;
        // A late joint does not wave faster to catch up.
        due = (due + PERIOD.as_nanos() as u64).max(clock::monotonic());
    }
    Ok(())
}
