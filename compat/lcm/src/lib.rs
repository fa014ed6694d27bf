//! LCM's C interface over Saltus: `liblcm.so.1`, for programs that were built for LCM.
//!
//! The headers are in `include/lcm`. Structures, return values and the order of calls are those of LCM 1.5.3; README.md lists the
//! differences. Nothing of LCM's source is used: its behavior was observed and described.
//!
//! | file | contents |
//! |---|---|
//! | `border` | the border between C and Rust: panics, NULLs, one line on standard error |
//! | `pattern` | LCM's patterns of channels |
//! | `queue` | the queue of an instance, and which subscription receives what |
//! | `shared` | the queue and its descriptor, as shared with threads that receive |
//! | `eventlog` | LCM's event log on a C stream |
//! | `source` | the trait of what carries messages |
//! | `network`, `memory`, `file`, `machine` | the sources: networks, `memq://`, `file://`, channels of this machine |
//! | `url` | URLs, and the choice of the source |
//! | `instance` | an `lcm_t` |
//! | `api`, `eventlog_api` | the functions that C calls |

// The rules for all pointers are in the headers; a section in each function would repeat them.
#![allow(clippy::missing_safety_doc)]

mod api;
mod border;
mod eventlog;
mod eventlog_api;
mod file;
mod instance;
mod machine;
mod memory;
mod network;
mod pattern;
mod queue;
mod shared;
mod source;
mod url;

pub use api::*;
pub use eventlog::{Event, EventLog};
pub use eventlog_api::*;
pub use instance::Instance;
