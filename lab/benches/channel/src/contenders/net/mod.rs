//! The contenders of the network's set, one file each. A build without a Cargo feature lists its contenders as
//! missing.

#[cfg(not(all(feature = "zmq", feature = "dds", feature = "zenoh", feature = "iceoryx2")))]
mod absent;
mod adapter;
mod cyclonedds;
pub mod domain;
mod endpoint;
mod hub;
pub mod lcm;
mod library;
mod meeting;
mod member;
mod multicast;
mod nng;
#[cfg(feature = "zenoh")]
mod zenoh;
mod zmq;

use super::saltus::Saltus;
use crate::contender::Contender;
use adapter::Adapter;

pub use multicast::REFERENCE;

/// A contender that needs a Cargo feature; without it, the report says so.
macro_rules! feature {
    ($feature:literal, $name:literal, $contender:expr) => {{
        #[cfg(feature = $feature)]
        let contender: Box<dyn Contender> = Box::new($contender);
        #[cfg(not(feature = $feature))]
        let contender: Box<dyn Contender> = Box::new(absent::Absent {
            name: $name,
            why: concat!("not in this build: --features ", $feature),
        });
        contender
    }};
}

/// All contenders, the reference first.
pub fn all() -> Vec<Box<dyn Contender>> {
    vec![
        Box::new(multicast::Multicast),
        Box::new(domain::Domains::Udpm),
        Box::new(lcm::Lcm { big: false }),
        Box::new(lcm::Lcm { big: true }),
        Box::new(domain::Domains::Tcpq),
        feature!("zmq", "zmq://", domain::Domains::Zmq),
        Box::new(zmq::Zmq { tcp: false }),
        Box::new(zmq::Zmq { tcp: true }),
        Box::new(nng::Nng { tcp: false }),
        Box::new(nng::Nng { tcp: true }),
        feature!("dds", "dds://", domain::Domains::Dds),
        Box::new(cyclonedds::Cyclonedds),
        Box::new(Adapter::new(&adapter::FASTDDS)),
        Box::new(Adapter::new(&adapter::ROSCPP)),
        feature!("zenoh", "zenoh://", domain::Domains::Zenoh),
        feature!("zenoh", "zenoh", zenoh::Zenoh),
        Box::new(domain::Domains::Shm),
        Box::new(Saltus::Copy),
        Box::new(domain::Domains::Mem),
    ]
}

/// The peers, with the reference and the Saltus providers that they are compared with.
pub fn peers() -> Vec<Box<dyn Contender>> {
    let mut all = all();
    all.retain(|contender| !NOT_WITH_PEERS.contains(&contender.name()));
    all.push(feature!("iceoryx2", "iceoryx2", super::iceoryx2::Iceoryx2 { in_place: false }));
    all
}

/// Excludes providers that use a peer's library, and contenders outside of domains or within one process.
const NOT_WITH_PEERS: [&str; 6] = ["zmq://", "dds://", "zenoh://", "tcpq://", "saltus", "mem://"];
