//! LCM's C interface over Saltus: `liblcm.so.1`, for programs that were built for LCM.
//!
//! The headers are in `include/lcm`. Structures, return values and the order of calls are those of LCM 1.5.3; README.md lists the
//! differences. Nothing of LCM's source is used: its behavior was observed and described.
//!
//! | file | contents |
//! |---|---|
//! | `border` | the border between C and Rust: panics, NULLs |
//! | `api`, `eventlog_api` | the functions that C calls |
//!
//! What an instance does is in `core`, a package of its own.

// The rules for all pointers are in the headers; a section in each function would repeat them.
#![allow(clippy::missing_safety_doc)]

mod api;
mod border;
mod eventlog_api;

pub use api::*;
pub use eventlog_api::*;
pub use saltus_lcm_core::Instance;
pub use saltus_lcm_core::eventlog::EventLog;
