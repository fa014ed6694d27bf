//! The robot's channels: what they are called, how long their messages are, and how many are kept.
//!
//! Whoever comes first creates a channel, publisher or not; the others open it. What is kept is enough for a
//! quarter of a second at 1 kHz: a process that was killed and started again can read what it slept through.

use saltus_channel::{Attributes, Channel, Directory};

use crate::error::{Error, Result};
use crate::wire::types::{Arm, Command, Estimate, Imu, Logged, Obstacle, Push, Request, Truth, Wheel};
use crate::wire::{LONGEST_CREW, LONGEST_HEALTH, LONGEST_SCAN, fixed};

/// A channel of the robot.
#[derive(Debug)]
pub struct Place {
    /// Its name.
    pub name: &'static str,
    /// The longest message, bytes.
    pub size: usize,
    /// How many of a publisher's messages are kept.
    pub depth: u64,
    /// How many publishers it has at once.
    pub lanes: u32,
}

/// Where every process reports that it lives. The only channel with many publishers.
pub const HEALTH: &str = "health";
/// Where the supervisor says how the processes are.
pub const CREW: &str = "crew";
/// Where the supervisor pushes the robot.
pub const PUSH: &str = "push";
/// Where keys that were pressed reach the supervisor.
pub const REQUEST: &str = "request";
/// Where the laser's scans go.
pub const LIDAR: &str = "lidar/front";

const fn of(name: &'static str, size: usize, depth: u64) -> Place {
    Place { name, size, depth, lanes: 1 }
}

/// All of them.
pub const CHANNELS: &[Place] = &[
    of("truth", fixed::<Truth>(), 256),
    of("imu", fixed::<Imu>(), 256),
    of("estimate", fixed::<Estimate>(), 256),
    of("wheel/left/cmd", fixed::<Command>(), 256),
    of("wheel/right/cmd", fixed::<Command>(), 256),
    of("wheel/left/state", fixed::<Wheel>(), 256),
    of("wheel/right/state", fixed::<Wheel>(), 256),
    of("arm/shoulder", fixed::<Arm>(), 64),
    of("arm/elbow", fixed::<Arm>(), 64),
    of(LIDAR, LONGEST_SCAN, 128),
    of("obstacle", fixed::<Obstacle>(), 64),
    of("log/lidar", fixed::<Logged>(), 16),
    of(PUSH, fixed::<Push>(), 16),
    of(REQUEST, fixed::<Request>(), 16),
    of(CREW, LONGEST_CREW, 16),
    Place { name: HEALTH, size: LONGEST_HEALTH, depth: 64, lanes: 10 },
];

/// The channel of this name.
pub fn place(name: &str) -> Result<&'static Place> {
    let place = index(name).map(|k| &CHANNELS[k]);
    place.ok_or_else(|| Error::Usage(format!("the robot has no channel `{name}`")))
}

/// The number of a channel in [`CHANNELS`].
pub fn index(name: &str) -> Option<usize> {
    CHANNELS.iter().position(|place| place.name == name)
}

impl Place {
    /// Opens the channel; creates it if nobody has yet.
    pub fn open(&self, domain: &Directory) -> Result<Channel> {
        Ok(domain.open_or_create(self.name, &self.attributes())?)
    }

    /// What the channel is created with.
    pub fn attributes(&self) -> Attributes {
        Attributes::new().depth(self.depth).max_message_size(self.size as u64).reserve_publishers(self.lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_there_once() {
        for (k, place) in CHANNELS.iter().enumerate() {
            assert_eq!(index(place.name), Some(k));
        }
        assert_eq!(index("nothing"), None);
    }
}
