//! The parts without processes: the simulation, the sensors, the filter and the control law.
//!
//! This module uses no channels, clocks or files. A test can simulate an hour in a second.

pub mod body;
pub mod control;
pub mod filter;
pub mod motor;
pub mod noise;
pub mod room;
pub mod sensors;

mod closed_loop;
