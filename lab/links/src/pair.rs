//! Two ends and the links between them, on a virtual clock.

use crate::{Badness, Dice, Link};
use saltus_tunnel::{Config, Event, Result, Tunnel};
use std::net::{Ipv4Addr, SocketAddr};

/// Bytes of the headers of IP and UDP, which a link's rate includes.
const HEADERS: u64 = 28;

/// Which end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The one that connects.
    Connecter,
    /// The one that listens.
    Listener,
}

/// Two ends of a tunnel and the links between them. The seed determines everything.
#[derive(Debug)]
pub struct Pair {
    /// The one that connects.
    pub connecter: Tunnel,
    /// The one that listens.
    pub listener: Tunnel,
    /// From the connecter to the listener.
    pub there: Link<Vec<u8>>,
    /// From the listener to the connecter.
    pub back: Link<Vec<u8>>,
    /// The time, in ns.
    pub now: u64,
    /// The connecter's address, as the listener sees it.
    pub connecter_at: SocketAddr,
    listener_at: SocketAddr,
}

impl Pair {
    /// Two ends with the same settings, and a link with the same defects in both directions.
    ///
    /// # Errors
    /// Invalid settings.
    pub fn new(config: &Config, badness: Badness, seed: u64) -> Result<Pair> {
        let at = |port| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        Ok(Pair {
            connecter: Pair::end(config, End::Connecter, at(2), 0, seed)?,
            listener: Pair::end(config, End::Listener, at(2), 0, seed.wrapping_add(1))?,
            there: Link::new(badness, seed.wrapping_add(2)),
            back: Link::new(badness, seed.wrapping_add(3)),
            now: 0,
            connecter_at: at(1),
            listener_at: at(2),
        })
    }

    fn end(config: &Config, end: End, to: SocketAddr, now: u64, seed: u64) -> Result<Tunnel> {
        let mut dice = Dice::new(seed);
        let random = Box::new(move |bytes: &mut [u8]| dice.fill(bytes));
        match end {
            End::Connecter => Tunnel::connect(config.clone(), &[to], now, random),
            End::Listener => Tunnel::listen(config.clone(), random),
        }
    }

    /// Kills an end and starts it again.
    ///
    /// # Errors
    /// Invalid settings.
    pub fn restart(&mut self, config: &Config, end: End, seed: u64) -> Result<()> {
        let new = Pair::end(config, end, self.listener_at, self.now, seed)?;
        match end {
            End::Connecter => self.connecter = new,
            End::Listener => self.listener = new,
        }
        Ok(())
    }

    /// Advances the time, and reports the events of each end, with their times.
    pub fn run(&mut self, until: u64, mut events: impl FnMut(u64, End, Event<'_>)) {
        loop {
            self.step(&mut events);
            let dues = [self.connecter.next_timeout(), self.listener.next_timeout()];
            let arrivals = [&self.there, &self.back].map(|link| link.next().unwrap_or(u64::MAX));
            let next = dues.into_iter().chain(arrivals).min().unwrap_or(u64::MAX);
            if next > until {
                self.now = self.now.max(until);
                return;
            }
            // Work due in the past was done: time advances all the same.
            self.now = next.max(self.now + 1000);
        }
    }

    /// Does all work due now.
    fn step(&mut self, events: &mut impl FnMut(u64, End, Event<'_>)) {
        let now = self.now;
        while let Some(mut datagram) = self.there.receive(now) {
            self.listener.receive(&mut datagram, self.connecter_at, now, |e| events(now, End::Listener, e));
        }
        while let Some(mut datagram) = self.back.receive(now) {
            self.connecter.receive(&mut datagram, self.listener_at, now, |e| events(now, End::Connecter, e));
        }
        self.connecter.handle_timeout(now, |e| events(now, End::Connecter, e));
        self.listener.handle_timeout(now, |e| events(now, End::Listener, e));
        while let Some((_, datagram)) = self.connecter.poll_transmit(now) {
            let bytes = datagram.len() as u64 + HEADERS;
            self.there.send(datagram, bytes, now);
        }
        while let Some((to, datagram)) = self.listener.poll_transmit(now) {
            // A datagram to a former address of the connecter is lost.
            if to == self.connecter_at {
                let bytes = datagram.len() as u64 + HEADERS;
                self.back.send(datagram, bytes, now);
            }
        }
    }
}
