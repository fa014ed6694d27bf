//! `robot-estimator`: estimates the robot's state from its sensors.
//!
//! This program shows:
//! - It reads `imu` with *next*, not with newest: integration needs every sample, in order. When it is late, it processes all kept samples
//!   and publishes once, for the newest.
//! - It starts with the *oldest* kept sample. A new process that replaces a killed one reads its predecessor's last belief, and then all
//!   samples since. So there is no gap.
//! - It reads the encoders with *newest*, because only the current position of the wheels matters.

use saltus_channel::{Until, Which};

use crate::error::Result;
use crate::life::{Life, REFLEX, Reader};
use crate::sim::filter::{Belief, Turned};
use crate::sim::sensors::Inertial;
use crate::wire::types::{Estimate, Imu, Wheel};

/// A sample that is this many steps older than the belief is from another simulation.
const ANOTHER_WORLD: u64 = 1000;

/// Runs the program.
pub fn run() -> Result<()> {
    let mut life = Life::begin_urgent("estimator", REFLEX)?;
    let mut estimates = life.writer("estimate")?;
    let mut imus = life.reader_from_oldest("imu")?;
    let mut left = Encoder::new(&mut life, "wheel/left/state")?;
    let mut right = Encoder::new(&mut life, "wheel/right/state")?;

    let mut belief = life.inherited::<Estimate>("estimate")?.map(|(e, _)| e.belief());

    while life.continues()? {
        let mut until = life.next_beat(); // wait for the first sample only
        let mut newest = None;
        let before = belief.map_or(0, |b| b.step);
        while let Some((imu, sample)) = imus.receive::<Imu>(Which::Next, until, &mut life)? {
            let step = imu.step.max(0) as u64;
            let felt = Inertial { rate: imu.rate, forward: imu.forward, upward: imu.upward };
            match &mut belief {
                Some(b) if step + ANOTHER_WORLD > b.step => b.inertial(step, &felt),
                other => *other = Some(Belief::first(step, &felt)),
            }
            newest = Some(sample.timestamp);
            until = Until::Poll;
        }
        let (Some(belief), Some(sensed)) = (&mut belief, newest) else { continue };
        let (left, right) = (left.turned(&mut life)?, right.turned(&mut life)?);
        belief.encoders(left, right, belief.step.saturating_sub(before));
        estimates.publish(&Estimate::of(belief, sensed))?;
    }
    Ok(())
}

/// The last reading of an encoder.
struct Encoder {
    reader: Reader,
    turned: Turned,
}

impl Encoder {
    fn new(life: &mut Life, channel: &str) -> Result<Encoder> {
        Ok(Encoder { reader: life.reader(channel)?, turned: Turned::default() })
    }

    fn turned(&mut self, life: &mut Life) -> Result<Turned> {
        if let Some((wheel, _)) = self.reader.receive::<Wheel>(Which::Newest, Until::Poll, life)? {
            self.turned = Turned { step: wheel.step.max(0) as u64, angle: wheel.angle };
        }
        Ok(self.turned)
    }
}
