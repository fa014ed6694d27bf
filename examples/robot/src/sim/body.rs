//! The robot's body: two driven wheels and a tall body on their axle, an inverted pendulum.
//!
//! ```text
//!        o  mass m, inertia I          x   where the axle is (m)
//!        |\                            θ   tilt, forward is positive (rad)
//!      l | \  θ                        ψ   heading, left is positive (rad)
//!        |  \                          T   torque of both motors together (N m);
//!       (O)----> x                         it drives the wheels and pushes the body back
//! ```
//!
//! With M the mass that rolls (body, chassis, wheels and their inertia) and J = I + m l²:
//!
//! ```text
//! M ẍ + m l (θ̈ cos θ − θ̇² sin θ) = (T − friction) / r
//! m l cos θ ẍ + J θ̈ = m g l sin θ − T + friction + disturbance
//! ```
//!
//! Without control, the tilt grows by a factor of e every quarter of a second.

/// Gravity, m/s².
pub const GRAVITY: f64 = 9.81;
/// Length of a simulation step, s: 1 kHz.
pub const STEP: f64 = 0.001;
/// Beyond this tilt, these motors cannot bring the body back: it has fallen.
pub const FALLEN: f64 = 0.8;

/// The robot's parameters, in SI units.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Mass of the body above the axle.
    pub mass: f64,
    /// Height of its center of mass above the axle.
    pub height: f64,
    /// Its moment of inertia about the center of mass.
    pub inertia: f64,
    /// Rolling mass, including the wheels' inertia.
    pub rolling: f64,
    /// Radius of a wheel.
    pub radius: f64,
    /// Distance between the wheels.
    pub track: f64,
    /// Moment of inertia about the vertical.
    pub spin: f64,
    /// Bearing friction of both wheels together, N m per rad/s.
    pub friction: f64,
}

/// The robot of the demo: as tall as a person, 29 kg.
pub const ROBOT: Body = Body {
    mass: 20.0,
    height: 0.9,
    inertia: 4.86,
    rolling: 32.0,
    radius: 0.15,
    track: 0.5,
    spin: 1.5,
    friction: 0.05,
};

/// Position and motion of the robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// Position of the axle's middle along the ground, m.
    pub x: f64,
    /// Its speed, m/s.
    pub v: f64,
    /// Tilt, rad.
    pub tilt: f64,
    /// Rate of the tilt, rad/s.
    pub tilt_rate: f64,
    /// Heading, rad.
    pub heading: f64,
    /// Rate of the heading, rad/s.
    pub heading_rate: f64,
}

/// Torques on the robot during one step, N m.
#[derive(Clone, Copy, Debug, Default)]
pub struct Torques {
    /// The left motor.
    pub left: f64,
    /// The right motor.
    pub right: f64,
    /// Other torques that tilt the body forward: the arms, a push.
    pub disturbance: f64,
}

/// Accelerations, in the order of the speeds in [`State`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Accelerations {
    /// Of the axle, m/s².
    pub axle: f64,
    /// Of the tilt, rad/s².
    pub tilt: f64,
    /// Of the heading, rad/s².
    pub heading: f64,
}

impl Body {
    /// The moment of inertia of the body about the axle.
    pub fn about_axle(&self) -> f64 {
        self.inertia + self.mass * self.height * self.height
    }

    /// The equations of motion, solved for the accelerations.
    pub fn accelerations(&self, s: &State, t: &Torques) -> Accelerations {
        let (sin, cos) = s.tilt.sin_cos();
        let ml = self.mass * self.height;
        let friction = self.friction * (s.v / self.radius - s.tilt_rate);
        let motors = t.left + t.right - friction;
        let push = motors / self.radius + ml * s.tilt_rate * s.tilt_rate * sin;
        let bend = ml * GRAVITY * sin - motors + t.disturbance;
        let det = self.rolling * self.about_axle() - (ml * cos).powi(2);
        Accelerations {
            axle: (self.about_axle() * push - ml * cos * bend) / det,
            tilt: (self.rolling * bend - ml * cos * push) / det,
            // Tire friction slows a turn on the spot.
            heading: ((t.right - t.left) * self.track / (2.0 * self.radius) - 1.0 * s.heading_rate)
                / self.spin,
        }
    }

    /// The state one [`STEP`] later (Runge–Kutta of the fourth order). A fallen robot does not move.
    pub fn step(&self, s: &State, t: &Torques) -> State {
        if s.tilt.abs() >= FALLEN {
            return State { v: 0.0, tilt_rate: 0.0, heading_rate: 0.0, ..*s };
        }
        let slope = |s: &State| {
            let a = self.accelerations(s, t);
            State {
                x: s.v,
                v: a.axle,
                tilt: s.tilt_rate,
                tilt_rate: a.tilt,
                heading: s.heading_rate,
                heading_rate: a.heading,
            }
        };
        let k1 = slope(s);
        let k2 = slope(&s.plus(&k1, STEP / 2.0));
        let k3 = slope(&s.plus(&k2, STEP / 2.0));
        let k4 = slope(&s.plus(&k3, STEP));
        s.plus(&k1, STEP / 6.0).plus(&k2, STEP / 3.0).plus(&k3, STEP / 3.0).plus(&k4, STEP / 6.0)
    }

    /// The angles of the left and the right wheel against the body: the encoders measure these.
    pub fn wheel_angles(&self, s: &State) -> (f64, f64) {
        let turn = s.heading * self.track / 2.0;
        ((s.x - turn) / self.radius - s.tilt, (s.x + turn) / self.radius - s.tilt)
    }
}

impl State {
    /// `self + slope · dt`, term by term.
    fn plus(&self, slope: &State, dt: f64) -> State {
        State {
            x: self.x + slope.x * dt,
            v: self.v + slope.v * dt,
            tilt: self.tilt + slope.tilt * dt,
            tilt_rate: self.tilt_rate + slope.tilt_rate * dt,
            heading: self.heading + slope.heading * dt,
            heading_rate: self.heading_rate + slope.heading_rate * dt,
        }
    }

    /// Whether the robot lies on the ground.
    pub fn fallen(&self) -> bool {
        self.tilt.abs() >= FALLEN
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kinetic and potential energy of the planar motion.
    fn energy(b: &Body, s: &State) -> f64 {
        let ml = b.mass * b.height;
        0.5 * b.rolling * s.v * s.v
            + ml * s.v * s.tilt_rate * s.tilt.cos()
            + 0.5 * b.about_axle() * s.tilt_rate * s.tilt_rate
            + ml * GRAVITY * s.tilt.cos()
    }

    #[test]
    fn energy_stays_without_motors_and_friction() {
        let body = Body { friction: 0.0, ..ROBOT };
        let mut s = State { tilt: 0.05, v: 0.3, ..State::default() };
        let before = energy(&body, &s);
        while !s.fallen() {
            s = body.step(&s, &Torques::default());
        }
        assert!(
            (energy(&body, &s) - before).abs() < 1e-6 * before,
            "{} became {}",
            before,
            energy(&body, &s)
        );
    }

    #[test]
    fn upright_and_still_is_an_equilibrium_but_not_a_stable_one() {
        let mut s = State::default();
        for _ in 0..1000 {
            s = ROBOT.step(&s, &Torques::default());
        }
        assert_eq!(s, State::default());
        s.tilt = 1e-4;
        for _ in 0..1000 {
            s = ROBOT.step(&s, &Torques::default());
        }
        assert!(s.tilt > 2e-3, "a tilt of 0.1 mrad grew to {} rad only", s.tilt);
    }

    #[test]
    fn equal_torques_do_not_turn_and_opposite_ones_do_not_drive() {
        let (mut even, mut odd) = (State::default(), State::default());
        for _ in 0..100 {
            even = ROBOT.step(&even, &Torques { left: 1.0, right: 1.0, disturbance: 0.0 });
            odd = ROBOT.step(&odd, &Torques { left: -1.0, right: 1.0, disturbance: 0.0 });
        }
        assert!(even.x > 0.0 && even.heading == 0.0 && even.tilt < 0.0);
        assert!(odd.x == 0.0 && odd.heading > 0.0 && odd.tilt == 0.0);
        let (left, right) = ROBOT.wheel_angles(&odd);
        assert!(left < 0.0 && right == -left);
    }

    #[test]
    fn a_fallen_robot_lies_still() {
        let down = State { tilt: 0.9, v: 1.0, ..State::default() };
        let later = ROBOT.step(&down, &Torques { left: 30.0, right: 30.0, disturbance: 0.0 });
        assert!(later.fallen() && later.v == 0.0 && later.tilt == 0.9);
    }
}
