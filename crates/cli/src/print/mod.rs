//! Output of commands: for people, for programs, on a terminal.

pub(crate) mod json;
pub(crate) mod message;
pub(crate) mod out;
pub(crate) mod progress;

pub(crate) use json::Timestamp;
pub(crate) use message::*;
