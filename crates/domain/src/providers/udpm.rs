//! `udpm://`: LCM's UDP multicast, compatible byte for byte.

use super::multicast::{self, SOCKET_OPTIONS, number};
use crate::inbox::timestamp::Timestamps;
use crate::{Pattern, Result};
use saltus_channel::Name;
use saltus_net::lcm::senders::Order;
use saltus_net::lcm::{self, Listener, Publisher, Received, SELF_TEST};
use saltus_net::udp;
use saltus_os::fd::{AsFd, AsRawFd};
use saltus_transport::losses::Losses;
use saltus_transport::{Abilities, About, Arrival, Count, Fd, Of, ReportsLosses, Sink, Transport, Url};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Datagrams received between two checks for waiting subscribers.
const BATCH: usize = 256;
/// Lower bound of the bytes that the kernel charges for a datagram, including its bookkeeping.
const LEAST: usize = 512;

/// Sequence number of a sender's first message, in LCM's libraries and here.
const FIRST: u32 = 0;

/// The group of a domain.
pub(crate) struct Udpm {
    options: udp::Options,
    self_test: bool,
    publisher: Publisher,
    /// Opened by the first subscriber. Its descriptor stays the same.
    listener: OnceLock<Mutex<Receiving>>,
}

struct Receiving {
    listener: Listener,
    /// Most datagrams that the kernel can hold for it, and so the most that can have arrived when a drain begins.
    most: usize,
    /// Addresses that this process sends from, as far as its own datagrams have shown.
    own: Vec<Ipv4Addr>,
    losses: Losses<SocketAddrV4>,
}

pub(crate) fn open(mut url: Url) -> Result<Box<dyn Transport>> {
    let options = multicast::options(&mut url)?;
    let self_test = match url.take::<String>("self_test", "yes or no")?.as_deref() {
        None | Some("yes") => true,
        Some("no") => false,
        Some(_) => return Err(url.invalid("`self_test` must be yes or no")),
    };
    url.finish(&format!("{SOCKET_OPTIONS}, self_test (yes or no)"))?;
    let publisher = Publisher::open(&options)?;
    Ok(Box::new(Udpm { options, self_test, publisher, listener: OnceLock::new() }))
}

impl Receiving {
    fn drain(&mut self, ports: [u16; 2], sink: &mut dyn Sink) -> Result<()> {
        let timestamps = Timestamps::read();
        let known = self.own.len();
        let Receiving { listener, most, own, losses } = self;
        let mut taker = Taker { sink, losses, own, ports, timestamps };
        let mut taken = 0;
        // Not until nothing is left: a sender as fast as we receive must not delay a subscriber that waits for the
        // newest forever.
        while taken < *most {
            let now = listener.drain(BATCH, &mut taker)?;
            taken += now;
            if now < BATCH {
                break;
            }
        }
        if self.own.len() > known {
            self.ignore_own(ports);
        }
        Ok(())
    }

    /// Avoids wake-ups of this process for its own datagrams. `Taker` skips those that the kernel still delivers.
    fn ignore_own(&self, ports: [u16; 2]) {
        if let Some(ip) = self.own.last() {
            let _ = self.listener.socket().ignore(*ip, ports);
        }
    }
}

/// Passes messages on, with their metadata.
struct Taker<'a> {
    sink: &'a mut dyn Sink,
    own: &'a mut Vec<Ipv4Addr>,
    /// The ports that this process sends from.
    ports: [u16; 2],
    losses: &'a mut Losses<SocketAddrV4>,
    timestamps: Timestamps,
}

impl lcm::Sink for &mut Taker<'_> {
    fn wants(&mut self, channel: &[u8]) -> bool {
        self.sink.wants(channel)
    }
    fn message(&mut self, message: Received<'_>) {
        let ip = *message.from.ip();
        if self.ports.contains(&message.from.port()) && (self.own.contains(&ip) || is_here(ip)) {
            if !self.own.contains(&ip) {
                self.own.push(ip);
            }
            return; // subscribers in this process received it when it was published
        }
        let Count { lost, count } = match message.order {
            Order::First => self.losses.begin(message.from, message.sequence == FIRST),
            Order::Restarted => self.losses.begin(message.from, false),
            Order::Next | Order::Late | Order::Copy => self.losses.add(message.from, message.lost),
        };
        if message.channel == SELF_TEST {
            return; // LCM programs send this to themselves on start; it is not a message
        }
        let about = About {
            published: 0,
            arrived: self.timestamps.boottime(message.stamp_ns),
            sender: number(message.from),
            sequence: message.sequence.into(),
            lost,
            count,
        };
        self.sink.take(Arrival { channel: message.channel, payload: message.payload, about });
    }
}

/// Whether this machine sends from that address.
fn is_here(ip: Ipv4Addr) -> bool {
    // A machine with only a loopback interface sends from no address at all.
    ip.is_unspecified() || std::net::UdpSocket::bind((ip, 0)).is_ok()
}

impl Udpm {
    fn listen(&self) -> Result<Receiving> {
        let mut listener = Listener::open(&self.options)?;
        let (mut own, ports) = (Vec::new(), self.publisher.ports());
        if self.self_test {
            lcm::check(&self.publisher, &mut listener, |message: Received<'_>| {
                if ports.contains(&message.from.port()) && is_here(*message.from.ip()) {
                    own.push(*message.from.ip());
                }
            })?;
        }
        let most = listener.socket().buffer().map_or(BATCH, |bytes| bytes / LEAST).max(BATCH);
        let receiving = Receiving { listener, most, own, losses: Losses::default() };
        receiving.ignore_own(ports);
        Ok(receiving)
    }
}

impl Udpm {
    fn receiving(&self) -> Option<MutexGuard<'_, Receiving>> {
        // One thread at a time receives; a panic in another leaves counters, and nothing half done.
        Some(self.listener.get()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Transport for Udpm {
    fn publish(&self, name: &Name, payload: &[u8]) -> Result<()> {
        Ok(self.publisher.publish(name.as_bytes(), payload)?)
    }

    fn sender(&self, _: &Name) -> Option<u64> {
        Some(u64::from(self.publisher.ports()[0])) // no address: no other sender has this number
    }

    fn receive(&self, sink: &mut dyn Sink) -> Result<()> {
        self.receiving().map_or(Ok(()), |mut receiving| receiving.drain(self.publisher.ports(), sink))
    }

    fn descriptors(&self) -> Vec<Fd> {
        let raw = self.receiving().map(|receiving| receiving.listener.as_fd().as_raw_fd());
        raw.map(|raw| Fd { raw, alone: true }).into_iter().collect()
    }

    fn subscribe(&self, _: &Pattern, _: u64) -> Result<()> {
        if self.listener.get().is_none() {
            let receiving = self.listen()?;
            // Two threads may get here together: the second one's socket is closed again.
            let _ = self.listener.set(Mutex::new(receiving));
        }
        Ok(())
    }
    /// The socket stays, for the next subscriber.
    fn unsubscribe(&self, _: &Pattern) {}

    fn abilities(&self) -> Abilities<'_> {
        Abilities { reports_losses: Some(self), ..Abilities::NONE }
    }
}

impl ReportsLosses for Udpm {
    fn losses(&self) -> Vec<(Of, Count)> {
        let Some(receiving) = self.receiving() else { return Vec::new() };
        receiving.losses.iter().map(|(from, count)| ((number(*from), None), count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends one message for each received, so that there are always more.
    struct Flood(Publisher, usize);
    impl Sink for Flood {
        fn wants(&mut self, _: &[u8]) -> bool {
            true
        }
        fn take(&mut self, _: Arrival<'_>) {
            self.1 += 1;
            assert!(self.1 < 100_000, "it receives forever");
            self.0.publish(b"FLOOD", b"").unwrap();
        }
    }

    #[test]
    fn a_poll_is_not_prolonged_by_messages_that_arrive_during_it() {
        saltus_netns::isolated(|| {
            let link = open(Url::parse("udpm://?recv_buf_size=1000000").unwrap()).unwrap();
            link.subscribe(&Pattern::all(), 1).unwrap();
            let mut flood = Flood(Publisher::open(&udp::Options::default()).unwrap(), 0);
            (0..600).for_each(|_| flood.0.publish(b"FLOOD", b"").unwrap());
            link.receive(&mut flood).unwrap();
            assert!(flood.1 >= 600, "messages that had arrived were received: {}", flood.1);
        });
    }

    #[test]
    fn an_option_that_makes_no_sense_is_named() {
        for bad in ["ttl=256", "pace=fast", "pace=0", "self_test=perhaps", "colour=red", "recv_buf_size=-1"] {
            let Err(e) = open(Url::parse(&format!("udpm://?{bad}")).unwrap()) else { panic!("{bad}") };
            let key = bad.split('=').next().unwrap();
            assert!(e.to_string().contains(key), "{e}");
        }
    }
}
