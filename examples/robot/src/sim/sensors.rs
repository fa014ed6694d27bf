//! The robot's sensors: a gyroscope and an accelerometer in its chest, and an encoder on each wheel.
//!
//! All of them have noise in every sample; the inertial ones also have biases, which the estimator has to find.

use super::body::{Accelerations, GRAVITY, State};
use super::noise::normal;

/// Height of the inertial sensor above the axle, m.
const MOUNTED: f64 = 0.6;
/// Noise of the gyroscope, rad/s, and its bias.
const GYRO: (f64, f64) = (0.004, 0.015);
/// Noise of an axis of the accelerometer, m/s², and the bias of the forward one.
const ACCEL: (f64, f64) = (0.08, 0.04);
/// Encoder counts per turn.
const COUNTS: f64 = 8192.0;

/// The sample of the inertial sensor in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inertial {
    /// Rate of the tilt, rad/s.
    pub rate: f64,
    /// Specific force along the body's forward axis, m/s².
    pub forward: f64,
    /// Specific force along the body's upward axis, m/s².
    pub upward: f64,
}

/// Measures this state. `step` selects the noise.
pub fn inertial(s: &State, a: &Accelerations, step: u64) -> Inertial {
    let (sin, cos) = s.tilt.sin_cos();
    // An accelerometer measures the acceleration of its position minus gravity, in the axes of the body.
    let ahead = a.axle + MOUNTED * (a.tilt * cos - s.tilt_rate * s.tilt_rate * sin);
    let above = GRAVITY - MOUNTED * (a.tilt * sin + s.tilt_rate * s.tilt_rate * cos);
    Inertial {
        rate: s.tilt_rate + GYRO.1 + GYRO.0 * normal(1, step),
        forward: ahead * cos - above * sin + ACCEL.1 + ACCEL.0 * normal(2, step),
        upward: ahead * sin + above * cos + ACCEL.0 * normal(3, step),
    }
}

/// The angle reported by an encoder: the true one in whole counts.
pub fn encoder(angle: f64) -> f64 {
    let count = std::f64::consts::TAU / COUNTS;
    (angle / count).floor() * count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_rest_the_accelerometer_shows_which_way_is_up() {
        let s = State { tilt: 0.1, ..State::default() };
        let n = 20_000;
        let (mut forward, mut upward) = (0.0, 0.0);
        for step in 0..n {
            let m = inertial(&s, &Accelerations::default(), step);
            forward += m.forward / n as f64;
            upward += m.upward / n as f64;
        }
        let tilt = (-(forward - ACCEL.1)).atan2(upward);
        assert!((tilt - 0.1).abs() < 1e-3, "{tilt}");
    }

    #[test]
    fn in_free_fall_it_shows_nothing() {
        // The sensor's position falls with gravity: the body turns about the axle, lying flat.
        let s = State { tilt: std::f64::consts::FRAC_PI_2, ..State::default() };
        let a = Accelerations { tilt: GRAVITY / MOUNTED, ..Accelerations::default() };
        let n = 20_000;
        let sum: f64 = (0..n).map(|step| inertial(&s, &a, step).forward - ACCEL.1).sum();
        assert!((sum / n as f64).abs() < 0.005);
    }

    #[test]
    fn an_encoder_rounds_down_to_its_counts() {
        for angle in [-3.0, -1e-9, 0.0, 0.5, 100.0] {
            let seen = encoder(angle);
            assert!(seen <= angle && angle - seen < std::f64::consts::TAU / COUNTS + 1e-12, "{angle} {seen}");
        }
    }
}
