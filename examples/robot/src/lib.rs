//! A balancing robot made of processes: the demo of Saltus, and its tutorial.

pub mod carmen;
pub mod channels;
pub mod demo;
mod error;
pub mod life;
pub mod programs;
pub mod sim;
mod sys;
pub mod tally;
pub mod wire;

pub use error::{Error, Result};
pub use programs::role_main;
