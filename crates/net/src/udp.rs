//! UDP sockets: a group to send to and receive from, many datagrams per system call.
//!
//! A group is a multicast address, or a plain one, of this or another machine. IPv4 only, like LCM.

mod bound;
pub mod diagnose;
mod options;
mod pace;
mod receiver;
mod sender;

pub(crate) use bound::Bound;
pub use bound::Datagram;
pub use options::{Options, RECEIVE_BUFFER};
pub use pace::{Pace, Pacer, weight};
pub use receiver::Receiver;
pub use sender::Sender;

/// Datagrams per system call.
pub(crate) const BATCH: usize = 32;
