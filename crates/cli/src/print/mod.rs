//! Output of commands, on a terminal or not.

pub(crate) mod live;
pub(crate) mod out;
pub(crate) mod progress;
