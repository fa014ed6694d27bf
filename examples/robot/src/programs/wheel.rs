//! `robot-wheel left|right`: the driver of a motor and its encoder. One program, started once for each wheel.
//!
//! What to see here:
//! - It waits for the *newest* command: an older one is of no use to a motor. It waits two milliseconds at most,
//!   for a motor must be driven whether or not anybody commands it.
//! - Every sample carries the time of its publication. The driver knows how old a command is and lets go of the
//!   motor when nobody has commanded it for 30 ms. No watchdog, no connection, no goodbye is needed for that.
//! - A killed driver leaves its last state in its channel. The next one continues from it.

use std::time::Duration;

use saltus_channel::{Until, Which, clock};

use crate::error::Result;
use crate::life::{Life, REFLEX};
use crate::sim::body::ROBOT;
use crate::sim::motor::torque_after;
use crate::sim::sensors::encoder;
use crate::wire::types::{Command, Span, Truth, Wheel};

/// How often the motor is driven at least.
const PERIOD: Duration = Duration::from_millis(2);

/// Runs the program.
pub fn run(side: &str) -> Result<()> {
    let mut life = Life::begin_urgent(&format!("wheel-{side}"), REFLEX)?;
    let (cmd, state) = (format!("wheel/{side}/cmd"), format!("wheel/{side}/state"));
    let mut commands = life.reader(&cmd)?;
    let mut shaft = life.reader("truth")?;
    let mut states = life.writer(&state)?;

    let mut wheel = life.inherited::<Wheel>(&state)?.map_or_else(Wheel::default, |(wheel, _)| wheel);
    let (mut command, mut commanded) = (Command::default(), 0);
    let mut driven = clock::boottime();

    while life.goes_on()? {
        let fresh = commands.receive::<Command>(Which::Newest, Until::For(PERIOD), &mut life)?;
        if let Some((new, sample)) = &fresh {
            (command, commanded) = (new.clone(), sample.timestamp);
        }
        // What this loop would be in a real robot: set the current, read the counter.
        let now = clock::boottime();
        let age = now.saturating_sub(commanded) as f64 * 1e-9;
        wheel.torque = torque_after(wheel.torque, command.torque, age, (now - driven) as f64 * 1e-9);
        driven = now;
        if let Some((truth, _)) = shaft.receive::<Truth>(Which::Newest, Until::Poll, &mut life)? {
            let (left, right) = ROBOT.wheel_angles(&truth.state());
            wheel.angle = encoder(if side == "left" { left } else { right });
            wheel.step = truth.step;
        }
        states.publish(&wheel)?;

        // How long the reflex took, from the feeling to the motor.
        if fresh.is_some_and(|(_, sample)| sample.timestamp >= life.started()) {
            life.measured(Span::REFLEX, clock::boottime().saturating_sub(command.sensed as u64))?;
        }
    }
    Ok(())
}
