//! Networks: LCM's UDP multicast to the byte, as state machines without input or output, and the sockets for it.
//!
//! ```text
//!   publish ──► split ──► Pace ──► udp::Sender ──►  network  ──► udp::Receiver ──► packet ──► Reassembly ──► sink
//!                                                                                    └──► Senders (loss, copies)
//! ```
//!
//! [`lcm`] is the protocol: [`lcm::Publisher`] and [`lcm::Listener`] are all of it put together for `udpm://`. [`udp`] is
//! sockets and nothing of LCM. Nothing here starts a thread. Whoever waits polls the descriptor and drains.
//!
//! Nothing from the network is trusted: every length is checked, memory is bounded whatever is sent, and what is
//! dropped is counted. In the steady state neither publishing a message of one datagram nor draining allocates.

mod error;
pub mod lcm;
mod lru;
pub mod tcpq;
pub mod udp;

pub use error::{Error, Result};
