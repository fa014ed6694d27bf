//! Log files: messages with the channel they came on and the time they came at.
//!
//! Two formats: [LCM's event log](lcm), and MCAP, which says what its messages are. A [`Writer`] turns [`Event`]s into bytes for
//! any output, a [`Reader`] is fed bytes and gives events in the order of the file; a [`Log`] moves about in a file in the order
//! of time.
//!
//! [`Reader`], [`lcm`] and [`Pace`] neither block nor call the kernel: files, pipes and clocks are the caller's. Readers trust
//! nothing: they never panic, pass over what is damaged and count it ([`Damage`]), and keep no more in memory than the
//! longest event that they were told to believe, the names and types of the channels, and one chunk of MCAP. All of it
//! allocates, and is not for a control loop.

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

/// The programs of the guide's page compile.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/logs.md")]
struct Guide;
