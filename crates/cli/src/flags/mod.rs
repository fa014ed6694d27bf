//! Flags that several commands have: each defined once, so that it means the same everywhere.
//!
//! What was typed is a struct for clap; what is meant is another type, which `meant` makes of it.

pub(crate) mod domain;
pub(crate) mod help;
pub(crate) mod output;
pub(crate) mod selection;
pub(crate) mod time;
pub(crate) mod types;

pub(crate) use output::{Force, Json, Printed, Quiet};
pub(crate) use selection::{AnyNames, Names};
pub(crate) use time::{Count, Rate, Timeout};
pub(crate) use types::TypeDirs;
