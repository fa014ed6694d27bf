//! What people and programs see of messages, types, channels and logs: text, bytes and JSON.

mod channel;
mod json;
mod log;
mod message;
mod types;

pub use channel::ChannelLine;
pub use json::{Timestamp, json};
pub use log::LogLine;
pub use message::{About, Format, Message, print};
pub use types::{EnumLine, StructLine};
