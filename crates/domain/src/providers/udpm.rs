//! `udpm://`: LCM's UDP multicast, to the byte.

use super::Provider;
use crate::inbox::losses::{Count, Losses, Of};
use crate::inbox::stamp::Stamps;
use crate::inbox::{About, Arrival, Fd, Link, Sink};
use crate::url::Url;
use crate::{Pattern, Result};
use saltus_channel::Name;
use saltus_net::lcm::senders::Order;
use saltus_net::lcm::{self, GROUP, Listener, Publisher, Received, SELF_TEST};
use saltus_net::udp::{self, Pace};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Datagrams taken in between two looks at who sleeps.
const BATCH: usize = 256;
/// Fewer bytes than the kernel charges any datagram, its own bookkeeping included.
const LEAST: usize = 512;

/// The number of a sender's first message, with LCM's libraries and here.
const FIRST: u32 = 0;

/// The options that concern the sockets.
pub(super) const SOCKET_OPTIONS: &str =
    "ttl, iface, recv_buf_size, send_buf_size, pace (MB/s, or off), datagram";

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
    /// Datagrams that the kernel can hold for it, and so the most that have come when somebody begins to look.
    most: usize,
    /// Addresses under which this process sends, as far as its own datagrams have told.
    own: Vec<Ipv4Addr>,
    losses: Losses<SocketAddrV4>,
}

/// What the URL says of the sockets; the same for `mpudpm://`.
pub(super) fn options(url: &mut Url) -> Result<udp::Options> {
    let mut options = udp::Options { group: group(url)?, ..udp::Options::default() };
    if let Some(ttl) = url.take("ttl", "from 0 (this host) to 255")? {
        options.ttl = ttl;
    }
    options.iface = url.take("iface", "the name or address of a network interface")?;
    options.recv_buf = url.take("recv_buf_size", "a number of bytes")?;
    options.send_buf = url.take("send_buf_size", "a number of bytes")?;
    if let Some(datagram) = url.take("datagram", "a number of bytes")? {
        options.datagram = datagram;
    }
    if let Some(pace) = url.take::<String>("pace", "MB/s, or off")? {
        options.pace = match (pace.as_str(), pace.parse::<u64>()) {
            ("off", _) => None,
            (_, Ok(rate)) if rate > 0 => {
                Some(Pace { rate: rate.saturating_mul(1_000_000), ..Pace::default() })
            }
            _ => return Err(url.invalid("`pace` must be a rate in MB/s, or off")),
        };
    }
    // LCM's own, without meaning since its version 0.5.
    let _ = url.take::<String>("transmit_only", "")?;
    Ok(options)
}

pub(crate) fn open(url: Url) -> Result<Provider> {
    Ok(Provider::network(link(url)?))
}

fn link(mut url: Url) -> Result<Box<dyn Link>> {
    let options = options(&mut url)?;
    let self_test = match url.take::<String>("self_test", "yes or no")?.as_deref() {
        None | Some("yes") => true,
        Some("no") => false,
        Some(_) => return Err(url.invalid("`self_test` must be yes or no")),
    };
    url.finish(&format!("{SOCKET_OPTIONS}, self_test (yes or no)"))?;
    let publisher = Publisher::open(&options)?;
    Ok(Box::new(Udpm { options, self_test, publisher, listener: OnceLock::new() }))
}

/// The group that the URL names: LCM's own, where it says nothing.
fn group(url: &Url) -> Result<SocketAddrV4> {
    let (address, port) = url.network.split_once(':').unwrap_or((&url.network, ""));
    let bad = |what: &str| url.invalid(&format!("{what}; write for instance udpm://239.255.76.67:7667"));
    let address = match address {
        "" => *GROUP.ip(),
        text => text.parse::<Ipv4Addr>().map_err(|_| bad("its address must be four numbers with dots"))?,
    };
    let port = match port {
        "" => GROUP.port(),
        text => {
            text.parse().ok().filter(|p| *p != 0).ok_or_else(|| bad("its port must be from 1 to 65535"))?
        }
    };
    Ok(SocketAddrV4::new(address, port))
}

/// What tells one sender from another: its address and port.
pub(super) fn number(from: SocketAddrV4) -> u64 {
    u64::from(from.ip().to_bits()) << 16 | u64::from(from.port())
}

impl Receiving {
    fn drain(&mut self, ports: [u16; 2], sink: &mut dyn Sink) -> Result<()> {
        let stamps = Stamps::read();
        let known = self.own.len();
        let Receiving { listener, most, own, losses } = self;
        let mut taker = Taker { sink, losses, own, ports, stamps };
        let mut taken = 0;
        // Not until nothing is left: who sends as fast as we take in must not keep for ever whoever waits for the newest.
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

    /// Spares this process the wake-ups for what it sends itself. What the kernel does not pass over, the taker does.
    fn ignore_own(&self, ports: [u16; 2]) {
        if let Some(ip) = self.own.last() {
            let _ = self.listener.socket().ignore(*ip, ports);
        }
    }
}

/// Hands messages on, with what is known about them.
struct Taker<'a> {
    sink: &'a mut dyn Sink,
    own: &'a mut Vec<Ipv4Addr>,
    /// The ports that this process sends from.
    ports: [u16; 2],
    losses: &'a mut Losses<SocketAddrV4>,
    stamps: Stamps,
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
            return; // whoever wants it here got it when it was published
        }
        let Count { lost, count } = match message.order {
            Order::First => self.losses.begin(message.from, message.sequence == FIRST),
            Order::Restarted => self.losses.begin(message.from, false),
            Order::Next | Order::Late | Order::Copy => self.losses.add(message.from, message.lost),
        };
        if message.channel == SELF_TEST {
            return; // what LCM's programs send to themselves when they start is nobody's message
        }
        let about = About {
            published: 0,
            arrived: self.stamps.boottime(message.stamp_ns),
            sender: number(message.from),
            sequence: message.sequence.into(),
            lost,
            count,
        };
        self.sink.take(Arrival { channel: message.channel, payload: message.payload, about });
    }
}

/// Whether this machine sends under that address.
fn is_here(ip: Ipv4Addr) -> bool {
    // A machine with nothing but a loopback interface sends under no address at all.
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

impl Link for Udpm {
    fn publish(&self, name: &Name, payload: &[u8]) -> Result<()> {
        Ok(self.publisher.publish(name.as_bytes(), payload)?)
    }

    fn sender(&self) -> Option<u64> {
        Some(u64::from(self.publisher.ports()[0])) // under no address: no other sender has this number
    }
    fn comes_back(&self) -> bool {
        false
    }
    fn losses(&self) -> Vec<(Of, Count)> {
        let Some(receiving) = self.listener.get() else { return Vec::new() };
        let receiving = receiving.lock().unwrap_or_else(PoisonError::into_inner);
        receiving.losses.iter().map(|(from, count)| ((number(*from), None), count)).collect()
    }

    fn drain(&self, sink: &mut dyn Sink) -> Result<()> {
        let Some(receiving) = self.listener.get() else { return Ok(()) };
        // One thread at a time drains; a panic in another leaves counters, and nothing half done.
        let mut receiving = receiving.lock().unwrap_or_else(PoisonError::into_inner);
        receiving.drain(self.publisher.ports(), sink)
    }

    fn fds(&self) -> Vec<Fd> {
        let Some(receiving) = self.listener.get() else { return Vec::new() };
        let receiving = receiving.lock().unwrap_or_else(PoisonError::into_inner);
        vec![Fd { raw: receiving.listener.as_fd().as_raw_fd(), alone: true }]
    }

    fn subscribe(&self, _: &Pattern) -> Result<()> {
        if self.listener.get().is_none() {
            let receiving = self.listen()?;
            // Two may come at once: the second one's socket is closed again.
            let _ = self.listener.set(Mutex::new(receiving));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_may_leave_out_what_lcm_has_a_default_for() {
        for (url, expected) in [
            ("udpm://", "239.255.76.67:7667"),
            ("udpm://239.1.2.3", "239.1.2.3:7667"),
            ("udpm://:7700", "239.255.76.67:7700"),
            ("udpm://239.1.2.3:7700?ttl=1", "239.1.2.3:7700"),
        ] {
            assert_eq!(group(&Url::parse(url).unwrap()).unwrap().to_string(), expected);
        }
        for bad in ["udpm://localhost:1", "udpm://239.1.2.3:0", "udpm://239.1.2.3:99999", "udpm://1.2.3:4"] {
            assert!(
                group(&Url::parse(bad).unwrap()).unwrap_err().to_string().contains("udpm://239"),
                "{bad}"
            );
        }
    }

    /// Sends one whenever it gets one, so that there is always more to take in.
    struct Flood(Publisher, usize);
    impl Sink for Flood {
        fn wants(&mut self, _: &[u8]) -> bool {
            true
        }
        fn take(&mut self, _: Arrival<'_>) {
            self.1 += 1;
            assert!(self.1 < 100_000, "it takes in for ever");
            self.0.publish(b"FLOOD", b"").unwrap();
        }
    }

    #[test]
    fn who_looks_for_messages_is_not_kept_by_those_that_come_meanwhile() {
        saltus_netns::isolated(|| {
            let link = super::link(Url::parse("udpm://?recv_buf_size=1000000").unwrap()).unwrap();
            link.subscribe(&Pattern::all()).unwrap();
            let mut flood = Flood(Publisher::open(&udp::Options::default()).unwrap(), 0);
            (0..600).for_each(|_| flood.0.publish(b"FLOOD", b"").unwrap());
            link.drain(&mut flood).unwrap();
            assert!(flood.1 >= 600, "what had come was taken in: {}", flood.1);
        });
    }

    #[test]
    fn an_option_that_makes_no_sense_is_named() {
        for bad in ["ttl=256", "pace=fast", "pace=0", "self_test=perhaps", "colour=red", "recv_buf_size=-1"] {
            let Err(e) = super::link(Url::parse(&format!("udpm://?{bad}")).unwrap()) else { panic!("{bad}") };
            let key = bad.split('=').next().unwrap();
            assert!(e.to_string().contains(key), "{e}");
        }
    }
}
