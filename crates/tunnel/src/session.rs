//! One session with the other end: its keys, seen numbers, incomplete messages and measurements.

use crate::code::Coder;
use crate::frame::{Frame, Record, Report, probe, seen};
use crate::gather::Gather;
use crate::measure::{Clock, Expected, Loss, micros};
use crate::path::{Known, Path, headers};
use crate::replay::Replay;
use crate::seal::{OVERHEAD, Seal};
use crate::{Config, Mtu, Order, Stats};
use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;

/// Interval of reports on received datagrams; they also keep address translators awake.
const REPORT: u64 = 100_000_000;
/// Most channels whose newest message is remembered.
const CHANNELS: usize = 4096;

/// Most answers to probes waiting to be sent.
const ANSWERS: usize = 8;

/// An event of a tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// The other end answers, from this address; or it is a new one.
    Connected(SocketAddr),
    /// Nothing has arrived from it for five seconds. The tunnel keeps trying.
    Lost,
    /// A message.
    Message(Arrived<'a>),
}

/// A message that arrived through the tunnel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived<'a> {
    /// Its channel.
    pub channel: &'a [u8],
    /// Its bytes.
    pub payload: &'a [u8],
    /// Its number among all messages that the other end accepted.
    pub number: u64,
    /// Its age in µs, if known yet: the delay counts as half of the shortest round trip.
    pub age: Option<u64>,
    /// Whether a part of it was lost and has been restored.
    pub recovered: bool,
}

/// The messages delivered.
struct Delivered {
    order: Order,
    /// The highest number of each channel.
    newest: HashMap<Vec<u8>, u64>,
}

pub(crate) struct Session {
    seal: Seal,
    peer: SocketAddr,
    replay: Replay,
    gather: Gather,
    coder: Coder,
    delivered: Delivered,
    loss: Loss,
    clock: Clock,
    mtu: Mtu,
    path: Path,
    /// The probes received: their numbers and lengths.
    probes: VecDeque<(u32, u16)>,
    last_received: u64,
    next_report: u64,
}

impl Session {
    pub fn new(seal: Seal, config: &Config, peer: SocketAddr, now: u64) -> Session {
        Session {
            seal,
            peer,
            replay: Replay::new(),
            gather: Gather::new(config.memory),
            coder: Coder::default(),
            delivered: Delivered { order: config.order, newest: HashMap::new() },
            loss: Loss::new(),
            clock: Clock::default(),
            mtu: config.mtu,
            path: Path::new(config.mtu, peer, now),
            probes: VecDeque::new(),
            last_received: now,
            next_report: now,
        }
    }

    pub fn concerns(&self, datagram: &[u8]) -> bool {
        self.seal.concerns(datagram)
    }
    pub fn seal(&mut self, plain: &[u8]) -> Vec<u8> {
        self.seal.seal(plain)
    }
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }
    fn move_to(&mut self, peer: SocketAddr, now: u64) {
        // A translator changes the port; a peer that changes its address may be on another path.
        if self.peer.ip() != peer.ip() {
            self.path = Path::new(self.mtu, peer, now);
        }
        self.peer = peer;
    }
    /// When the last genuine datagram arrived.
    pub fn last_received(&self) -> u64 {
        self.last_received
    }
    /// When [`Session::own_words`] may have something.
    pub fn timeout(&self) -> u64 {
        if self.probes.is_empty() { self.next_report.min(self.path.next()) } else { 0 }
    }
    /// Bytes that a datagram may have.
    pub fn datagram(&self) -> usize {
        self.path.len()
    }
    /// The same with the headers of IP and UDP.
    pub fn packet(&self) -> usize {
        self.path.len() + headers(self.peer)
    }
    /// This machine refused to send so long a datagram.
    pub fn refused(&mut self, len: usize, now: u64) {
        self.path.refused(len, now);
    }
    /// Drops incomplete messages, and returns how many there were.
    pub fn end(&mut self) -> u64 {
        self.gather.clear();
        self.gather.incomplete()
    }
    pub fn expected(&self) -> Expected {
        let way = u64::from(self.clock.round_trip().unwrap_or(0)) * 1000 / 2;
        Expected { way, ..self.loss.expected() }
    }
    /// Loss and round trip.
    pub fn measured(&self) -> (Option<f64>, Option<u32>) {
        (self.loss.measured(), self.clock.round_trip())
    }

    /// Processes a datagram that claims to be of this session. `None` if it is not genuine.
    pub fn receive(
        &mut self,
        datagram: &mut [u8],
        from: SocketAddr,
        now: u64,
        stats: &mut Stats,
        events: &mut impl FnMut(Event<'_>),
    ) -> Option<()> {
        let (number, len) = (Seal::number(datagram)?, datagram.len());
        if !self.replay.is_new(number) {
            stats.rejected.copies += 1;
            return Some(());
        }
        let plain = self.seal.open(datagram)?;
        // Only now may it change anything.
        if self.replay.note(number) {
            // The other end may have moved, or a translator gave it another port. An old datagram does not count,
            // though.
            self.move_to(from, now);
        }
        self.last_received = self.last_received.max(now);
        stats.received_datagrams += 1;
        stats.received_bytes += len as u64;
        let Session { gather, coder, delivered, clock, loss, path, probes, .. } = self;
        let taken = match Frame::read(plain) {
            Some(Frame::Report(report)) => {
                loss.note(now, &report, path.lost);
                if loss.is_sudden() {
                    path.suspect(now);
                }
                clock.note(now, &report);
                Ok(())
            }
            Some(Frame::Probe(number)) => {
                if probes.len() < ANSWERS {
                    probes.push_back((number, u16::try_from(len).unwrap_or(u16::MAX)));
                }
                Ok(())
            }
            Some(Frame::Seen(number, len)) => {
                path.answered(number, len.into(), now);
                Ok(())
            }
            Some(Frame::Symbol(symbol, bytes)) => {
                gather.take(symbol, bytes, now, coder, |record, recovered| {
                    let age = clock.age(now, record.made);
                    if delivered.admits(&record, age, stats) {
                        stats.delivered += 1;
                        stats.delivered_payload += record.payload.len() as u64;
                        stats.recovered += u64::from(recovered);
                        let Record { number, channel, payload, .. } = record;
                        events(Event::Message(Arrived { channel, payload, number, age, recovered }));
                    }
                })
            }
            None => Err(crate::gather::Malformed),
        };
        stats.rejected.malformed += u64::from(taken.is_err());
        stats.dropped.incomplete += gather.incomplete();
        Some(())
    }

    /// The next frame between the ends other than a message, if one is due: a report, an answer, a probe.
    pub fn own_words(&mut self, now: u64, stats: &mut Stats) -> Option<Vec<u8>> {
        let words = self.report(now, stats).or_else(|| self.answer_or_probe(now))?;
        Some(self.seal.seal(&words))
    }

    fn answer_or_probe(&mut self, now: u64) -> Option<Vec<u8>> {
        if let Some((number, len)) = self.probes.pop_front() {
            return Some(seen(number, len));
        }
        if now < self.path.next() {
            return None;
        }
        let (loss, round_trip) = (self.loss.expected().loss, self.clock.round_trip());
        let known = Known { arrived: self.loss.arrived(), loss, round_trip };
        let (number, len) = self.path.probe(now, known)?;
        Some(probe(number, len - OVERHEAD))
    }

    fn report(&mut self, now: u64, stats: &mut Stats) -> Option<Vec<u8>> {
        if now < self.next_report {
            return None;
        }
        self.next_report = now.saturating_add(REPORT);
        self.gather.expire(now);
        stats.dropped.incomplete += self.gather.incomplete();
        let (highest, received) = self.replay.counts();
        let (echo, held) = self.clock.echo(now);
        // 0 means none, so no time is 0.
        let report = Report { sent: micros(now).max(1), highest, received, echo, held };
        Some(report.write())
    }
}

impl Delivered {
    /// Whether to deliver a message; if not, the reason is counted.
    fn admits(&mut self, record: &Record<'_>, age: Option<u64>, stats: &mut Stats) -> bool {
        if age.is_some_and(|age| age > record.deadline.into()) {
            stats.dropped.late += 1;
            return false;
        }
        if self.order == Order::All {
            return true;
        }
        match self.newest.get_mut(record.channel) {
            Some(newest) if record.number <= *newest => {
                stats.dropped.superseded += 1;
                return false;
            }
            Some(newest) => *newest = record.number,
            None => {
                if self.newest.len() >= CHANNELS {
                    self.newest.clear();
                }
                self.newest.insert(record.channel.to_vec(), record.number);
            }
        }
        true
    }
}
