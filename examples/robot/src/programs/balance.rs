//! `robot-balance`: the controller. Without it the robot falls within a second.
//!
//! What to see here:
//! - It waits for the *newest* estimate. If the machine was busy and three have come, the two older ones are
//!   history: it never works off a queue while the robot tilts.
//! - It publishes and forgets. Whether a wheel driver lives, sleeps or was never started makes no difference to
//!   how long publishing takes.
//! - It has no state, so a fresh one replaces a killed one with nothing to restore. How many commands its
//!   readers missed meanwhile, they can tell exactly: the new process goes on with the old one's numbers.

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

    while life.goes_on()? {
        let until = life.next_beat();
        let Some((e, _)) = estimates.receive::<Estimate>(Which::Newest, until, &mut life)? else { continue };
        let torques = gains.torques(&e.state());
        for (wheel, torque) in [(&mut left, torques.0), (&mut right, torques.1)] {
            wheel.publish(&Command { step: e.step, sensed: e.sensed, torque, check: 0 })?;
        }
    }
    Ok(())
}
