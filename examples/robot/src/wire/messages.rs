//! The messages of fixed size. Angles in rad, lengths in m, torques in N m.

use super::{FNV, Message, Torn, fnv, open, words};
use crate::sim::body::State;
use crate::sim::filter::Belief;

/// A field: one 64-bit word.
trait Word: Copy {
    fn word(self) -> u64;
    fn of(word: u64) -> Self;
}

impl Word for u64 {
    fn word(self) -> u64 {
        self
    }
    fn of(word: u64) -> Self {
        word
    }
}

impl Word for f64 {
    fn word(self) -> u64 {
        self.to_bits()
    }
    fn of(word: u64) -> Self {
        f64::from_bits(word)
    }
}

/// Makes a struct with `bytes` and [`Message::parse`] of a list of fields. The number is the message's kind.
macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident = $kind:literal { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type,)* }

        impl $name {
            /// Length in bytes: kind, fields, checksum.
            pub const LEN: usize = 8 * (2 + [$(stringify!($field)),*].len());

            /// The message as it is published.
            pub fn bytes(&self) -> [u8; Self::LEN] {
                let mut out = [0; Self::LEN];
                let words = [$kind, $(self.$field.word()),*];
                for (chunk, word) in out.as_chunks_mut::<8>().0.iter_mut().zip(words) {
                    *chunk = word.to_le_bytes();
                }
                let (body, sum) = out.split_at_mut(Self::LEN - 8);
                sum.copy_from_slice(&fnv(FNV, body).to_le_bytes());
                out
            }
        }

        impl Message for $name {
            fn parse(bytes: &[u8]) -> Result<Self, Torn> {
                if bytes.len() != Self::LEN {
                    return Err(Torn);
                }
                let mut words = words(open(bytes, $kind)?);
                Ok($name { $($field: Word::of(words.next().ok_or(Torn)?),)* })
            }
        }
    )*};
}

messages! {
    /// The world as it is, every step. Only the display, the encoders and a new physics process look at it.
    Truth = 1 {
        /// Steps since the world began.
        step: u64,
        /// When step 0 was, on the monotonic clock, ns.
        epoch: u64,
        /// Steps that the world was too late for and left out.
        slipped: u64,
        /// The step at which the robot fell; 0 while it stands.
        fell: u64,
        /// Largest tilt since [`crate::programs::physics::SETTLED`] steps, either way.
        worst: f64,
        /// Way along the ground.
        x: f64,
        /// Speed.
        v: f64,
        /// Tilt.
        tilt: f64,
        /// Its rate.
        tilt_rate: f64,
        /// Heading.
        heading: f64,
        /// Its rate.
        heading_rate: f64,
        /// Torque of the left motor in this step.
        left: f64,
        /// Torque of the right motor in this step.
        right: f64,
    }

    /// A sample of the inertial sensor, every step.
    Imu = 2 {
        /// The step it was taken in.
        step: u64,
        /// Rate of the tilt.
        rate: f64,
        /// Specific force along the body's forward axis, m/s².
        forward: f64,
        /// Specific force along the body's upward axis, m/s².
        upward: f64,
    }

    /// What the estimator believes, and all it has to remember.
    Estimate = 3 {
        /// The step of the newest sample in it.
        step: u64,
        /// When that sample was published: the stamp travels on to the motors.
        sensed: u64,
        /// Way along the ground.
        x: f64,
        /// Speed.
        v: f64,
        /// Tilt.
        tilt: f64,
        /// Its rate.
        tilt_rate: f64,
        /// Heading.
        heading: f64,
        /// Its rate.
        heading_rate: f64,
        /// Bias of the gyroscope.
        bias: f64,
    }

    /// A command to one motor.
    Command = 4 {
        /// The step of the sample that it answers.
        step: u64,
        /// When that sample was published.
        sensed: u64,
        /// The torque asked for.
        torque: f64,
    }

    /// What a wheel does.
    WheelState = 5 {
        /// The step in which the encoder was read.
        step: u64,
        /// Angle of the wheel against the body.
        angle: f64,
        /// Torque that the motor gives.
        torque: f64,
    }

    /// What a joint of the arm does.
    ArmState = 6 {
        /// How often it has moved.
        count: u64,
        /// Angle against hanging down.
        angle: f64,
        /// What it bends the body forward with.
        torque: f64,
    }

    /// What the watch sees ahead.
    Obstacle = 7 {
        /// The scan that it was seen in.
        scan: u64,
        /// How far the nearest thing is.
        range: f64,
        /// In which direction, left is positive.
        bearing: f64,
    }

    /// How far the logger is with the scans.
    Logged = 8 {
        /// The newest scan it has taken.
        scan: u64,
        /// The chain over the lines of all scans up to it.
        chain: u64,
        /// How many did not continue the chain: lost, twice, or changed.
        breaks: u64,
    }
}

impl Truth {
    /// How the robot really is.
    pub fn state(&self) -> State {
        let Truth { x, v, tilt, tilt_rate, heading, heading_rate, .. } = *self;
        State { x, v, tilt, tilt_rate, heading, heading_rate }
    }

    /// Lets the robot be so.
    pub fn set_state(&mut self, s: &State) {
        let State { x, v, tilt, tilt_rate, heading, heading_rate } = *s;
        *self = Truth { x, v, tilt, tilt_rate, heading, heading_rate, ..*self };
    }
}

impl Estimate {
    /// Tells a belief, and when the newest sample in it was published.
    pub fn of(belief: &Belief, sensed: u64) -> Estimate {
        let State { x, v, tilt, tilt_rate, heading, heading_rate } = belief.state;
        let (step, bias) = (belief.step, belief.bias);
        Estimate { step, sensed, x, v, tilt, tilt_rate, heading, heading_rate, bias }
    }

    /// The belief that was told.
    pub fn belief(&self) -> Belief {
        Belief { step: self.step, state: self.state(), bias: self.bias }
    }

    /// The state that is believed in.
    pub fn state(&self) -> State {
        let Estimate { x, v, tilt, tilt_rate, heading, heading_rate, .. } = *self;
        State { x, v, tilt, tilt_rate, heading, heading_rate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_back_and_every_changed_bit_is_found() {
        let imu = Imu { step: 7, rate: -0.25, forward: 1e-300, upward: 9.81 };
        let bytes = imu.bytes();
        assert_eq!(Imu::parse(&bytes), Ok(imu));
        for bit in 0..bytes.len() * 8 {
            let mut torn = bytes;
            torn[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Imu::parse(&torn), Err(Torn), "bit {bit}");
        }
        for len in 0..bytes.len() {
            assert_eq!(Imu::parse(&bytes[..len]), Err(Torn));
        }
    }

    #[test]
    fn halves_of_two_messages_are_no_message() {
        let old = Estimate { step: 1, tilt: 0.5, ..Estimate::default() }.bytes();
        let new = Estimate { step: 2, tilt: 0.6, ..Estimate::default() }.bytes();
        for at in (8..Estimate::LEN).step_by(8) {
            let mut torn = new;
            torn[at..].copy_from_slice(&old[at..]);
            let seen = Estimate::parse(&torn);
            assert!(seen == Err(Torn) || torn == new || torn == old, "cut at {at}: {seen:?}");
        }
    }

    #[test]
    fn kinds_are_not_confused() {
        let command = Command { step: 1, sensed: 2, torque: 3.0 };
        assert_eq!(Command::LEN, WheelState::LEN);
        assert_eq!(WheelState::parse(&command.bytes()), Err(Torn));
    }
}
