//! `mpudpm://`: LCM's UDP multicast spread over many ports, so that a host need not receive unwanted channels.
//!
//! Sequence numbers count over all ports, and only some are listened to, so losses are unknown.

use super::multicast;
use crate::inbox::timestamp::Timestamps;
use crate::{Pattern, Result};
use saltus_channel::Name;
use saltus_net::lcm::mpudpm::{self, Listener, Publisher};
use saltus_net::lcm::port::{PORTS, Ports};
use saltus_net::lcm::{self, Received};
use saltus_os::fd::{AsFd, AsRawFd};
use saltus_transport::{Abilities, About, Arrival, Epoll, Fd, Sink, Timer, Transport, Url};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Datagrams received from each port between two checks for waiting subscribers.
const BATCH: usize = 256;

/// A network of many ports.
pub(crate) struct Mpudpm {
    publisher: Publisher,
    ports: Ports,
    receiving: Mutex<Receiving>,
    /// Readable when a port is, or when it is time to announce channels to others.
    epoll: Epoll,
    timer: Timer,
}

struct Receiving {
    listener: Listener,
    /// The subscriptions, with the ports listened to for each.
    wanted: Vec<(Pattern, Vec<u16>)>,
}

pub(crate) fn open(mut url: Url) -> Result<Box<dyn Transport>> {
    let options = multicast::options(&mut url)?;
    let count = url.take("nports", "a number of ports, from 1")?.unwrap_or(PORTS);
    url.finish(&format!("nports, {}", multicast::SOCKET_OPTIONS))?;
    let first = options.group.port();
    let ports = Ports::new(first, count);
    let ports =
        ports.ok_or_else(|| url.invalid("`nports` ports from the first on must be within 1 to 65535"))?;
    let (publisher, listener) = mpudpm::open(&options, count)?;
    let (epoll, timer) = (Epoll::new()?, Timer::new()?);
    epoll.add(listener.as_fd().as_raw_fd(), false)?;
    epoll.add(timer.raw(), false)?;
    let receiving = Mutex::new(Receiving { listener, wanted: Vec::new() });
    Ok(Box::new(Mpudpm { publisher, ports, receiving, epoll, timer }))
}

impl Mpudpm {
    fn receiving(&self) -> MutexGuard<'_, Receiving> {
        self.receiving.lock().unwrap_or_else(PoisonError::into_inner) // sockets and lists, whole between any two lines
    }
}

impl Transport for Mpudpm {
    fn publish(&self, name: &Name, payload: &[u8]) -> Result<()> {
        Ok(self.publisher.publish(name.as_bytes(), payload)?)
    }

    fn receive(&self, sink: &mut dyn Sink) -> Result<()> {
        let mut receiving = self.receiving();
        let Receiving { listener, wanted } = &mut *receiving;
        let timestamps = Timestamps::read();
        let mut news = |name: &[u8]| {
            let mut listens = wanted.iter_mut().filter(|(p, _)| p.exact().is_none() && p.matches(name));
            listens.next().map(|(_, listened)| listened.push(self.ports.of(name))).is_some()
        };
        let drained = listener.drain(BATCH, Taker { sink, timestamps }, &mut news);
        self.timer.set(listener.wake_ns());
        drained?;
        Ok(())
    }

    fn descriptors(&self) -> Vec<Fd> {
        vec![Fd { raw: self.epoll.as_fd().as_raw_fd(), alone: false }]
    }

    fn subscribe(&self, pattern: &Pattern, _: u64) -> Result<()> {
        let mut receiving = self.receiving();
        let Receiving { listener, wanted } = &mut *receiving;
        let mut listened = Vec::new();
        match pattern.exact() {
            Some(name) => {
                // A name that LCM would interpret as a pattern is a plain name here, with its own port.
                let reported = listener.subscribe(name.as_bytes())?;
                if reported.is_none() {
                    listener.listen(self.ports.of(name.as_bytes()))?;
                }
                listened.push(self.ports.of(name.as_bytes()));
            }
            None => {
                listener.subscribe(ANY)?;
                for (name, port) in listener.channels() {
                    if pattern.matches(&name) {
                        listener.listen(port)?;
                        listened.push(port);
                    }
                }
            }
        }
        wanted.push((pattern.clone(), listened));
        self.timer.set(listener.wake_ns());
        Ok(())
    }

    fn unsubscribe(&self, pattern: &Pattern) {
        let mut receiving = self.receiving();
        let expression = pattern.expression();
        let Some(at) = receiving.wanted.iter().position(|(p, _)| p.expression() == expression) else {
            return;
        };
        let (_, ports) = receiving.wanted.swap_remove(at);
        ports.into_iter().for_each(|port| receiving.listener.leave(port));
    }
    fn sender(&self, _: &Name) -> Option<u64> {
        None
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities::NONE
    }
}

/// A channel name that LCM interprets as a pattern: subscribing to it makes others announce their channels.
const ANY: &[u8] = b"x.*";

/// Passes messages on.
struct Taker<'a> {
    sink: &'a mut dyn Sink,
    timestamps: Timestamps,
}

impl lcm::Sink for Taker<'_> {
    fn wants(&mut self, channel: &[u8]) -> bool {
        self.sink.wants(channel)
    }
    fn message(&mut self, message: Received<'_>) {
        let about = About {
            arrived: self.timestamps.boottime(message.stamp_ns),
            sender: multicast::number(message.from),
            sequence: message.sequence.into(),
            lost: About::UNKNOWN,
            ..About::default()
        };
        self.sink.take(Arrival { channel: message.channel, payload: message.payload, about });
    }
}
