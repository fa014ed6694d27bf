//! The state estimator, which uses a gyroscope with drift, a noisy accelerometer, and two encoders.
//!
//! - Tilt: the gyroscope is integrated; the accelerometer slowly pulls the result to its own estimate, and corrects the gyroscope's bias (a
//!   complementary filter).
//! - Position and heading: the encoders count how far each wheel turned against the body; a tracking filter computes position and speed.
//!
//! Time is the simulation's step number. Samples may be missing. Another process can continue a filter, because its whole state is
//! [`Belief`], which is published.

use super::body::{ROBOT, STEP, State};
use super::sensors::Inertial;

/// Gain of the accelerometer for the tilt, 1/s, and for the bias, 1/s².
const PULL: (f64, f64) = (0.5, 0.10);
/// Gain of the tracking filter, 1/s.
const FOLLOW: f64 = 60.0;
/// Encoder readings older than this are not used, steps.
const FRESH: u64 = 20;
/// A longer gap than this between samples counts as this long, s.
const GAP: f64 = 0.5;

/// A reading of an encoder, and its step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Turned {
    /// The simulation's step.
    pub step: u64,
    /// Angle of the wheel against the body, rad.
    pub angle: f64,
}

/// The state of the filter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Belief {
    /// The step of the newest inertial sample in it.
    pub step: u64,
    /// The robot's state.
    pub state: State,
    /// The gyroscope's bias, rad/s.
    pub bias: f64,
}

impl Belief {
    /// The initial state from a single sample: the accelerometer's tilt, at rest, at home.
    pub fn first(step: u64, m: &Inertial) -> Belief {
        Belief { step, state: State { tilt: upright(m), ..State::default() }, bias: 0.0 }
    }

    /// Adds the inertial sample of `step`. Ignores past samples.
    pub fn inertial(&mut self, step: u64, m: &Inertial) {
        if step <= self.step {
            return;
        }
        let dt = ((step - self.step) as f64 * STEP).min(GAP);
        self.step = step;
        let s = &mut self.state;
        let rate = m.rate - self.bias;
        let error = upright(m) - s.tilt;
        // Over a gap, uses the mean of the last rate and this one.
        s.tilt += 0.5 * (s.tilt_rate + rate) * dt + error * (1.0 - (-PULL.0 * dt).exp());
        self.bias -= error * PULL.1 * dt;
        s.tilt_rate = rate;
        s.x += s.v * dt;
        s.heading += s.heading_rate * dt;
    }

    /// Adds the readings of both encoders, `dt` after the last call. Ignores old readings.
    pub fn encoders(&mut self, left: Turned, right: Turned, steps: u64) {
        let stale = |t: Turned| t.step + FRESH < self.step;
        if stale(left) || stale(right) || steps == 0 {
            return;
        }
        let s = &mut self.state;
        let way = ROBOT.radius * ((left.angle + right.angle) / 2.0 + s.tilt);
        let turn = ROBOT.radius * (right.angle - left.angle) / ROBOT.track;
        let dt = (steps as f64 * STEP).min(GAP);
        follow(&mut s.x, &mut s.v, way, dt);
        follow(&mut s.heading, &mut s.heading_rate, turn, dt);
    }
}

/// The tilt that the accelerometer suggests.
fn upright(m: &Inertial) -> f64 {
    (-m.forward).atan2(m.upward)
}

/// A critically damped tracking filter: pulls a position and its speed to a measurement.
fn follow(place: &mut f64, speed: &mut f64, measured: f64, dt: f64) {
    let kept = (-FOLLOW * dt).exp();
    let error = measured - *place;
    *place += error * (1.0 - kept * kept);
    *speed += error * (1.0 - kept).powi(2) / dt;
}

#[cfg(test)]
mod tests {
    use super::super::body::{Accelerations, Torques};
    use super::super::sensors::{encoder, inertial};
    use super::*;

    /// Holds the true robot in a given motion, and returns the filter's estimate.
    fn observe(seconds: f64, motion: impl Fn(f64) -> State) -> (State, Belief) {
        let steps = (seconds / STEP) as u64;
        let mut belief = Belief::default();
        for step in 1..=steps {
            let t = step as f64 * STEP;
            let s = motion(t);
            let later = motion(t + STEP);
            let a = Accelerations {
                axle: (later.v - s.v) / STEP,
                tilt: (later.tilt_rate - s.tilt_rate) / STEP,
                heading: 0.0,
            };
            belief.inertial(step, &inertial(&s, &a, step));
            let (left, right) = ROBOT.wheel_angles(&s);
            let seen = |angle| Turned { step, angle: encoder(angle) };
            belief.encoders(seen(left), seen(right), 1);
        }
        (motion(steps as f64 * STEP), belief)
    }

    #[test]
    fn a_resting_robot_is_found_at_rest() {
        let (truth, belief) = observe(30.0, |_| State { tilt: 0.05, ..State::default() });
        assert!((belief.state.tilt - truth.tilt).abs() < 0.008, "{belief:?}");
        assert!(belief.state.v.abs() < 0.02 && belief.state.x.abs() < 0.003, "{belief:?}");
    }

    #[test]
    fn a_swaying_turning_robot_is_followed() {
        let (truth, belief) = observe(20.0, |t| State {
            x: 0.2 * (t * 0.8).sin(),
            v: 0.16 * (t * 0.8).cos(),
            tilt: 0.05 * (t * 2.0).sin(),
            tilt_rate: 0.1 * (t * 2.0).cos(),
            heading: 0.1 * t,
            heading_rate: 0.1,
        });
        let s = belief.state;
        assert!((s.tilt - truth.tilt).abs() < 0.02, "tilt {} for {}", s.tilt, truth.tilt);
        assert!((s.tilt_rate - truth.tilt_rate).abs() < 0.03);
        assert!((s.x - truth.x).abs() < 0.01, "way {} for {}", s.x, truth.x);
        assert!((s.v - truth.v).abs() < 0.05, "speed {} for {}", s.v, truth.v);
        assert!((s.heading_rate - 0.1).abs() < 0.05);
    }

    #[test]
    fn a_gap_is_bridged_and_old_samples_are_ignored() {
        let turning = Inertial { rate: 0.5, forward: 0.0, upward: 9.81 };
        let mut belief = Belief { step: 1, state: State { tilt_rate: 0.5, ..State::default() }, bias: 0.0 };
        belief.inertial(101, &turning);
        assert!((belief.state.tilt - 0.05).abs() < 0.003, "{belief:?}");
        let before = belief;
        belief.inertial(50, &turning);
        belief.encoders(Turned { step: 1, angle: 9.0 }, Turned { step: 100, angle: 9.0 }, 1);
        assert_eq!(belief, before);
    }

    #[test]
    fn true_rest_needs_no_torque_to_be_believed() {
        let mut s = State { tilt: 0.02, ..State::default() };
        let a = ROBOT.accelerations(&s, &Torques::default());
        let belief = Belief::first(1, &inertial(&s, &a, 1));
        s.tilt = belief.state.tilt;
        assert!(s.tilt.abs() < 0.2 && belief.state.v == 0.0);
    }
}
