//! `mpudpm://`: both sides of a network of many ports. [`super::port`] explains how it works.

mod sockets;

use super::intake::{Intake, Received, Sink};
use super::port::{ChannelMap, Ports, REQUEST, REQUEST_WORDS, Told, UPDATE, Wish, is_reserved};
use super::reassembly::Limits;
use crate::udp::Options;
use crate::{Error, Result};
use saltus_os::clock;
use saltus_os::fd::{AsFd, BorrowedFd};
use sockets::Sockets;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// State shared by both sides.
struct Shared {
    publisher: super::Publisher,
    map: Mutex<ChannelMap>,
}

/// The sending side. All threads may publish. Its [`Listener`] must be drained, since it receives the others'
/// channel maps.
pub struct Publisher(Arc<Shared>);

/// The receiving side: one socket for the first port, and one for each port listened to. The descriptor is readable
/// when one of them is.
pub struct Listener {
    shared: Arc<Shared>,
    sockets: Sockets,
    intake: Intake,
    /// The number of channels of the map already reported to the caller.
    told: usize,
    /// Whether the caller has been warned that others use another number of ports.
    told_ports: bool,
}

/// Opens a network of `ports` ports, starting at the port of `options.group`. Makes system calls, does not wait.
///
/// # Errors
/// Ports beyond 65535; an error of the kernel, with a remedy.
pub fn open(options: &Options, ports: u16) -> Result<(Publisher, Listener)> {
    let first = options.group.port();
    let Some(ports) = Ports::new(first, ports) else {
        let what = format!("{ports} ports from {first} on are not within 1 to 65535: see `nports`");
        return Err(Error::Invalid { what });
    };
    let publisher = super::Publisher::open(options)?;
    let sockets = Sockets::open(options)?;
    let seed = clock::boottime() ^ (u64::from(publisher.ports()[0]) << 48);
    let shared = Arc::new(Shared { publisher, map: Mutex::new(ChannelMap::new(ports, seed)) });
    let intake = Intake::new(Limits::within(options.memory));
    Ok((Publisher(shared.clone()), Listener { shared, sockets, intake, told: 0, told_ports: false }))
}

impl Shared {
    fn map(&self) -> MutexGuard<'_, ChannelMap> {
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends what the map requests to send. The map is unlocked while it sends, since sending a large one takes time.
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
    /// Sends a message, as [`super::Publisher::publish`], on the port of its channel. Before the first message on a
    /// channel, the channel is announced. Allocates for a new channel and for announcements.
    ///
    /// # Errors
    /// A name or size that is not valid in LCM, [`Error::Full`], or the kernel's error; also for names that begin
    /// with `#!`, which LCM reserves.
    pub fn publish(&self, channel: &[u8], payload: &[u8]) -> Result<()> {
        if is_reserved(channel) {
            let name = String::from_utf8_lossy(channel);
            let what = format!("`{name}`: LCM reserves names that begin with `#!` on mpudpm, choose another");
            return Err(Error::Invalid { what });
        }
        let now_ns = clock::monotonic();
        let mut map = self.0.map();
        let port = map.publish(channel, now_ns);
        self.0.grant(map, now_ns)?;
        self.0.publisher.publish_to(port, channel, payload)
    }
    /// The sockets, and counts of sent messages, including channel announcements.
    pub fn inner(&self) -> &super::Publisher {
        &self.0.publisher
    }
}

impl Listener {
    /// Subscribes to a channel, or to what LCM interprets as [a pattern](super::port::is_pattern). For a channel it
    /// listens to the channel's port and returns it, to pass to [`Listener::leave`] later. For a pattern it asks
    /// others for their channels: call [`Listener::listen`] for those of [`Listener::channels`] that match, and for
    /// those that [`Listener::drain`] reports later.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn subscribe(&mut self, channel: &[u8]) -> Result<Option<u16>> {
        let now_ns = clock::monotonic();
        let mut map = self.shared.map();
        let port = map.subscribe(channel, now_ns);
        self.shared.grant(map, now_ns)?;
        port.map(|port| self.sockets.listen(port).map(|()| port)).transpose()
    }

    /// Listens to a port, counted. Messages of other channels on it arrive too.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn listen(&mut self, port: u16) -> Result<()> {
        self.sockets.listen(port)
    }

    /// Undoes one [`Listener::listen`] or [`Listener::subscribe`]; the last closes the socket.
    pub fn leave(&mut self, port: u16) {
        self.sockets.leave(port);
    }

    /// The known channels with their ports, except those that the next [`Listener::drain`] will report.
    pub fn channels(&self) -> Vec<(Vec<u8>, u16)> {
        let map = self.shared.map();
        map.since(0).take(self.told).map(|(name, port)| (name.to_vec(), port)).collect()
    }

    /// Receives up to `most` datagrams of every port and passes the messages to `sink`. Calls `news` once for each
    /// channel that has become known, and listens to its port if that returns true. Returns the number of
    /// datagrams. Never waits.
    ///
    /// [`Received::lost`] and [`Received::order`] compare numbers that count over *all* ports: a gap is not a loss,
    /// unless all ports are listened to.
    ///
    /// # Errors
    /// The kernel's error; and once, that another process uses another number of ports. Drain again to continue.
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
                "another process spreads channels over {ports} ports, and this one over {own}: most messages do not arrive; set \
                 the same `nports` in all of them"
            );
            return Err(Error::Invalid { what });
        }
        Ok(taken)
    }

    /// When to drain again even without traffic, by [`clock::monotonic`]: an announcement is due then.
    pub fn wake_ns(&self) -> Option<u64> {
        self.shared.map().wake_ns()
    }
    /// The protocol state, with all its counters.
    pub fn intake(&self) -> &Intake {
        &self.intake
    }
    /// How many datagrams the kernel has dropped at the ports listened to now.
    pub fn dropped(&self) -> u64 {
        self.sockets.dropped()
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.sockets.as_fd()
    }
}

/// Filters LCM's own messages out.
struct Inner<'a, S> {
    sink: &'a mut S,
    shared: &'a Shared,
    now_ns: u64,
    /// The number of ports that another process uses, if it differs.
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
