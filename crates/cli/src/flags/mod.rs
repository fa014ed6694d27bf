//! Flags that several commands have: each defined once, so that it means the same everywhere.
//!
//! What was typed is a struct for clap; what is meant is another type, which `meant` makes of it.

pub(crate) mod domain;
pub(crate) mod habits;
pub(crate) mod help;
pub(crate) mod mcap;
pub(crate) mod output;
pub(crate) mod selection;
pub(crate) mod start;
pub(crate) mod time;
pub(crate) mod types;

pub(crate) use mcap::Mcap;
pub(crate) use output::{Force, Json, Printed, Quiet};
pub(crate) use selection::{AnyNames, Names};
pub(crate) use start::StartAt;
pub(crate) use time::{Count, Rate, Reports, RunTime, Timeout};
pub(crate) use types::TypeDirs;
