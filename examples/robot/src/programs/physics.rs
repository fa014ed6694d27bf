//! `robot-physics`: the simulation of the world, and the inertial sensor in the robot's chest.
//!
//! A real robot has no such program: it has a world, and a driver for its sensor.
//!
//! This program shows:
//! - A loop on an absolute clock. When the process is late, it runs the missing steps one after the other, so that the simulation keeps
//!   real time. No subscriber can delay it.
//! - It reads `wheel/*/state` with *newest* and without waiting: the simulation does not wait for a motor.
//! - It publishes its whole state in every step. After a kill, the next process reads that state with *current*, takes over the dead
//!   process's lanes, and continues the simulation.

use saltus_channel::{Until, Which, clock};

use crate::channels::PUSH;
use crate::error::Result;
use crate::life::{Life, REFLEX, Reader};
use crate::sim::body::{FALLEN, ROBOT, STEP, Torques};
use crate::sim::motor::HOLD;
use crate::sim::sensors::inertial;
use crate::sys;
use crate::wire::Message;
use crate::wire::types::{Arm, Imu, Push, Span, Truth, Wheel};

/// Initial tilt, rad: without control the robot falls in less than a second.
pub const FIRST_TILT: f64 = 0.08;
/// First step that counts for the worst tilt: by then, the initial tilt is corrected.
pub const SETTLED: i64 = 2000;
/// Length of a step, ns.
const PERIOD: i64 = (STEP * 1e9) as i64;
/// Most steps that a late simulation catches up. It skips further ones, and the report counts them: a machine that stops for half a second
/// is not a failure of the robot.
const CATCH_UP: i64 = 200;

/// Runs the program.
pub fn run() -> Result<()> {
    let mut life = Life::begin_urgent("physics", REFLEX)?;
    sys::exact_timers();
    let mut truths = life.writer("truth")?;
    let mut imus = life.writer("imu")?;
    let mut left = Actuator::new(&mut life, "wheel/left/state")?;
    let mut right = Actuator::new(&mut life, "wheel/right/state")?;
    let mut shoulder = Actuator::new(&mut life, "arm/shoulder")?;
    let mut elbow = Actuator::new(&mut life, "arm/elbow")?;
    let (mut pushes, mut push) = (life.reader(PUSH)?, Push::default());

    let mut world = match life.inherited::<Truth>("truth")? {
        // Started by hand after a fall: sets the robot up again.
        Some((world, _)) if world.fell == 0 || sys::supervised() => world,
        _ => Truth { epoch: now(), tilt: FIRST_TILT, ..Truth::default() },
    };

    while life.sleep_until(due(&world) as u64)? {
        let late = (now() - due(&world)) / PERIOD;
        if late > CATCH_UP {
            world.slipped += late - CATCH_UP;
            world.epoch += (late - CATCH_UP) * PERIOD;
        }
        life.measured(Span::TICK, (now() - due(&world)).max(0) as u64)?;

        if let Some((newest, _)) = pushes.receive(Which::Newest, Until::Poll, &mut life)? {
            push = newest;
        }
        let pushed = if (clock::boottime() as i64) < push.until { push.torque } else { 0.0 };
        let torques = Torques {
            left: left.torque::<Wheel>(&mut life)?,
            right: right.torque::<Wheel>(&mut life)?,
            disturbance: shoulder.torque::<Arm>(&mut life)? + elbow.torque::<Arm>(&mut life)? + pushed,
        };
        let imu = step(&mut world, &torques);
        // Publishes the state first: a successor may repeat a step whose sample was lost, but never skips one.
        truths.publish(&world)?;
        imus.publish(&imu)?;
    }
    Ok(())
}

/// Monotonic time, ns.
fn now() -> i64 {
    clock::monotonic() as i64
}

/// Time of the next step, monotonic ns.
fn due(world: &Truth) -> i64 {
    world.epoch + (world.step + 1) * PERIOD
}

/// Simulates one step, and measures the sensor.
fn step(world: &mut Truth, torques: &Torques) -> Imu {
    let state = world.state();
    let next = ROBOT.step(&state, torques);
    world.step += 1;
    world.set_state(&next);
    (world.left, world.right) = (torques.left, torques.right);
    if world.step >= SETTLED {
        world.worst = world.worst.max(next.tilt.abs());
    }
    if world.fell == 0 && next.tilt.abs() >= FALLEN {
        world.fell = world.step;
    }
    let m = inertial(&next, &ROBOT.accelerations(&next, torques), world.step as u64);
    Imu { step: world.step, rate: m.rate, forward: m.forward, upward: m.upward, check: 0 }
}

/// A source of torque: the newest value that its driver reported, while that is recent.
struct Actuator {
    reader: Reader,
    torque: f64,
    timestamp: u64,
}

/// A message with a torque.
trait Pushes: Message {
    fn torque(&self) -> f64;
}

impl Pushes for Wheel {
    fn torque(&self) -> f64 {
        self.torque
    }
}

impl Pushes for Arm {
    fn torque(&self) -> f64 {
        self.torque
    }
}

impl Actuator {
    fn new(life: &mut Life, channel: &str) -> Result<Actuator> {
        Ok(Actuator { reader: life.reader(channel)?, torque: 0.0, timestamp: 0 })
    }

    fn torque<M: Pushes>(&mut self, life: &mut Life) -> Result<f64> {
        if let Some((state, sample)) = self.reader.receive::<M>(Which::Newest, Until::Poll, life)? {
            (self.torque, self.timestamp) = (state.torque(), sample.timestamp);
        }
        // A motor whose driver is dead has no torque.
        let age = clock::boottime().saturating_sub(self.timestamp) as f64 * 1e-9;
        Ok(if age <= HOLD { self.torque } else { 0.0 })
    }
}
