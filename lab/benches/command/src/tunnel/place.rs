//! The environment of the measurement: between two separate networks if possible, otherwise over loopback.

use std::net::Ipv4Addr;

use saltus_links::Badness;
use saltus_netns::{Space, join};
use saltus_tunnel::Driver;

use super::relay::UdpRelay;
use super::wire::Wire;
use crate::outcome::Outcome;

const SENDER: Ipv4Addr = Ipv4Addr::new(10, 71, 76, 1);
const RECEIVER: Ipv4Addr = Ipv4Addr::new(10, 71, 76, 2);
/// The relay's own addresses, to which nothing is sent.
const RELAY: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 71, 76, 3), Ipv4Addr::new(10, 71, 76, 4)];
/// The interfaces, at the sender's cable and at the receiver's.
const CABLES: [&str; 2] = ["left", "right"];
const PORT: u16 = 7710;

/// A network for each end.
pub enum Place {
    Networks { sender: Space, relay: Space, receiver: Space },
    Loopback { why: std::io::Error },
}

/// The relay between the ends.
pub enum Between {
    Wire(Wire),
    Udp(UdpRelay),
}

impl Place {
    pub fn new() -> Place {
        let spaces = || Ok((Space::new()?, Space::new()?, Space::new()?));
        match spaces() {
            Ok((sender, relay, receiver)) => {
                join(CABLES[0], (&sender, SENDER), (&relay, RELAY[0]));
                join(CABLES[1], (&receiver, RECEIVER), (&relay, RELAY[1]));
                Place::Networks { sender, relay, receiver }
            }
            Err(why) => Place::Loopback { why },
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Place::Networks { .. } => "packets between network namespaces",
            Place::Loopback { .. } => "UDP over loopback",
        }
    }
    /// The environment, and what cannot be measured in it.
    pub fn words(&self) -> String {
        match self {
            Place::Networks { .. } => {
                "the relay carries every packet between two network namespaces (AF_PACKET)".into()
            }
            Place::Loopback { why } => format!(
                "no network namespaces ({why}; run as root): the relay carries UDP over loopback, and TCP cannot be \
                 measured here, since nothing can drop its packets"
            ),
        }
    }
    pub fn carries_tcp(&self) -> bool {
        matches!(self, Place::Networks { .. })
    }

    /// A relay with these defects.
    pub fn relay(&self, badness: Badness) -> Outcome<Between> {
        match self {
            Place::Networks { sender, relay, receiver } => {
                Wire::start([(sender, CABLES[0]), (receiver, CABLES[1])], relay, badness).map(Between::Wire)
            }
            Place::Loopback { .. } => UdpRelay::start(badness).map(Between::Udp),
        }
    }

    /// Creates something in the receiver's network.
    pub fn receiver<T: Send>(&self, make: impl FnOnce() -> T + Send) -> T {
        match self {
            Place::Networks { receiver, .. } => receiver.run(make),
            Place::Loopback { .. } => make(),
        }
    }
    /// Creates something in the sender's network.
    pub fn sender<T: Send>(&self, make: impl FnOnce() -> T + Send) -> T {
        match self {
            Place::Networks { sender, .. } => sender.run(make),
            Place::Loopback { .. } => make(),
        }
    }
}

impl Between {
    /// The address on which the receiver listens.
    pub fn listen(&self) -> &'static str {
        match self {
            Between::Wire(_) => "0.0.0.0:7710",
            Between::Udp(_) => "127.0.0.1:0",
        }
    }
    /// The address at which the sender reaches it.
    pub fn reach(&self, receiver: &Driver) -> String {
        match self {
            Between::Wire(_) => format!("{RECEIVER}:{PORT}"),
            Between::Udp(relay) => relay.lead_to(receiver).to_string(),
        }
    }
    /// Bytes that the sender has sent, with the headers of IP.
    pub fn bytes(&self) -> u64 {
        match self {
            Between::Wire(wire) => wire.bytes(),
            Between::Udp(relay) => relay.bytes(),
        }
    }
}
