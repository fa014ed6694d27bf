//! Settings of a tunnel's ends.

use crate::{Error, Key, Result};
use saltus_net::udp::Pace;
use std::str::FromStr;

/// Packet length that every IP network carries, including the headers of IP and UDP.
pub(crate) const SHORTEST: usize = 536;

/// Which end this is. They differ only in which of them starts the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Waits for the other end, at any address.
    Listen,
    /// Has the other end's address and starts the session; again after silence.
    Connect,
}

/// How much is sent in addition, to restore lost datagrams.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Redundancy {
    /// Nothing.
    None,
    /// At least this part of a message's fragments, such as 0.25. Small messages get more, so that 99.9 % of them
    /// survive the loss in [`Redundancy::meant_for`] as well.
    Fixed(f64),
    /// As much as the loss reported by the other end requires.
    Auto,
}

impl Redundancy {
    /// The loss that a fixed redundancy is meant for: half of the most that it can restore. 25 % restores up to 20
    /// % of all datagrams, so it is meant for 10 %.
    pub fn meant_for(part: f64) -> f64 {
        part / (1.0 + part) / 2.0
    }
}

impl FromStr for Redundancy {
    type Err = Error;

    /// A part such as `25%`, or `auto`.
    fn from_str(text: &str) -> Result<Redundancy> {
        if text == "auto" {
            return Ok(Redundancy::Auto);
        }
        let part = text.strip_suffix('%').and_then(|number| number.parse::<f64>().ok());
        match part {
            Some(0.0) => Ok(Redundancy::None),
            Some(part) if (0.0..=400.0).contains(&part) => Ok(Redundancy::Fixed(part / 100.0)),
            _ => Err(Error::Invalid("it must be from 0% to 400%, or auto".into())),
        }
    }
}

/// The treatment of messages when a newer one of their channel exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Drop them: at the sender if sending has not begun, at the receiver always. Messages never go back in time.
    Newest,
    /// Deliver them, within their deadline, in the order in which they are completed: never delayed for an older
    /// one.
    All,
}

/// Longest packet, including the headers of IP and UDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mtu {
    /// As long as the path carries, from 536 to 1,500 bytes. Each end measures its direction with probes.
    Probed,
    /// At most this many bytes, on any path.
    Fixed(usize),
}

/// The settings of an end.
#[derive(Clone, Debug)]
pub struct Config {
    /// The key shared by both ends.
    pub key: Key,
    /// Longest packet.
    pub mtu: Mtu,
    /// Additional datagrams against loss.
    pub redundancy: Redundancy,
    /// The treatment of messages when a newer one exists.
    pub order: Order,
    /// Send rate: bytes per second including all headers of the tunnel, and bytes at once. `None`: no limit.
    pub pace: Option<Pace>,
    /// Most bytes of messages waiting to be sent, and separately of incomplete received messages.
    pub memory: usize,
}

/// Longest IP packet.
const LONGEST: usize = 65535;
/// Least useful memory: a few datagrams.
const MEMORY: usize = 1 << 14;

impl Config {
    /// The default settings: packets as long as the path carries, 25 % redundancy, newest first, no rate limit, 64
    /// MiB.
    pub fn new(key: Key) -> Config {
        Config {
            key,
            mtu: Mtu::Probed,
            redundancy: Redundancy::Fixed(0.25),
            order: Order::Newest,
            pace: None,
            memory: 64 << 20,
        }
    }

    /// Checks the settings.
    pub(crate) fn check(&self) -> Result<()> {
        if let Mtu::Fixed(packet) = self.mtu
            && !(SHORTEST..=LONGEST).contains(&packet)
        {
            return Err(Error::Invalid(format!(
                "packets of {packet} B: the length must be from {SHORTEST} to {LONGEST}, and 1280 passes everywhere; \
                 omit it to measure what the path carries"
            )));
        }
        if self.memory < MEMORY {
            let memory = self.memory;
            return Err(Error::Invalid(format!("a memory of {memory} B: it must be at least {MEMORY} B")));
        }
        if let Redundancy::Fixed(part) = self.redundancy
            && !(0.0..=4.0).contains(&part)
        {
            return Err(Error::Invalid(format!(
                "a redundancy of {} %: it must be from 0 to 400 %, or auto",
                part * 100.0
            )));
        }
        if self.pace.is_some_and(|pace| pace.rate == 0) {
            return Err(Error::Invalid("a rate of 0 sends nothing: omit it for no limit".into()));
        }
        Ok(())
    }
}
