//! Diagnoses this machine's network, and suggests commands.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};

/// The kernel's settings for sending to a group. Reading them makes system calls and allocates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The interface that the routes choose for the group, if there is one.
    pub interface: Option<String>,
    /// Most receive buffer bytes without privileges.
    pub receive_most: Option<usize>,
}

impl Facts {
    /// Reads `/proc/net/route` of this thread's network, and `net.core.rmem_max`.
    pub fn read(group: Ipv4Addr) -> Facts {
        let routes = fs::read_to_string("/proc/thread-self/net/route").unwrap_or_default();
        let most = fs::read_to_string("/proc/sys/net/core/rmem_max").unwrap_or_default();
        Facts { interface: route(&routes, group), receive_most: most.trim().parse().ok() }
    }
}

/// The interface of the most specific route to `to` in the kernel's table, `/proc/net/route`. Reads nothing.
pub fn route(table: &str, to: Ipv4Addr) -> Option<String> {
    let to = u32::from_ne_bytes(to.octets());
    let number = |word: &str| u32::from_str_radix(word, 16).ok();
    let routes = table.lines().skip(1).filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, goal, _, flags, _, _, metric, mask, ..] = words[..] else { return None };
        let (goal, flags, mask) = (number(goal)?, number(flags)?, number(mask)?);
        let leads = flags & u32::from(libc::RTF_UP) != 0
            && flags & u32::from(libc::RTF_REJECT) == 0
            && to & mask == goal;
        let metric = metric.parse::<i64>().unwrap_or(0);
        leads.then(|| ((mask.count_ones(), -metric), name.to_owned()))
    });
    routes.max_by_key(|(rank, _)| *rank).map(|(_, name)| name)
}

/// The commands that add a multicast route on a host without a network.
pub const LOOPBACK_ROUTE: &str =
    "for this host alone: `ip link set lo multicast on; ip route add 224.0.0.0/4 dev lo`";

/// The remedy when sending fails.
pub(super) fn sending(group: SocketAddrV4, why: &io::Error) -> String {
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
pub(super) fn receiving(group: SocketAddrV4, why: &io::Error) -> String {
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

    const TABLE: &str = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0
wlan0\t00000000\t010200C0\t0003\t0\t0\t50\t00000000\t0\t0\t0
eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0
lo\t000000E0\t00000000\t0001\t0\t0\t0\t000000F0\t0\t0\t0
eth1\t00FFEF00\t00000000\t0000\t0\t0\t0\t00FFFFFF\t0\t0\t0
";

    #[test]
    fn the_most_exact_route_is_found() {
        let to = |a, b, c, d| route(TABLE, Ipv4Addr::new(a, b, c, d));
        assert_eq!(to(239, 255, 76, 67).as_deref(), Some("lo"));
        assert_eq!(to(192, 0, 2, 9).as_deref(), Some("eth0"));
        assert_eq!(to(8, 8, 8, 8).as_deref(), Some("wlan0"), "the lower metric");
        assert_eq!(route("Iface\n", Ipv4Addr::new(239, 255, 76, 67)), None);
        assert_eq!(route("", Ipv4Addr::LOCALHOST), None);
    }

    #[test]
    fn remedies_are_commands() {
        let group = crate::lcm::GROUP;
        let why = sending(group, &io::Error::from_raw_os_error(libc::ENETUNREACH));
        assert!(why.contains("ip route add 224.0.0.0/4 dev lo"), "{why}");
        let why = receiving(group, &io::Error::from_raw_os_error(libc::ENODEV));
        assert!(why.contains("iface"), "{why}");
    }
}
