//! The control law: full state feedback that keeps the robot upright, in place and facing ahead.
//!
//! For small tilts the equations of [`super::body`] become, with T the torque of both motors,
//!
//! ```text
//! θ̈ = a θ − b T          ẍ = c T − d θ          T = k₁ x + k₂ ẋ + k₃ θ + k₄ θ̇
//! ```
//!
//! Together they have the characteristic polynomial
//!
//! ```text
//! s⁴ + (b k₄ − c k₂) s³ + (b k₃ − a − c k₁) s² + k₂ e s + k₁ e         e = c a − d b
//! ```
//!
//! so the chosen poles determine the four gains directly. The poles are slow on purpose: the robot must tolerate the absence of the
//! controller for a tenth of a second, not be stiff.

use super::body::{Body, GRAVITY, State};

/// The poles of the closed loop, 1/s: all negative, that is decaying.
const POLES: [f64; 4] = [-8.0, -4.0, -2.0, -1.5];
/// Torque per rad and per rad/s of heading, N m.
const HEADING: (f64, f64) = (2.0, 1.2);
/// Largest torque of a motor, N m.
pub const TORQUE: f64 = 30.0;
/// Beyond this distance from home, the robot returns at constant speed, m.
const REACH: f64 = 0.5;

/// The gains of the state feedback.
#[derive(Clone, Copy, Debug)]
pub struct Gains {
    /// k₁ to k₄.
    pub k: [f64; 4],
}

impl Gains {
    /// The gains for this body and the poles above.
    pub fn of(body: &Body) -> Gains {
        let ml = body.mass * body.height;
        let det = body.rolling * body.about_axle() - ml * ml;
        let a = body.rolling * ml * GRAVITY / det;
        let b = (body.rolling + ml / body.radius) / det;
        let c = (body.about_axle() / body.radius + ml) / det;
        let d = ml * ml * GRAVITY / det;
        let e = c * a - d * b;
        let p = polynomial(POLES);
        let (k1, k2) = (p[0] / e, p[1] / e);
        Gains { k: [k1, k2, (p[2] + a + c * k1) / b, (p[3] + c * k2) / b] }
    }

    /// The torques of the left and the right motor for an estimated state.
    pub fn torques(&self, s: &State) -> (f64, f64) {
        let away = s.x.clamp(-REACH, REACH);
        let drive = self.k[0] * away + self.k[1] * s.v + self.k[2] * s.tilt + self.k[3] * s.tilt_rate;
        let turn = -(HEADING.0 * s.heading.clamp(-0.5, 0.5) + HEADING.1 * s.heading_rate);
        let limit = |t: f64| t.clamp(-TORQUE, TORQUE);
        (limit(drive / 2.0 - turn), limit(drive / 2.0 + turn))
    }
}

/// The coefficients p₀ … p₃ of (s − r₀)(s − r₁)(s − r₂)(s − r₃) = s⁴ + p₃ s³ + … + p₀.
fn polynomial(roots: [f64; 4]) -> [f64; 4] {
    let mut p = [1.0, 0.0, 0.0, 0.0, 0.0];
    for r in roots {
        for k in (0..4).rev() {
            p[k + 1] -= r * p[k];
        }
    }
    [p[4], p[3], p[2], p[1]]
}

#[cfg(test)]
mod tests {
    use super::super::body::{ROBOT, Torques};
    use super::*;

    #[test]
    fn the_polynomial_has_its_roots() {
        assert_eq!(polynomial([1.0, 2.0, 3.0, 4.0]), [24.0, -50.0, 35.0, -10.0]);
    }

    #[test]
    fn the_closed_loop_decays_as_its_slowest_pole_says() {
        // With ideal knowledge and no delay the linear design must hold for the whole equations at small tilts.
        let gains = Gains::of(&ROBOT);
        let mut s = State { tilt: 0.02, x: 0.05, heading: 0.1, ..State::default() };
        for _ in 0..8000 {
            let (left, right) = gains.torques(&s);
            s = ROBOT.step(&s, &Torques { left, right, disturbance: 0.0 });
        }
        assert!(s.tilt.abs() < 1e-3 && s.x.abs() < 5e-3 && s.heading.abs() < 0.02, "after 8 s: {s:?}");
    }

    #[test]
    fn torques_stay_within_what_a_motor_can_do() {
        let wild =
            State { x: 100.0, v: -100.0, tilt: 3.0, tilt_rate: 50.0, heading: 9.0, heading_rate: -9.0 };
        let (left, right) = Gains::of(&ROBOT).torques(&wild);
        assert!(left.abs() <= TORQUE && right.abs() <= TORQUE);
    }
}
