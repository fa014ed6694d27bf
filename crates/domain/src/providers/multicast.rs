//! Shared by `udpm://` and `mpudpm://`: socket options, and sender numbers.

use crate::Result;
use saltus_net::lcm::GROUP;
use saltus_net::udp::{self, Pace};
use saltus_transport::Url;
use std::net::{Ipv4Addr, SocketAddrV4};

/// The socket options.
pub(super) const SOCKET_OPTIONS: &str =
    "ttl, iface, recv_buf_size, send_buf_size, pace (MB/s, or off), datagram";

/// Reads the socket options of a URL.
pub(super) fn options(url: &mut Url) -> Result<udp::Options> {
    let memory = usize::try_from(url.memory() / 2).unwrap_or(usize::MAX);
    let mut options = udp::Options { group: group(url)?, memory, ..udp::Options::default() };
    if let Some(ttl) = url.take("ttl", "from 0 (this host) to 255")? {
        options.ttl = ttl;
    }
    options.iface = url.take("iface", "the name or address of a network interface")?;
    options.recv_buf = url.take("recv_buf_size", "a number of bytes")?;
    options.send_buf = url.take("send_buf_size", "a number of bytes")?;
    if let Some(datagram) = url.take("datagram", "a number of bytes")? {
        options.datagram = datagram;
    }
    if let Some(pace) = url.take::<String>("pace", "MB/s, or off")? {
        options.pace = match (pace.as_str(), pace.parse::<u64>()) {
            ("off", _) => None,
            (_, Ok(rate)) if rate > 0 => {
                Some(Pace { rate: rate.saturating_mul(1_000_000), ..Pace::default() })
            }
            _ => return Err(url.invalid("`pace` must be a rate in MB/s, or off")),
        };
    }
    // LCM's own; without meaning since its version 0.5.
    let _ = url.take::<String>("transmit_only", "")?;
    Ok(options)
}

/// The group that the URL names; by default LCM's own.
fn group(url: &Url) -> Result<SocketAddrV4> {
    let (address, port) = url.network.split_once(':').unwrap_or((&url.network, ""));
    let bad = |what: &str| url.invalid(&format!("{what}; expected, for example, udpm://239.255.76.67:7667"));
    let address = match address {
        "" => *GROUP.ip(),
        text => {
            text.parse::<Ipv4Addr>().map_err(|_| bad("its address must be four numbers separated by dots"))?
        }
    };
    let port = match port {
        "" => GROUP.port(),
        text => {
            text.parse().ok().filter(|p| *p != 0).ok_or_else(|| bad("its port must be from 1 to 65535"))?
        }
    };
    Ok(SocketAddrV4::new(address, port))
}

/// Identifies a sender: its address and port.
pub(super) fn number(from: SocketAddrV4) -> u64 {
    u64::from(from.ip().to_bits()) << 16 | u64::from(from.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_may_leave_out_what_lcm_has_a_default_for() {
        for (url, expected) in [
            ("udpm://", "239.255.76.67:7667"),
            ("udpm://239.1.2.3", "239.1.2.3:7667"),
            ("udpm://:7700", "239.255.76.67:7700"),
            ("udpm://239.1.2.3:7700?ttl=1", "239.1.2.3:7700"),
        ] {
            assert_eq!(group(&Url::parse(url).unwrap()).unwrap().to_string(), expected);
        }
        for bad in ["udpm://localhost:1", "udpm://239.1.2.3:0", "udpm://239.1.2.3:99999", "udpm://1.2.3:4"] {
            assert!(
                group(&Url::parse(bad).unwrap()).unwrap_err().to_string().contains("udpm://239"),
                "{bad}"
            );
        }
    }
}
