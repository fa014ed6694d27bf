//! The contenders of the network's set, one file each. CycloneDDS and Zenoh, used directly, join them here once their
//! providers are there to be compared.

mod domain;
mod hub;
mod lcm;
mod library;
mod multicast;
mod zmq;

use super::saltus::Saltus;
use crate::contender::Contender;
use std::net::{Ipv4Addr, SocketAddrV4};

/// The reference: every ratio is to it.
pub const REFERENCE: &str = "multicast";

/// What a stock kernel lets a process ask for as a receive buffer (`net.core.rmem_max`), bytes.
const STOCK_BUFFER: usize = 212_992;

/// All contenders, the reference first.
pub fn all() -> Vec<Box<dyn Contender>> {
    vec![
        Box::new(multicast::Multicast),
        Box::new(domain::Domains::Udpm),
        Box::new(lcm::Lcm { big: false }),
        Box::new(lcm::Lcm { big: true }),
        Box::new(domain::Domains::Tcpq),
        #[cfg(feature = "zmq")]
        Box::new(domain::Domains::Zmq),
        Box::new(zmq::Zmq { tcp: false }),
        Box::new(zmq::Zmq { tcp: true }),
        Box::new(domain::Domains::Shm),
        Box::new(Saltus::Copy),
        Box::new(domain::Domains::Mem),
    ]
}

/// The group of connection `number`: an address and a port that no other connection of the run has.
fn group(number: u64) -> SocketAddrV4 {
    let [.., high, low] = number.to_be_bytes();
    SocketAddrV4::new(Ipv4Addr::new(239, 255, high, low), 7667 + (number % 20_000) as u16)
}
