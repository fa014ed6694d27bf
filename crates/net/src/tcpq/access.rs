//! Which clients a hub accepts. LCM's protocol has no place for a token.

use saltus_os::peer;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::str::FromStr;

/// The addresses that begin with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    ip: IpAddr,
    bits: u32,
}

impl Network {
    /// All loopback addresses.
    pub const LOOPBACK: [Network; 2] = [
        Network { ip: IpAddr::V4(Ipv4Addr::new(127, 0, 0, 0)), bits: 8 },
        Network { ip: IpAddr::V6(Ipv6Addr::LOCALHOST), bits: 128 },
    ];

    /// Whether it contains an address. IPv4 addresses in IPv6's form count as IPv4.
    pub fn contains(&self, ip: IpAddr) -> bool {
        let differ = match (self.ip, ip.to_canonical()) {
            (IpAddr::V4(a), IpAddr::V4(b)) => {
                let all = u64::from(a.to_bits() ^ b.to_bits()) << 32; // its first bit is the highest
                u128::from(all) << 64
            }
            (IpAddr::V6(a), IpAddr::V6(b)) => a.to_bits() ^ b.to_bits(),
            _ => return false,
        };
        differ.leading_zeros() >= self.bits
    }
}

impl FromStr for Network {
    type Err = String;

    /// An address, or an address and the number of bits that count, such as `10.0.0.0/8`.
    fn from_str(text: &str) -> Result<Network, String> {
        let bad = || "expected an address or a network, such as 10.0.0.7 or 192.168.1.0/24".to_string();
        let (ip, bits) = text.split_once('/').map_or((text, None), |(ip, bits)| (ip, Some(bits)));
        let ip: IpAddr = ip.parse().map_err(|_| bad())?;
        let most = if ip.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), str::parse).ok().filter(|bits| *bits <= most).ok_or_else(bad)?;
        match ip.to_canonical() {
            // IPv4 in IPv6's form.
            plain if plain != ip && bits >= 96 => Ok(Network { ip: plain, bits: bits - 96 }),
            _ => Ok(Network { ip, bits }),
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Network { ip, bits } = self;
        let all = if ip.is_ipv4() { 32 } else { 128 };
        if *bits == all { ip.fmt(f) } else { write!(f, "{ip}/{bits}") }
    }
}

/// Which clients a hub accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// The networks of their addresses; empty: any.
    pub networks: Vec<Network>,
    /// Only programs of this process's user and of root, on this machine. A client that has closed its connection
    /// before the hub accepts it is refused, because the kernel no longer knows its user.
    pub own_user: bool,
}

impl Access {
    /// For a hub that listens there: of loopback only loopback, otherwise any.
    pub fn of(listen: SocketAddr) -> Access {
        let networks = if listen.ip().is_loopback() { Network::LOOPBACK.to_vec() } else { Vec::new() };
        Access { networks, own_user: false }
    }

    /// Whether a client at this address is accepted.
    pub(super) fn admits(&self, stream: &TcpStream, address: SocketAddr) -> io::Result<bool> {
        let is_there = self.networks.is_empty() || self.networks.iter().any(|one| one.contains(address.ip()));
        Ok(is_there && (!self.own_user || peer::is_own(stream.local_addr()?, address)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_contains_what_begins_with_its_bits() {
        let contains =
            |network: &str, ip: &str| network.parse::<Network>().unwrap().contains(ip.parse().unwrap());
        for (network, ip) in [
            ("10.0.0.0/8", "10.255.0.1"),
            ("10.0.0.7", "10.0.0.7"),
            ("192.168.1.77/24", "192.168.1.1"),
            ("0.0.0.0/0", "8.8.8.8"),
            ("127.0.0.0/8", "::ffff:127.0.0.1"),
            ("::ffff:10.0.0.7", "10.0.0.7"),
            ("::ffff:10.0.0.0/104", "10.255.0.1"),
            ("fe80::/10", "febf::1"),
            ("::/0", "1::"),
        ] {
            assert!(contains(network, ip), "{network} {ip}");
        }
        for (network, ip) in [
            ("10.0.0.0/8", "11.0.0.1"),
            ("10.0.0.7", "10.0.0.6"),
            ("192.168.1.0/24", "192.168.2.1"),
            ("0.0.0.0/0", "::1"),
            ("fe80::/10", "fec0::1"),
            ("::1", "::2"),
        ] {
            assert!(!contains(network, ip), "{network} {ip}");
        }
        for bad in ["", "robot", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/-1", "10.0.0/8"] {
            assert!(bad.parse::<Network>().unwrap_err().contains("192.168.1.0/24"), "{bad}");
        }
        let texts = ["10.0.0.0/8", "10.0.0.7", "::1"];
        assert_eq!(texts.map(|text| text.parse::<Network>().unwrap().to_string()), texts);
    }
}
