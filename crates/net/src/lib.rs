//! Network protocols: LCM's UDP multicast and TCP hub, compatible byte for byte, as state machines without I/O, and
//! their sockets.
//!
//! ```text
//!   publish ──► split ──► Pace ──► udp::Sender ──►  network  ──► udp::Receiver ──► packet ──► Reassembly ──► sink
//!                                                                                    └──► Senders (loss, copies)
//! ```
//!
//! [`lcm`] is the multicast protocol: [`lcm::Publisher`] and [`lcm::Listener`] combine all of it for `udpm://`.
//! [`udp`] has sockets without LCM's protocol. This crate starts no threads. To wait, poll the descriptor, then
//! call `drain`.
//!
//! Nothing from the network is trusted: every length is checked, memory is bounded, and dropped data is counted. In
//! the steady state, publishing a message of one datagram and draining do not allocate.

#[cfg(not(target_os = "linux"))]
mod desk;
mod error;
pub mod lcm;
#[cfg(target_os = "linux")]
mod linux;
mod lru;
pub mod tcpq;
pub mod udp;

#[cfg(not(target_os = "linux"))]
use desk as system;
#[cfg(target_os = "linux")]
use linux as system;

pub use error::{Error, Result};
