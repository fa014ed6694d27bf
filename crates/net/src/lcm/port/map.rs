//! The known channels, and when to announce them.

use super::update::{MOST, encode};
use super::{Ports, REQUEST, UPDATE, Update, is_pattern, is_reserved};
use crate::lcm::CHANNEL;
use std::collections::BTreeMap;

/// Least time between two updates without news, in ns.
const APART: u64 = 10_000_000;
/// Time without an update after which a publisher announces the map again, in ns.
const AGAIN: u64 = 5_000_000_000;
/// Most extra time added to that, so that not all processes announce together.
const SPREAD: u64 = 1_250_000_000;

/// A message to send on the first port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// [`ChannelMap::encode`] on [`UPDATE`].
    Update,
    /// [`super::REQUEST_WORDS`] on [`REQUEST`].
    Request,
}

/// The meaning of a message on the first port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// A map, with this many channels that were not known.
    New(usize),
    /// A request; it will be answered.
    Request,
    /// The map of a network with another number of ports: set the same `nports` on both sides.
    OtherPorts(u16),
    /// Bytes that are not a map.
    Malformed,
    /// A message of another channel.
    Other,
}

/// The channels of a network of many ports, as this process knows them. It reads no clock: `now_ns` is any clock
/// that does not go back. After every call, check for [a message to send](ChannelMap::wish).
#[derive(Debug)]
pub struct ChannelMap {
    ports: Ports,
    channels: BTreeMap<Vec<u8>, u16>,
    /// The names, in the order in which they became known.
    order: Vec<Vec<u8>>,
    request: bool,
    /// When an update is due, if one is.
    due_ns: Option<u64>,
    sent_ns: Option<u64>,
    /// When a publisher announces the map again.
    again_ns: u64,
    random: u64,
}

impl ChannelMap {
    /// No channels yet. `seed` is any number that differs between processes.
    pub fn new(ports: Ports, seed: u64) -> ChannelMap {
        ChannelMap {
            ports,
            channels: BTreeMap::new(),
            order: Vec::new(),
            request: false,
            due_ns: None,
            sent_ns: None,
            again_ns: 0,
            random: seed | 1,
        }
    }

    /// Returns the port to publish `channel` on. A new channel is announced; all are announced again if none was
    /// for 5 to 6.25 s.
    pub fn publish(&mut self, channel: &[u8], now_ns: u64) -> u16 {
        match self.channels.get(channel) {
            Some(port) => {
                let port = *port;
                if now_ns >= self.again_ns {
                    self.due_ns = Some(now_ns);
                }
                port
            }
            None => self.add(channel, now_ns),
        }
    }

    /// Subscribes to a channel or [a pattern](is_pattern). Returns the port to listen to, or `None` for a pattern,
    /// for which the others' maps are requested: listen to the ports of all [channels](ChannelMap::channels) that
    /// match, now and whenever a map [adds](ChannelMap::take) new ones.
    pub fn subscribe(&mut self, channel: &[u8], now_ns: u64) -> Option<u16> {
        if is_pattern(channel) {
            self.request = true;
            return None;
        }
        Some(match self.channels.get(channel) {
            Some(port) => *port,
            None => self.add(channel, now_ns),
        })
    }

    /// Processes a message of the first port.
    pub fn take(&mut self, channel: &[u8], payload: &[u8], now_ns: u64) -> Told {
        match channel {
            REQUEST => {
                if !self.channels.is_empty() {
                    let soonest = self.sent_ns.map_or(now_ns, |sent| now_ns.max(sent + APART));
                    self.due_ns = Some(self.due_ns.map_or(soonest, |due| due.min(soonest)));
                }
                Told::Request
            }
            UPDATE => match Update::decode(payload) {
                Ok(update) => self.learn(&update, now_ns),
                Err(_) => Told::Malformed,
            },
            _ => Told::Other,
        }
    }

    /// What to send now. Call again until it returns nothing, and again at [`ChannelMap::wake_ns`].
    pub fn wish(&mut self, now_ns: u64) -> Option<Wish> {
        if std::mem::take(&mut self.request) {
            return Some(Wish::Request);
        }
        self.due_ns.filter(|due| now_ns >= *due)?;
        self.due_ns = None;
        self.sent_ns = Some(now_ns);
        self.quiet(now_ns);
        Some(Wish::Update)
    }

    /// When to call `wish` again, if nothing else happens.
    pub fn wake_ns(&self) -> Option<u64> {
        self.due_ns
    }
    /// The map as a message, with at most 32767 channels.
    pub fn encode(&self) -> Vec<u8> {
        encode(self.ports.count(), self.channels.iter().map(|(name, port)| (&name[..], *port)))
    }
    /// All known channels with their ports, in the order of their names.
    pub fn channels(&self) -> impl Iterator<Item = (&[u8], u16)> {
        self.channels.iter().map(|(name, port)| (&name[..], *port))
    }
    /// The channels with their ports that became known after the first `known`, in that order. Channels are never
    /// forgotten.
    pub fn since(&self, known: usize) -> impl Iterator<Item = (&[u8], u16)> {
        let new = self.order.get(known..).unwrap_or_default().iter();
        new.filter_map(|name| Some((&name[..], *self.channels.get(name)?)))
    }
    /// The network's ports.
    pub fn ports(&self) -> Ports {
        self.ports
    }

    /// Adds a channel of this process that others may not know. It is announced immediately.
    fn add(&mut self, channel: &[u8], now_ns: u64) -> u16 {
        let port = self.ports.of(channel);
        if self.insert(channel, port) {
            self.due_ns = Some(now_ns);
        }
        port
    }

    fn learn(&mut self, update: &Update, now_ns: u64) -> Told {
        if update.ports != self.ports.count() {
            return Told::OtherPorts(update.ports);
        }
        let mut new = 0;
        for (channel, port) in &update.channels {
            new += usize::from(self.ports.all().contains(port) && self.insert(channel, *port));
        }
        let same = self.channels.len() == update.channels.len()
            && update.channels.iter().all(|(channel, port)| self.channels.get(channel) == Some(port));
        if same {
            // Another process has announced it.
            self.due_ns = None;
            self.quiet(now_ns);
        }
        Told::New(new)
    }

    /// Adds a channel. Returns whether it was new, fit into the map, and had a valid name.
    fn insert(&mut self, channel: &[u8], port: u16) -> bool {
        let fine = (1..=CHANNEL).contains(&channel.len()) && !is_reserved(channel) && !channel.contains(&0);
        if !fine || self.channels.len() >= MOST || self.channels.contains_key(channel) {
            return false;
        }
        self.order.push(channel.to_vec());
        self.channels.insert(channel.to_vec(), port);
        true
    }

    /// The others know the map: it need not be announced again for a while.
    fn quiet(&mut self, now_ns: u64) {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.again_ns = now_ns + AGAIN + self.random % SPREAD;
    }
}

#[cfg(test)]
mod tests;
