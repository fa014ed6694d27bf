//! A balancing robot made of processes: the demo of Saltus, its main test, and its tutorial.
//!
//! - [`programs`]: the robot, one process each. Begin with [`programs::balance`].
//! - [`life`]: what all of them have in common; [`channels`]: the channels between them; [`wire`]: what travels there.
//! - [`sim`]: the parts without processes.
//! - [`demo`]: the supervisor, the chaos, the picture and the report.
//!
//! `README.md` beside this crate shows how it all hangs together and how to start each program by hand.

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
