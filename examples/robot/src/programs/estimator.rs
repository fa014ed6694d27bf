//! `robot-estimator`: makes a belief of what the robot feels.
//!
//! What to see here:
//! - It reads `imu` with *next*, not with newest: whoever integrates wants every sample, in order. When it was
//!   late it finds the older ones still there, works them off in one go and publishes once, for the newest.
//! - It starts with the *oldest* sample that is kept. A fresh process that replaces a killed one reads its
//!   predecessor's last belief and then all samples since: it does not even notice the gap.
//! - The encoders it reads with *newest*: only where the wheels are now counts.

use saltus_channel::{Until, Which};

use crate::error::Result;
use crate::life::{Life, REFLEX, Reader};
use crate::sim::filter::{Belief, Turned};
use crate::sim::sensors::Inertial;
use crate::wire::types::{Estimate, Imu, Wheel};

/// A sample that is this many steps older than the belief comes from another world.
const ANOTHER_WORLD: u64 = 1000;

/// Runs the program.
pub fn run() -> Result<()> {
    let mut life = Life::begin_urgent("estimator", REFLEX)?;
    let mut estimates = life.writer("estimate")?;
    let mut imus = life.reader_from_oldest("imu")?;
    let mut left = Encoder::new(&mut life, "wheel/left/state")?;
    let mut right = Encoder::new(&mut life, "wheel/right/state")?;

    let mut belief = life.inherited::<Estimate>("estimate")?.map(|(e, _)| e.belief());

    while life.goes_on()? {
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

/// An encoder: what it said last.
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
