//! Log files: messages with their channels and times.
//!
//! Two formats: [LCM's event log](lcm), and MCAP, which contains message types. A [`Writer`] encodes [`Event`]s for
//! any output. A [`Reader`] is fed bytes and returns events in the order of the file. A [`Log`] provides random
//! access to a file in the order of time.
//!
//! [`Reader`], [`lcm`] and [`Pace`] neither block nor make system calls: files, pipes and clocks are the caller's.
//! Readers trust nothing: they never panic, and skip and count damaged data ([`Damage`]). They keep in memory at
//! most the longest event that they accept, the names and types of the channels, and one MCAP chunk. All of it
//! allocates, and is not suitable for a control loop.

mod bytes;
mod channel;
mod damage;
pub mod edit;
mod error;
mod event;
mod format;
mod index;
pub mod lcm;
mod log;
mod mcap;
mod options;
mod pace;
mod place;
mod reader;
mod writer;

pub use channel::Channel;
pub use damage::Damage;
pub use error::{Error, Result};
pub use event::Event;
pub use format::Format;
pub use index::{ChannelSummary, Summary};
pub use log::{Keep, Log, Mark};
pub use mcap::{add_metadata, is_finished};
pub use options::{Compression, WriterOptions};
pub use pace::Pace;
pub use reader::Reader;
pub use saltus_decode::{Kind, SchemaText, Types};
pub use writer::Writer;

/// Compiles the example programs of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/logs.md")]
struct Guide;
