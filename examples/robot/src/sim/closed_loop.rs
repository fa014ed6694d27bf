//! The whole robot in one function, with the delays and the outages that killed processes cause.

#![cfg(test)]

use super::body::{ROBOT, STEP, State, Torques};
use super::control::Gains;
use super::filter::{Belief, Turned};
use super::motor;
use super::noise::Random;
use super::sensors::{encoder, inertial};
use crate::programs::physics::FIRST_TILT;

/// The outage of a part: the first step, and the step after the last.
#[derive(Clone, Copy, Default)]
struct Away(u64, u64);

impl Away {
    fn now(&self, step: u64) -> bool {
        (self.0..self.1).contains(&step)
    }
}

/// The result of a run.
#[derive(Debug)]
struct Outcome {
    fell_at: Option<f64>,
    worst_tilt: f64,
    farthest: f64,
}

/// Runs the robot. Each outage of `outage` steps stops the estimator, the controller or one of the wheels, every `every` steps on average.
fn run(seconds: f64, control: bool, outage: u64, every: f64, seed: u64) -> Outcome {
    let gains = Gains::of(&ROBOT);
    let mut random = Random::new(seed);
    let mut s = State { tilt: FIRST_TILT, ..State::default() };
    let mut belief = Belief::default();
    let mut waiting = Vec::new();
    let (mut command, mut commanded) = ([0.0; 2], [0u64; 2]);
    let mut torque = [0.0; 2];
    let mut turned = [Turned::default(); 2];
    let mut believed = State::default();
    let mut away = [Away::default(); 4];
    let mut next = random.below(2.0 * every) as u64;
    let mut seen = Outcome { fell_at: None, worst_tilt: 0.0, farthest: 0.0 };

    for step in 1..=(seconds / STEP) as u64 {
        if outage > 0 && step >= next {
            away[random.index(4)] = Away(step, step + outage);
            next = step + 1 + random.below(2.0 * every) as u64;
        }
        // The wheels (2 and 3): without its driver, a motor runs free, and its encoder is not read.
        let (left, right) = ROBOT.wheel_angles(&s);
        for (k, angle) in [left, right].into_iter().enumerate() {
            if away[2 + k].now(step) {
                torque[k] *= 0.5;
                continue;
            }
            let age = (step - commanded[k]) as f64 * STEP;
            torque[k] = motor::torque_after(torque[k], command[k], age, STEP);
            turned[k] = Turned { step, angle: encoder(angle) };
        }
        let arms = 1.5 * (step as f64 * STEP * 2.0).sin();
        let torques = Torques { left: torque[0], right: torque[1], disturbance: arms };
        let a = ROBOT.accelerations(&s, &torques);
        waiting.push((step, inertial(&s, &a, step)));
        s = ROBOT.step(&s, &torques);

        // The estimator (0) processes the samples of its outage.
        if !away[0].now(step) {
            let before = belief.step;
            for (step, m) in waiting.drain(..) {
                if belief.step == 0 {
                    belief = Belief::first(step, &m);
                }
                belief.inertial(step, &m);
            }
            belief.encoders(turned[0], turned[1], belief.step - before);
        }
        // The controller (1) uses the estimate of one step ago: one hop of delay.
        if control && !away[1].now(step) && !away[0].now(step) && belief.step > 0 {
            let (left, right) = gains.torques(&believed);
            command = [left, right];
            commanded = [step, step];
        }
        believed = belief.state;

        seen.worst_tilt = seen.worst_tilt.max(s.tilt.abs());
        seen.farthest = seen.farthest.max(s.x.abs());
        if s.fallen() {
            seen.fell_at = Some(step as f64 * STEP);
            break;
        }
    }
    seen
}

#[test]
fn the_robot_stands_still_when_undisturbed() {
    let seen = run(60.0, true, 0, 0.0, 1);
    assert!(seen.fell_at.is_none() && seen.worst_tilt < 0.2 && seen.farthest < 1.0, "{seen:?}");
}

#[test]
fn without_control_it_falls_within_a_second() {
    let seen = run(10.0, false, 0, 0.0, 1);
    assert!(seen.fell_at.is_some_and(|t| t < 1.0), "{seen:?}");
}

#[test]
fn it_survives_a_minute_of_outages_of_80_ms() {
    for seed in 0..10 {
        // The essential processes fail 2.5 times per second, for 80 ms each time.
        let seen = run(60.0, true, 80, 400.0, seed);
        assert!(seen.fell_at.is_none() && seen.worst_tilt < 0.35, "seed {seed}: {seen:?}");
    }
}

#[test]
fn it_survives_rare_outages_of_200_ms() {
    for seed in 0..10 {
        let seen = run(60.0, true, 200, 4000.0, seed);
        assert!(seen.fell_at.is_none(), "seed {seed}: {seen:?}");
    }
}
