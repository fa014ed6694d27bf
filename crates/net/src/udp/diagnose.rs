//! Diagnoses this machine's network, and suggests commands.

use std::fs;
use std::net::Ipv4Addr;

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

/// Flags of a route in the table: it is usable; it is a refusal.
const UP: u32 = 0x1;
const REJECT: u32 = 0x200;

/// The interface of the most specific route to `to` in the kernel's table, `/proc/net/route`. Reads nothing.
pub fn route(table: &str, to: Ipv4Addr) -> Option<String> {
    let to = u32::from_ne_bytes(to.octets());
    let number = |word: &str| u32::from_str_radix(word, 16).ok();
    let routes = table.lines().skip(1).filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, goal, _, flags, _, _, metric, mask, ..] = words[..] else { return None };
        let (goal, flags, mask) = (number(goal)?, number(flags)?, number(mask)?);
        let leads = flags & UP != 0 && flags & REJECT == 0 && to & mask == goal;
        let metric = metric.parse::<i64>().unwrap_or(0);
        leads.then(|| ((mask.count_ones(), -metric), name.to_owned()))
    });
    routes.max_by_key(|(rank, _)| *rank).map(|(_, name)| name)
}

/// How to give a host without a network a route for multicast.
pub use crate::system::remedy::LOOPBACK_ROUTE;

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
}
