//! LCM's network over TCP: every program connects to one hub, which forwards messages to subscribers.
//!
//! ```text
//!  client ──hello──►  hub        client ──► hub    1 publish      type, size, channel, size, message
//!  client ◄──hello──  hub        client ──► hub    2 subscribe    type, size, expression
//!                                client ──► hub    3 unsubscribe  type, size, expression
//!                                client ◄── hub    1 publish      all numbers 32 bits, big endian
//! ```
//!
//! [`frame`], [`Session`], [`Switch`] and [`Queue`] are state machines: their inputs are bytes and a time, their
//! outputs frames. [`Hub`] and [`Client`] add the sockets.
//!
//! **One addition to LCM's protocol.** A Saltus hub sends [`VERSION_MARKS`] in its hello, which LCM's clients
//! ignore. From such a hub a client may request a *mark* (frame 4, only a type). The hub returns it after it has
//! processed all earlier requests, so a client knows when the hub has its subscriptions. Other hubs and clients
//! never receive one.

mod access;
mod client;
mod expression;
pub mod frame;
mod hub;
mod intake;
mod queue;
mod session;
mod socket;
mod switch;

pub use access::{Access, Network};
pub use client::{Arrived, Client};
pub use expression::{Expression, full_match};
pub use hub::{ClientInfo, Hub, Limits, Stop, Told};
pub use intake::Intake;
pub use queue::{Queue, QueueLimits};
pub use session::Session;
pub use switch::{ClientStats, Reason, Stats, Switch};

/// The port that LCM's hub listens on.
pub const PORT: u16 = 7700;
/// First word of a client's hello.
pub const HELLO_CLIENT: u32 = 0x2876_17fb;
/// First word of a hub's hello.
pub const HELLO_HUB: u32 = 0x2876_17fa;
/// The version in the hello of LCM's clients and hubs.
pub const VERSION: u32 = 0x0100;
/// The version in the hello of a hub that answers marks.
pub const VERSION_MARKS: u32 = 0x5301;
/// Longest message in bytes.
pub const MESSAGE: usize = 1 << 28;
/// Longest name of a channel in bytes: the limit of LCM's log.
pub const CHANNEL: usize = 999;
/// Longest expression of a subscription in bytes.
pub const EXPRESSION: usize = 4096;
