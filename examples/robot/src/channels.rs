//! The robot's channels: their names, message sizes and depths.
//!
//! The first process that uses a channel creates it; the others open it. Channels keep a quarter of a second of messages at 1 kHz, so that
//! a restarted process can read the messages it missed.

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
    /// Its depth, per publisher.
    pub depth: u64,
    /// Number of publishers at a time.
    pub lanes: u32,
}

/// Heartbeats of all processes. The only channel with many publishers.
pub const HEALTH: &str = "health";
/// The state of the processes, from the supervisor.
pub const CREW: &str = "crew";
/// Pushes of the robot, from the supervisor.
pub const PUSH: &str = "push";
/// Pressed keys, for the supervisor.
pub const REQUEST: &str = "request";
/// The laser's scans.
pub const LIDAR: &str = "lidar/front";

const fn of(name: &'static str, size: usize, depth: u64) -> Place {
    Place { name, size, depth, lanes: 1 }
}

/// All channels.
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

/// The channel with this name.
pub fn place(name: &str) -> Result<&'static Place> {
    let place = index(name).map(|k| &CHANNELS[k]);
    place.ok_or_else(|| Error::Usage(format!("the robot has no channel `{name}`")))
}

/// The number of a channel in [`CHANNELS`].
pub fn index(name: &str) -> Option<usize> {
    CHANNELS.iter().position(|place| place.name == name)
}

impl Place {
    /// Opens the channel, and creates it if it is missing.
    pub fn open(&self, domain: &Directory) -> Result<Channel> {
        Ok(domain.open_or_create(self.name, &self.attributes())?)
    }

    /// The attributes for creating the channel.
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
