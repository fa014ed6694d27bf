//! Ach's C interface over the channels of Saltus: a `libach.so.4` in place of Ach's.
//!
//! `include/ach.h` and the headers next to it are the documentation of the functions. Their names, values and structures are those of Ach
//! 2.0.0, which programs were compiled against; everything else is written for Saltus.
//!
//! | file | contents |
//! |---|---|
//! | `abi` | structures that programs have on their stacks |
//! | `status` | the numbers that functions return |
//! | `errors` | errors as statuses, and the sentence of `ach_errstr` |
//! | `border` | the border between C and Rust: panics and pointers |
//! | `slot` | a value that one call at a time uses, also across `fork` |
//! | `handle` | an open channel, and the table of all |
//! | `anonymous` | channels of one process, without a name |
//! | `time` | timeouts, in a channel's clock |
//! | `attr`, `create`, `get`, `put`, `inspect`, `event` | the functions |

// The rules for all pointers are in the header; a section in each function would repeat them.
#![allow(clippy::missing_safety_doc)]

mod abi;
mod anonymous;
mod attr;
mod border;
mod create;
mod errors;
mod event;
mod get;
mod handle;
mod inspect;
mod put;
mod slot;
mod status;
mod time;

pub use abi::*;
pub use attr::*;
pub use create::*;
pub use errors::ach_errstr;
pub use event::*;
pub use get::*;
pub use inspect::*;
pub use put::*;
pub use status::*;
