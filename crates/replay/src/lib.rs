//! Plays logs into a domain.
//!
//! `crates/play` decides what is due and when, and does no input or output. This crate does: [`Outlets`] publishes events,
//! [`Restamp`] gives them their original timestamps, [`Clock`] publishes the time of the log, and a [`Session`] runs until the
//! end, doing what [`Key`]s ask for. As fast as readers keep up means that subscribers in shared memory are waited for.

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
pub use session::{Answer, Part, Session, Wish};
pub use timestamps::Restamp;
