//! `robot-balance`: the controller. Without it the robot falls within a second.
//!
//! This program shows:
//! - It waits for the *newest* estimate. If the machine was busy and three arrived, it skips the two older ones. It never works through a
//!   queue while the robot tilts.
//! - Publishing never waits. It takes the same time whether a wheel driver is alive, sleeping or was never started.
//! - It has no state, so a new process replaces a killed one without restoring anything. Its readers know exactly how many commands they
//!   missed, because the new process continues the old one's sequence numbers.

use saltus_channel::Which;

use crate::error::Result;
use crate::life::{Life, REFLEX};
use crate::sim::body::ROBOT;
use crate::sim::control::Gains;
use crate::wire::types::{Command, Estimate};

/// Runs the program.
pub fn run() -> Result<()> {
    let mut life = Life::begin_urgent("balance", REFLEX)?;
    let mut estimates = life.reader("estimate")?;
    let mut left = life.writer("wheel/left/cmd")?;
    let mut right = life.writer("wheel/right/cmd")?;
    let gains = Gains::of(&ROBOT);

    while life.continues()? {
        let until = life.next_beat();
        let Some((e, _)) = estimates.receive::<Estimate>(Which::Newest, until, &mut life)? else { continue };
        let torques = gains.torques(&e.state());
        for (wheel, torque) in [(&mut left, torques.0), (&mut right, torques.1)] {
            wheel.publish(&Command { step: e.step, sensed: e.sensed, torque, check: 0 })?;
        }
    }
    Ok(())
}
