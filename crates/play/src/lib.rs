//! A player of logs, without a clock and without a network.
//!
//! ```text
//! logs ──► Reel (all events in the order of time) ──► Player: what is due, and when ──► whoever publishes
//!                                                        ▲ now, play, pause, speed, step, seek, loop
//! ```
//!
//! A [`Player`] is told what time it is, and says which event is due or how long to wait. It can be stepped forwards and
//! backwards, by message or by channel, and told to repeat between two marks. Tests give it a clock of their own.

mod bookmarks;
mod player;
mod reel;
mod timeline;

pub use bookmarks::{Bookmark, Bookmarks};
pub use player::{Direction, Player, Todo};
pub use reel::Reel;
pub use timeline::{Spot, Timeline};
