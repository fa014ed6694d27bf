//! Where messages of a network land: in-memory channels, read like those in shared memory.
//!
//! ```text
//! socket ──drain──► Intake ──► Channel ─ Lane ─ … ◄── Reader ◄── InboxSubscriber
//!                     │           the ring of `saltus-ring`         │
//!                     └── whoever waits drains the socket itself; the helper thread only while nobody waits
//! ```
//!
//! A library that receives on threads of its own gives what comes to its [`Delivery`](saltus_transport::Delivery) at once; nobody drains then.
//!
//! A slow subscriber never blocks a socket, since messages are taken in without it, and it loses old messages rather
//! than new ones. Each channel is held once, however many subscribers it has in this process.

pub(crate) mod channel;
mod core;
mod helper;
mod intake;
mod lane;
mod parker;
mod reader;
mod spin;
pub(crate) mod store;
pub(crate) mod subscriber;
pub(crate) mod timestamp;
mod told;

pub(crate) use core::Inbox;
