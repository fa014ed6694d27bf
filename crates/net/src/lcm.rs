//! LCM's network protocol, as in LCM 1.5.3: datagrams to a multicast group, long messages in fragments.
//!
//! [`packet`], [`split`], [`reassembly`], [`senders`] and [`port`] are state machines: their inputs are bytes and a
//! time, their outputs messages. [`Intake`] combines those of a receiver; [`Publisher`] and [`Listener`] add the
//! sockets, and [`mpudpm`] many of them.

mod check;
mod intake;
mod listener;
pub mod mpudpm;
pub mod packet;
pub mod port;
mod publisher;
pub mod reassembly;
pub mod senders;
mod spare;
pub mod split;
mod udpm;

pub use check::{SELF_TEST, check};
pub use intake::{Counters, Intake, Received, Sink};
pub use listener::Listener;
pub use publisher::{Publisher, Sent};
pub use udpm::Udpm;

use std::net::{Ipv4Addr, SocketAddrV4};

/// Longest name of a channel in bytes.
pub const CHANNEL: usize = 63;
/// Longest message in bytes that LCM's receivers accept: 256 MiB.
pub const MESSAGE: usize = 1 << 28;
/// Longest datagram in bytes: the maximum of UDP over IPv4.
pub const DATAGRAM: usize = 65507;
/// LCM's default group.
pub const GROUP: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(239, 255, 76, 67), 7667);
