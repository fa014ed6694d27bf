//! `robot-wheel left|right`: the driver of a motor and its encoder. One program, started once for each wheel.
//!
//! This program shows:
//! - It waits for the *newest* command: an older one is useless to a motor. It waits at most two milliseconds, because a motor must be
//!   driven with or without commands.
//! - Every message has its time of publication. The driver checks the age of the command, and lets the motor run free after 30 ms without a
//!   new one. That needs no watchdog and no connection.
//! - A killed driver leaves its last state in its channel. The next one continues from it.

use std::time::Duration;

use saltus_channel::{Until, Which, clock};

use crate::error::Result;
use crate::life::{Life, REFLEX};
use crate::sim::body::ROBOT;
use crate::sim::motor::torque_after;
use crate::sim::sensors::encoder;
use crate::wire::types::{Command, Span, Truth, Wheel};

/// Longest time between two updates of the motor.
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

    while life.continues()? {
        let fresh = commands.receive::<Command>(Which::Newest, Until::For(PERIOD), &mut life)?;
        if let Some((new, sample)) = &fresh {
            (command, commanded) = (new.clone(), sample.timestamp);
        }
        // In a real robot, this would set the current and read the counter.
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

        // Time of the reflex, from the sensor to the motor.
        if fresh.is_some_and(|(_, sample)| sample.timestamp >= life.started()) {
            life.measured(Span::REFLEX, clock::boottime().saturating_sub(command.sensed as u64))?;
        }
    }
    Ok(())
}
