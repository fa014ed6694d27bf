//! What commands print, and how: for people, for programs, on a terminal.

pub mod message;
pub mod out;
pub mod progress;

pub use message::*;
