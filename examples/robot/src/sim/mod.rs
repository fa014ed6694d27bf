//! The parts without processes: the world, the sensors, the filter and the control law.
//!
//! Nothing here knows of channels, clocks or files. A test can run an hour of robot in a second.

pub mod body;
pub mod control;
pub mod filter;
pub mod motor;
pub mod noise;
pub mod room;
pub mod sensors;

#[cfg(test)]
mod closed_loop;
