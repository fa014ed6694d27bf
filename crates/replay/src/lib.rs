//! Plays logs into a domain.
//!
//! `crates/play` determines which event is due and when, and publishes nothing. This crate publishes: [`Outlets`] publishes events,
//! [`Restamp`] sets their original timestamps, [`Clock`] publishes the time of the log, and a [`Session`] runs until the end, and handles
//! [`Key`]s. At speed 0, it waits for subscribers in shared memory.

mod clock;
mod error;
mod keys;
mod lags;
mod line;
mod outlets;
mod readers;
mod session;
mod timestamps;

pub use clock::Clock;
pub use error::{Error, Result};
pub use keys::{HELP, Key, Keys};
pub use line::Line;
pub use outlets::{Choice, Late, Outlets, Report};
pub use readers::Tell;
pub use session::{Action, Answer, Part, Session};
pub use timestamps::Restamp;
