//! The encoding of the protocol: text messages in JSON with an `op`, and binary messages that begin with an opcode. Numbers in binary
//! messages are little endian.
//!
//! From client to server:
//!
//! | text | |
//! |---|---|
//! | `subscribe`, `unsubscribe` | subscriptions to channels, with the client's numbers |
//! | `advertise`, `unadvertise` | channels that the client publishes |
//! | `subscribeConnectionGraph`, `unsubscribeConnectionGraph` | the connection graph: publishers and subscribers |
//!
//! | binary | then |
//! |---|---|
//! | 1: a message | channel (4) │ the message |
//! | 3: a command to the player | play 0, pause 1 (1) │ speed, `f32` (4) │ whether to seek (1) │ where to, ns (8) │ length of the name (4)
//! │ name of the request |
//!
//! From server to client:
//!
//! | text | |
//! |---|---|
//! | `serverInfo` | what the server can do; the first message |
//! | `advertise`, `unadvertise` | channels, with the types of their messages |
//! | `status` | a notice: 0 for information, 1 for a warning, 2 for an error |
//! | `connectionGraphUpdate` | the connection graph: publishers and subscribers |
//!
//! | binary | then |
//! |---|---|
//! | 1: a message | subscription (4) │ its time, ns since 1970 (8) │ the message |
//! | 2: the time | ns since 1970 (8) |
//! | 5: the player's state | playing 0, paused 1, buffering 2, ended 3 (1) │ time of the log, ns (8) │ speed, `f32` (4) │ whether it jumped
//! (1) │ length of the name (4) │ name of the request |

mod client;
mod server;

pub use client::{Asked, ClientAdvert, ClientMessage, Command, Playback, Subscription, Wrong};
pub use server::{
    Advert, Graph, Level, Stand, State, Status, advertise, info, message, playback, status, time, unadvertise,
};

/// Names of the protocol that a client may request. They are equivalent, except that only the first has messages about a player.
pub const SUBPROTOCOLS: [&str; 2] = ["foxglove.sdk.v1", OLD];
/// The older name.
pub const OLD: &str = "foxglove.websocket.v1";
