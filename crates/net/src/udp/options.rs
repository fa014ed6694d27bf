//! What a socket is told.

use super::Pace;
use crate::lcm::{DATAGRAM, GROUP};
use std::net::SocketAddrV4;

/// What the kernel is asked to hold for a receiver that is told nothing else, in bytes, if it allows so much.
pub const RECEIVE_BUFFER: usize = 4 << 20;

/// Where to send and receive, and how. The defaults are LCM's, but for the buffer and the pace.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The address and port to send to and to receive on.
    pub group: SocketAddrV4,
    /// How many routers a multicast datagram may pass; 0 keeps it on this host.
    pub ttl: u8,
    /// The network interface for multicast, by name (`eth0`) or by its address. `None`: what the routes say.
    pub iface: Option<String>,
    /// Bytes that the kernel holds for this receiver. `None`: [`RECEIVE_BUFFER`], or as near as the kernel allows. `Some(0)`:
    /// the kernel's default.
    pub recv_buf: Option<usize>,
    /// Bytes that the kernel holds for this sender. `None`: the kernel's default.
    pub send_buf: Option<usize>,
    /// How fast the datagrams of a long message follow each other. `None`: as fast as they can.
    pub pace: Option<Pace>,
    /// Bytes of the longest datagram, from 256 to 65507.
    pub datagram: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            group: GROUP,
            ttl: 0,
            iface: None,
            recv_buf: None,
            send_buf: None,
            pace: Some(Pace::default()),
            datagram: DATAGRAM,
        }
    }
}
