//! LCM's network over TCP: every program connects to one hub, which hands on what others subscribed to.
//!
//! ```text
//!  client ──hello──►  hub        client ──► hub    1 publish      type, size, channel, size, message
//!  client ◄──hello──  hub        client ──► hub    2 subscribe    type, size, expression
//!                                client ──► hub    3 unsubscribe  type, size, expression
//!                                client ◄── hub    1 publish      all numbers 32 bits, big endian
//! ```
//!
//! [`frame`], [`Session`], [`Switch`] and [`Queue`] are state machines: bytes and a time go in, frames come out.
//! [`Hub`] and [`Client`] add the sockets.
//!
//! **One addition to LCM's protocol.** A hub of Saltus tells [`VERSION_MARKS`] in its hello, which LCM's clients do not look
//! at. Of such a hub a client may ask for a *mark* (frame 4, nothing but its type), which comes back after all that was asked
//! before: so a client knows that the hub has its subscriptions. Other hubs and clients never see one.

mod client;
mod expression;
pub mod frame;
mod hub;
mod intake;
mod queue;
mod session;
mod socket;
mod switch;

pub use client::{Arrived, Client};
pub use expression::{Expression, full_match};
pub use hub::{ClientInfo, Hub, Limits, Stop, Told};
pub use intake::Intake;
pub use queue::{Queue, QueueLimits};
pub use session::Session;
pub use switch::{ClientStats, Reason, Stats, Switch};

/// The port that LCM's hub listens on.
pub const PORT: u16 = 7700;
/// What a client says first.
const HELLO_CLIENT: u32 = 0x2876_17fb;
/// What a hub says first.
const HELLO_HUB: u32 = 0x2876_17fa;
/// The version that LCM's clients and hubs tell.
pub const VERSION: u32 = 0x0100;
/// The version that a hub tells which answers marks.
pub const VERSION_MARKS: u32 = 0x5301;
/// Longest message in bytes.
pub const MESSAGE: usize = 1 << 28;
/// Longest name of a channel in bytes: what LCM's log can hold.
pub const CHANNEL: usize = 999;
/// Longest expression of a subscription in bytes.
pub const EXPRESSION: usize = 4096;
