//! What both ends are told at their start.

use crate::{Error, Key, Result};
use saltus_net::udp::Pace;
use std::str::FromStr;

/// What every network with IP carries: the length of a packet with the headers of IP and UDP.
pub(crate) const SHORTEST: usize = 536;

/// Which end this is. They differ in who begins, and in nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Waits for the other, wherever it comes from.
    Listen,
    /// Knows where the other is, and begins; again when it hears nothing.
    Connect,
}

/// How much is sent more than what is to be carried, so that what is lost can be made good.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Redundancy {
    /// Nothing.
    None,
    /// At least this part of a message's fragments, such as 0.25; more for small messages, so that they too survive the loss
    /// that it is meant for, with 99.9 %. That loss is [`Redundancy::meant_for`].
    Fixed(f64),
    /// As much as the loss that the other end reports makes necessary.
    Auto,
}

impl Redundancy {
    /// The loss that a fixed redundancy is meant for: half of what it can make good at most. 25 % bears up to 20 % of
    /// all datagrams, so it is meant for 10 %.
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
            _ => Err(Error::Invalid("it is a part from 0% to 400%, or auto".into())),
        }
    }
}

/// What happens to messages that a newer one of their channel overtakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// They are dropped: at the sender if they have not begun, at the receiver always. Nothing goes back in time.
    Newest,
    /// They are delivered, as long as their deadline allows, in the order in which they become whole: never held back for an
    /// older one.
    All,
}

/// How long packets may be, with the headers of IP and UDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mtu {
    /// As long as the path carries, from 536 to 1,500 bytes: found out by probes, by each end for its direction.
    Probed,
    /// At most so many bytes, whatever the path carries.
    Fixed(usize),
}

/// What an end is told at its start.
#[derive(Clone, Debug)]
pub struct Config {
    /// The key that both ends share.
    pub key: Key,
    /// How long packets may be.
    pub mtu: Mtu,
    /// What is sent in addition.
    pub redundancy: Redundancy,
    /// Which messages count.
    pub order: Order,
    /// How much may be sent: bytes a second with all headers of the tunnel, and at once. `None`: as much as comes.
    pub pace: Option<Pace>,
    /// Bytes that wait to be sent, and bytes of messages that are not whole yet: at most so many of each.
    pub memory: usize,
}

/// The longest packet of IP.
const LONGEST: usize = 65535;
/// The least memory that makes sense: a few datagrams.
const MEMORY: usize = 1 << 14;

impl Config {
    /// The usual settings: packets as long as the path carries, 25 % redundancy, the newest, no limit of rate, 64 MiB.
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

    /// Whether the settings make sense.
    pub(crate) fn check(&self) -> Result<()> {
        if let Mtu::Fixed(packet) = self.mtu
            && !(SHORTEST..=LONGEST).contains(&packet)
        {
            return Err(Error::Invalid(format!(
                "packets of {packet} B: they must have from {SHORTEST} to {LONGEST}, and 1280 pass everywhere; \
                 leave it out to find out what the path carries"
            )));
        }
        if self.memory < MEMORY {
            let memory = self.memory;
            return Err(Error::Invalid(format!("a memory of {memory} B: it must have {MEMORY} B at least")));
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
            return Err(Error::Invalid("a rate of 0 sends nothing: leave it out for no limit".into()));
        }
        Ok(())
    }
}
