//! `mpudpm://`: both sides of a network of many ports. [`super::port`] says how it works.

mod sockets;

use super::intake::{Intake, Received, Sink};
use super::port::{ChannelMap, Ports, REQUEST, REQUEST_WORDS, Told, UPDATE, Wish, is_reserved};
use super::reassembly::Limits;
use crate::udp::Options;
use crate::{Error, Result};
use saltus_os::clock;
use sockets::Sockets;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What both sides know.
struct Shared {
    publisher: super::Publisher,
    map: Mutex<ChannelMap>,
}

/// The sending side. All threads may publish; its [`Listener`] must be drained, for it hears what others know.
pub struct Publisher(Arc<Shared>);

/// The receiving side: one socket for the first port, and one for each port that somebody listens to. The descriptor is
/// readable when one of them is.
pub struct Listener {
    shared: Arc<Shared>,
    sockets: Sockets,
    intake: Intake,
    /// How many channels of the map have been told to the caller.
    told: usize,
    /// Whether the caller was told that others use another number of ports.
    told_ports: bool,
}

/// Opens a network of `ports` ports, the first of which is that of `options.group`. Calls the kernel, does not wait.
///
/// # Errors
/// Ports beyond 65535; words on what the kernel refused.
pub fn open(options: &Options, ports: u16) -> Result<(Publisher, Listener)> {
    let first = options.group.port();
    let Some(ports) = Ports::new(first, ports) else {
        let what = format!("{ports} ports from {first} on are none, or more than there are: see `nports`");
        return Err(Error::Invalid { what });
    };
    let publisher = super::Publisher::open(options)?;
    let sockets = Sockets::open(options)?;
    let seed = clock::boottime() ^ (u64::from(publisher.ports()[0]) << 48);
    let shared = Arc::new(Shared { publisher, map: Mutex::new(ChannelMap::new(ports, seed)) });
    let intake = Intake::new(Limits::default());
    Ok((Publisher(shared.clone()), Listener { shared, sockets, intake, told: 0, told_ports: false }))
}

impl Shared {
    fn map(&self) -> MutexGuard<'_, ChannelMap> {
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what the map wishes to be sent now. The map is free meanwhile: to tell a large one takes its time.
    fn grant(&self, mut map: MutexGuard<'_, ChannelMap>, now_ns: u64) -> Result<()> {
        let (first, mut words) = (map.ports().first(), Vec::new());
        while let Some(wish) = map.wish(now_ns) {
            words.push(match wish {
                Wish::Update => (UPDATE, map.encode()),
                Wish::Request => (REQUEST, REQUEST_WORDS.to_vec()),
            });
        }
        drop(map);
        words.iter().try_for_each(|(channel, words)| self.publisher.publish_to(first, channel, words))
    }
}

impl Publisher {
    /// Sends a message, as [`super::Publisher::publish`], on the port of its channel; before the first on a channel the others
    /// are told of it. It allocates for a new channel, and when it tells the others.
    ///
    /// # Errors
    /// A name or a size that LCM does not know, [`Error::Full`], or what the kernel said; and for names that begin with `#!`, which are LCM's own.
    pub fn publish(&self, channel: &[u8], payload: &[u8]) -> Result<()> {
        if is_reserved(channel) {
            let name = String::from_utf8_lossy(channel);
            let what =
                format!("`{name}`: names that begin with `#!` are LCM's own on mpudpm, choose another");
            return Err(Error::Invalid { what });
        }
        let now_ns = clock::monotonic();
        let mut map = self.0.map();
        let port = map.publish(channel, now_ns);
        self.0.grant(map, now_ns)?;
        self.0.publisher.publish_to(port, channel, payload)
    }
    /// The sockets, and what was sent; the messages that tell of channels are counted too.
    pub fn inner(&self) -> &super::Publisher {
        &self.0.publisher
    }
}

impl Listener {
    /// Subscribes to a channel, or to what LCM takes for [a pattern](super::port::is_pattern). For a channel its port is
    /// listened to, and returned: give it to [`Listener::leave`] later. For a pattern the others are asked for their
    /// channels; [`Listener::listen`] to those of [`Listener::channels`] that match, and to those that
    /// [`Listener::drain`] tells later.
    ///
    /// # Errors
    /// What the kernel said.
    pub fn subscribe(&mut self, channel: &[u8]) -> Result<Option<u16>> {
        let now_ns = clock::monotonic();
        let mut map = self.shared.map();
        let port = map.subscribe(channel, now_ns);
        self.shared.grant(map, now_ns)?;
        port.map(|port| self.sockets.listen(port).map(|()| port)).transpose()
    }

    /// Listens to a port, once more. Messages of other channels on it come too.
    ///
    /// # Errors
    /// What the kernel said.
    pub fn listen(&mut self, port: u16) -> Result<()> {
        self.sockets.listen(port)
    }

    /// Undoes one [`Listener::listen`] or [`Listener::subscribe`]; the last closes the socket.
    pub fn leave(&mut self, port: u16) {
        self.sockets.leave(port);
    }

    /// The channels with their ports that are known, but for those that the next [`Listener::drain`] will tell.
    pub fn channels(&self) -> Vec<(Vec<u8>, u16)> {
        let map = self.shared.map();
        map.since(0).take(self.told).map(|(name, port)| (name.to_vec(), port)).collect()
    }

    /// Takes up to `most` datagrams of every port that have come and gives `sink` the messages. Each channel that has become
    /// known is given to `news` once; its port is listened to if that says so. Returns how many datagrams there
    /// were. Never waits.
    ///
    /// [`Received::lost`] and [`Received::order`] compare numbers that count over *all* ports: a gap means no loss, unless all are
    /// listened to.
    ///
    /// # Errors
    /// What the kernel said; and, once, that somebody uses another number of ports. Drain again to go on.
    pub fn drain(
        &mut self,
        most: usize,
        mut sink: impl Sink,
        mut news: impl FnMut(&[u8]) -> bool,
    ) -> Result<usize> {
        let now_ns = clock::monotonic();
        let Listener { shared, sockets, intake, told, told_ports } = self;
        let mut inner = Inner { sink: &mut sink, shared, now_ns, other_ports: None };
        let taken = sockets.drain(most, |datagram| {
            intake.take(datagram.from, datagram.bytes, datagram.stamp_ns, now_ns, &mut inner);
        })?;
        let other_ports = inner.other_ports;
        shared.grant(shared.map(), now_ns)?;
        let new: Vec<_> = shared.map().since(*told).map(|(name, port)| (name.to_vec(), port)).collect();
        for (name, port) in new {
            *told += 1;
            if news(&name) {
                sockets.listen(port)?;
            }
        }
        if let (Some(ports), false) = (other_ports, *told_ports) {
            *told_ports = true;
            let own = shared.map().ports().count();
            let what = format!(
                "somebody spreads channels over {ports} ports, and this process over {own}: they hardly hear each other; give \
                 all the same `nports`"
            );
            return Err(Error::Invalid { what });
        }
        Ok(taken)
    }

    /// When to drain again even if nothing comes, by [`clock::monotonic`]: there is something to tell then.
    pub fn wake_ns(&self) -> Option<u64> {
        self.shared.map().wake_ns()
    }
    /// The state behind the sockets, with all its counters.
    pub fn intake(&self) -> &Intake {
        &self.intake
    }
    /// How many datagrams the kernel has dropped at the ports that are listened to now.
    pub fn dropped(&self) -> u64 {
        self.sockets.dropped()
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.sockets.as_fd()
    }
}

/// Keeps LCM's own messages from the caller.
struct Inner<'a, S> {
    sink: &'a mut S,
    shared: &'a Shared,
    now_ns: u64,
    /// How many ports somebody uses, if that is another number.
    other_ports: Option<u16>,
}

impl<S: Sink> Sink for Inner<'_, S> {
    fn wants(&mut self, channel: &[u8]) -> bool {
        is_reserved(channel) || self.sink.wants(channel)
    }
    fn message(&mut self, message: Received<'_>) {
        if is_reserved(message.channel) {
            if let Told::OtherPorts(n) = self.shared.map().take(message.channel, message.payload, self.now_ns)
            {
                self.other_ports = Some(n);
            }
        } else {
            self.sink.message(message);
        }
    }
}
