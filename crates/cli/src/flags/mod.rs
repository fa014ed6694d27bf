//! Options that several commands share. Each is defined once, so that it means the same everywhere.
//!
//! A struct for clap holds the typed text; its method `meant` returns the parsed value.

pub(crate) mod choice;
pub(crate) mod consent;
pub(crate) mod domain;
pub(crate) mod habits;
pub(crate) mod help;
pub(crate) mod mcap;
pub(crate) mod output;
pub(crate) mod selection;
pub(crate) mod start;
pub(crate) mod time;
pub(crate) mod types;

pub(crate) use choice::{Choices, one_of};
pub(crate) use mcap::Mcap;
pub(crate) use output::{Force, Json, Output, Printed, Quiet};
pub(crate) use selection::{AnyNames, Names};
pub(crate) use start::StartAt;
pub(crate) use time::{Count, Rate, Reports, RunTime, Timeout};
pub(crate) use types::TypeDirs;
