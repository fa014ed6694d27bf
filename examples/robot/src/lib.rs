//! A balancing robot made of processes: the demo of Saltus, its main test, and its tutorial.
//!
//! - [`programs`]: the robot, one process each. Begin with [`programs::balance`].
//! - [`life`]: code that all of them share; [`channels`]: the channels between them; [`wire`]: their messages.
//! - [`sim`]: the parts without processes.
//! - [`demo`]: the supervisor, the chaos, the picture and the report.
//!
//! The crate's `README.md` shows the structure, and how to start each program by hand.

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
