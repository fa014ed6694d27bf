//! Commands that mend what the kernel refuses.

use std::io;
use std::net::SocketAddrV4;

/// The commands that add a multicast route on a host without a network.
pub const LOOPBACK_ROUTE: &str =
    "for this host alone: `ip link set lo multicast on; ip route add 224.0.0.0/4 dev lo`";

/// The remedy when sending fails.
pub(crate) fn sending(group: SocketAddrV4, why: &io::Error) -> String {
    match why.raw_os_error() {
        Some(libc::ENETUNREACH | libc::EHOSTUNREACH | libc::ENODEV) => {
            format!("no route leads there; {LOOPBACK_ROUTE}; or name an interface by `iface`")
        }
        Some(libc::EINVAL) if group.port() == 0 => "the group needs a port: LCM's default is 7667".to_owned(),
        Some(libc::EPERM) => "a firewall forbids it: see `nft list ruleset`".to_owned(),
        Some(libc::EMSGSIZE) => "choose smaller datagrams".to_owned(),
        Some(libc::ENETDOWN) => "the interface is down: `ip link set <interface> up`".to_owned(),
        _ => "see `ip route get` for the way there".to_owned(),
    }
}

/// The remedy when a receiver cannot be opened.
pub(crate) fn receiving(group: SocketAddrV4, why: &io::Error) -> String {
    match why.raw_os_error() {
        Some(libc::ENODEV) => {
            format!("no route for multicast; {LOOPBACK_ROUTE}; or name an interface by `iface`")
        }
        Some(libc::EADDRNOTAVAIL) => {
            format!(
                "{} is neither a multicast group nor an address of this machine: see `ip address`",
                group.ip()
            )
        }
        Some(libc::EADDRINUSE) => {
            "another program uses that port exclusively: `ss -ulpn` lists them".to_owned()
        }
        Some(libc::EACCES) => "ports below 1024 require a privilege: choose a higher one".to_owned(),
        Some(libc::ENOBUFS) => {
            "this host is in too many groups: raise `sysctl net.ipv4.igmp_max_memberships`".to_owned()
        }
        _ => "see `ip address` and `ip maddress`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remedies_are_commands() {
        let group = crate::lcm::GROUP;
        let why = sending(group, &io::Error::from_raw_os_error(libc::ENETUNREACH));
        assert!(why.contains("ip route add 224.0.0.0/4 dev lo"), "{why}");
        let why = receiving(group, &io::Error::from_raw_os_error(libc::ENODEV));
        assert!(why.contains("iface"), "{why}");
    }
}
