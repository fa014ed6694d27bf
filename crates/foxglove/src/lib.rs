//! A server of the Foxglove WebSocket protocol, under both of its names, `foxglove.websocket.v1` and `foxglove.sdk.v1`.
//!
//! ```text
//! domain ──► Live ──┐                    ┌──► Outbox ──► client     one thread each for Live and Tape,
//! logs ────► Tape ──┴──► Hub (sub-       ┼──► Outbox ──► client     one for all sockets
//!             ▲    scriptions) ◄─ Session└──► Outbox ──► client
//!             └──── play, pause, seek
//! ```
//!
//! A [`Session`] is the protocol as a state machine: it converts a client's messages to [`Act`]s. The module [`protocol`] has the encoding.
//! Neither uses sockets. The feature `server` adds the [`Server`], which shows domains and plays logs. It subscribes to a shared-memory
//! channel only while a client does. A slow client loses old messages, learns how many, and does not delay other clients.

mod outbox;
pub mod protocol;
mod session;

#[cfg(feature = "server")]
mod error;
#[cfg(feature = "server")]
mod hub;
#[cfg(feature = "server")]
mod live;
#[cfg(feature = "server")]
mod publishing;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "server")]
mod shown;
#[cfg(feature = "server")]
mod socket;
#[cfg(feature = "server")]
mod tape;
#[cfg(feature = "server")]
mod way;

#[cfg(feature = "server")]
pub use error::{Error, Result};
pub use outbox::{Item, Outbox};
#[cfg(feature = "server")]
pub use server::{Server, Settings};
pub use session::{Act, ClientChannel, Powers, Session};
#[cfg(feature = "server")]
pub use tape::{Playing, Tape};
