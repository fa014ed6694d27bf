//! Received network messages: in-memory channels, read like those in shared memory.
//!
//! ```text
//! socket ──drain──► Intake ──► Channel ─ Lane ─ … ◄── Reader ◄── InboxSubscriber
//!                     │           the ring of `saltus-ring`         │
//!                     └── whoever waits drains the socket itself; the helper thread only while nobody waits
//! ```
//!
//! A library that receives on its own threads passes messages to its [`Delivery`](saltus_transport::Delivery)
//! immediately; nothing is drained then.
//!
//! A slow subscriber never blocks a socket, since messages are received independently of it, and it loses old
//! messages rather than new ones. Each channel is stored once, for all its subscribers in this process.

pub(crate) mod budget;
pub(crate) mod channel;
mod core;
mod helper;
mod intake;
mod lane;
mod parker;
mod reader;
mod reported;
mod spin;
pub(crate) mod store;
pub(crate) mod subscriber;
pub(crate) mod timestamp;

pub(crate) use core::Inbox;
