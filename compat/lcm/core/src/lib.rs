//! How an instance of LCM behaves, over Saltus: its queue, its patterns, its URLs, its event logs. LCM's interfaces in C (`compat/lcm`) and in
//! Python (`bindings/python`) are thin layers over it.
//!
//! The behavior is that of LCM 1.5.3; `compat/lcm/README.md` lists the differences. Nothing of LCM's source is used: its behavior
//! was observed and described.
//!
//! | file | contents |
//! |---|---|
//! | `pattern` | LCM's patterns of channels |
//! | `queue` | the queue of an instance, and which subscription receives what |
//! | `shared` | the queue and its descriptor, as shared with threads that receive |
//! | `eventlog` | LCM's event log on a C stream |
//! | `source` | the trait of what carries messages |
//! | `network`, `memory`, `file`, `machine` | the sources: networks, `memq://`, `file://`, channels of this machine |
//! | `url` | URLs, and the choice of the source |
//! | `instance` | an `lcm_t` |
//! | `report` | one line on standard error |

pub mod eventlog;
mod file;
mod instance;
mod machine;
mod memory;
mod network;
mod pattern;
mod queue;
mod report;
mod shared;
mod source;
mod url;

pub use instance::{Handled, Instance};
pub use queue::{Handler, Message, Subscription};
pub use report::report;
pub use shared::Woken;
