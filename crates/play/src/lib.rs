//! A player of logs, without a clock and without I/O other than reading logs.
//!
//! ```text
//! logs ──► Reel (all events in the order of time) ──► Player: the next event, and its time ──► publisher
//!                                                        ▲ now, play, pause, speed, step, seek, loop
//! ```
//!
//! A [`Player`] has no clock: given the current time, it returns the event that is due, or how long to wait. It can step forward and
//! backward, by message or by channel, and repeat between two marks. Tests use their own clock.

mod bookmarks;
mod player;
mod reel;
mod timeline;

pub use bookmarks::{Bookmark, Bookmarks};
pub use player::{Direction, Player, Todo};
pub use reel::Reel;
pub use timeline::{Spot, Timeline};
