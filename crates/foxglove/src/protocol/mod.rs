//! What goes over the wire: texts in JSON with an `op`, and binary messages that begin with an opcode. Numbers in binary
//! messages are little endian.
//!
//! From client to server:
//!
//! | text | |
//! |---|---|
//! | `subscribe`, `unsubscribe` | channels that the client wants, by numbers of its own |
//! | `advertise`, `unadvertise` | channels that the client publishes |
//! | `subscribeConnectionGraph`, `unsubscribeConnectionGraph` | who talks to whom |
//!
//! | binary | then |
//! |---|---|
//! | 1: a message | channel (4) │ the message |
//! | 3: what the player is to do | play 0, pause 1 (1) │ speed, `f32` (4) │ whether to seek (1) │ where to, ns (8) │ length of the name (4) │ name of the request |
//!
//! From server to client:
//!
//! | text | |
//! |---|---|
//! | `serverInfo` | what the server can do; the first message |
//! | `advertise`, `unadvertise` | channels that there are, and what their messages are |
//! | `status` | what somebody should know: 0 for information, 1 for a warning, 2 for an error |
//! | `connectionGraphUpdate` | who talks to whom |
//!
//! | binary | then |
//! |---|---|
//! | 1: a message | subscription (4) │ its time, ns since 1970 (8) │ the message |
//! | 2: the time | ns since 1970 (8) |
//! | 5: how the player stands | playing 0, paused 1, buffering 2, ended 3 (1) │ time of the log, ns (8) │ speed, `f32` (4) │ whether somebody moved it (1) │ length of the name (4) │ name of the request |

mod client;
mod server;

pub use client::{Asked, ClientAdvert, ClientMessage, Command, Playback, Subscription, Wrong};
pub use server::{
    Advert, Graph, Level, Stand, State, Status, advertise, info, message, playback, status, time, unadvertise,
};

/// Names under which a client may ask for the protocol. They mean the same, except that only the first has messages about a
/// player.
pub const SUBPROTOCOLS: [&str; 2] = ["foxglove.sdk.v1", OLD];
/// The older name.
pub const OLD: &str = "foxglove.websocket.v1";
