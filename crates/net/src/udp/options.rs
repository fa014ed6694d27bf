//! Socket options.

use super::Pace;
use crate::lcm::{DATAGRAM, GROUP};
use std::net::SocketAddrV4;

/// Default receive buffer in bytes, as far as the kernel allows it.
pub const RECEIVE_BUFFER: usize = 4 << 20;

/// Default memory for incomplete messages in bytes: enough for LCM's longest message, 256 MiB.
pub const MEMORY: usize = 1 << 30;

/// Where and how to send and receive. The defaults are LCM's, except for the buffer and the pace.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The address and port to send to and to receive on.
    pub group: SocketAddrV4,
    /// How many routers a multicast datagram may cross; 0 keeps it on this host.
    pub ttl: u8,
    /// The network interface for multicast, by name (`eth0`) or address. `None`: chosen by the routes.
    pub iface: Option<String>,
    /// Receive buffer in bytes. `None`: [`RECEIVE_BUFFER`], or as near as the kernel allows. `Some(0)`: the
    /// kernel's default.
    pub recv_buf: Option<usize>,
    /// Send buffer in bytes. `None`: the kernel's default.
    pub send_buf: Option<usize>,
    /// How fast the datagrams of a long message follow each other. `None`: without a limit.
    pub pace: Option<Pace>,
    /// Size of the longest datagram in bytes, from 256 to 65507.
    pub datagram: usize,
    /// Most bytes of memory for incomplete messages, at least 64 MiB. Messages longer than a quarter of it are refused.
    pub memory: usize,
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
            memory: MEMORY,
        }
    }
}
