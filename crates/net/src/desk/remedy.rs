//! What helps when the system refuses.

use std::io::{self, ErrorKind};
use std::net::SocketAddrV4;

/// How to give a host without a network a route for multicast.
pub const LOOPBACK_ROUTE: &str =
    "connect a network, or name an interface by its address with `iface` (127.0.0.1: this host alone)";

/// The remedy when sending fails.
pub(crate) fn sending(group: SocketAddrV4, why: &io::Error) -> String {
    match why.kind() {
        ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable | ErrorKind::AddrNotAvailable => {
            format!("no route leads there: {LOOPBACK_ROUTE}")
        }
        ErrorKind::InvalidInput if group.port() == 0 => {
            "the group needs a port: LCM's default is 7667".to_owned()
        }
        ErrorKind::PermissionDenied => "a firewall forbids it: allow this program".to_owned(),
        ErrorKind::NetworkDown => "the interface is down: enable it".to_owned(),
        _ => "check the network's settings, or choose smaller datagrams".to_owned(),
    }
}

/// The remedy when a receiver cannot be opened.
pub(crate) fn receiving(group: SocketAddrV4, why: &io::Error) -> String {
    match why.kind() {
        ErrorKind::AddrNotAvailable => {
            format!(
                "{} is neither a multicast group nor an address of this machine, or no route leads there: {LOOPBACK_ROUTE}",
                group.ip()
            )
        }
        ErrorKind::AddrInUse => {
            "another program uses that port exclusively: end it, or choose another port".to_owned()
        }
        ErrorKind::PermissionDenied => "the system reserves that port: choose another one".to_owned(),
        _ => LOOPBACK_ROUTE.to_owned(),
    }
}
