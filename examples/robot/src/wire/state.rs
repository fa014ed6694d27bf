//! Conversions between messages and states of the simulation.

use super::types::{Estimate, Truth};
use crate::sim::body::State;
use crate::sim::filter::Belief;

impl Truth {
    /// The robot's true state.
    pub fn state(&self) -> State {
        let &Truth { x, v, tilt, tilt_rate, heading, heading_rate, .. } = self;
        State { x, v, tilt, tilt_rate, heading, heading_rate }
    }

    /// Sets the robot's true state.
    pub fn set_state(&mut self, s: &State) {
        (self.x, self.v) = (s.x, s.v);
        (self.tilt, self.tilt_rate) = (s.tilt, s.tilt_rate);
        (self.heading, self.heading_rate) = (s.heading, s.heading_rate);
    }
}

impl Estimate {
    /// The message for a belief, with the time of publication of its newest sample.
    pub fn of(belief: &Belief, sensed: u64) -> Estimate {
        let State { x, v, tilt, tilt_rate, heading, heading_rate } = belief.state;
        let (step, sensed, bias) = (belief.step as i64, sensed as i64, belief.bias);
        Estimate { step, sensed, x, v, tilt, tilt_rate, heading, heading_rate, bias, check: 0 }
    }

    /// The belief in the message.
    pub fn belief(&self) -> Belief {
        Belief { step: self.step.max(0) as u64, state: self.state(), bias: self.bias }
    }

    /// The estimated state.
    pub fn state(&self) -> State {
        let &Estimate { x, v, tilt, tilt_rate, heading, heading_rate, .. } = self;
        State { x, v, tilt, tilt_rate, heading, heading_rate }
    }
}
