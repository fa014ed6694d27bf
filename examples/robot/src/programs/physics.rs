//! `robot-physics`: the world, and the inertial sensor in the robot's chest.
//!
//! A real robot has no such program: it has a world, and a driver for its sensor.
//!
//! What to see here:
//! - A loop on an absolute clock. When the process is late it takes the missing steps one after the other, so
//!   that the world runs in real time. Nobody downstream is asked, nobody can hold it up.
//! - `wheel/*/state` is read with *newest* and without waiting: the world does not wait for a motor.
//! - The whole state is published every step. Kill this process: the next one reads that state with *again*,
//!   takes over the dead one's lanes, and the world goes on where it was.

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

/// The robot is set down a little askew, rad: without control it falls in less than a second.
pub const FIRST_TILT: f64 = 0.08;
/// From this step on the worst tilt is noted: then the first tilt has been overcome.
pub const SETTLED: i64 = 2000;
/// Length of a step on the clock, ns.
const PERIOD: i64 = (STEP * 1e9) as i64;
/// A world that is later than this many steps leaves out the rest, and the report says so: when the whole machine
/// stood still for half a second, it is the machine that failed, not the robot.
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
        // Started by hand where a robot lies on the ground: somebody wants to set it up again.
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
        // The state first: a successor may take a step again whose sample was lost, but never skip one.
        truths.publish(&world)?;
        imus.publish(&imu)?;
    }
    Ok(())
}

/// The monotonic clock, ns.
fn now() -> i64 {
    clock::monotonic() as i64
}

/// When the next step is due, on the monotonic clock, ns.
fn due(world: &Truth) -> i64 {
    world.epoch + (world.step + 1) * PERIOD
}

/// Takes the world one step further and feels it.
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

/// Something that pushes: the newest torque that its driver reported, for as long as that is fresh.
struct Actuator {
    reader: Reader,
    torque: f64,
    timestamp: u64,
}

/// A message that tells a torque.
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
        // A motor whose driver is dead gives nothing.
        let age = clock::boottime().saturating_sub(self.timestamp) as f64 * 1e-9;
        Ok(if age <= HOLD { self.torque } else { 0.0 })
    }
}
