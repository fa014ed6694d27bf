//! What to send next: short and long messages in turn, each channel in turn, and parity.

use crate::code::{self, Coder, LENGTH, SOURCES};
use crate::frame::{Record, SYMBOL};
use crate::group::Groups;
use crate::measure::{Expected, micros};
use crate::outbox::{Outbox, Waiting};
use crate::outgoing::Outgoing;
use crate::parity::MOST_FOR_ONE;
use crate::seal::OVERHEAD;
use crate::stats::Stats;
use crate::{Config, Error, Redundancy, Result, parity};
use saltus_net::udp::Pacer;
use std::collections::VecDeque;

/// Long messages, of different channels, that are sent concurrently, a piece of each in turn.
const AT_ONCE: usize = 4;
/// Target of the part of messages lost with a fixed redundancy.
const FIXED_TARGET: f64 = 1e-3;
/// Target of the part of messages lost when redundancy follows the loss.
const AUTO_TARGET: f64 = 1e-4;
/// Bytes of the headers of IP and UDP, which the rate includes.
const HEADERS: u64 = 28;

/// The sending half of a tunnel. Times are in ns.
pub(crate) struct Sender {
    redundancy: Redundancy,
    memory: usize,
    /// Bytes of the longest datagram, and of a symbol in it.
    datagram: usize,
    capacity: usize,
    pacer: Pacer,
    rate: Option<u64>,
    /// The rate allows nothing before this time.
    not_before: u64,
    short: Outbox,
    long: Outbox,
    sending: VecDeque<(Vec<u8>, Outgoing)>,
    /// Whether long messages are next.
    long_first: bool,
    groups: Groups,
    coder: Coder,
    next_block: u32,
    next_number: u64,
}

impl Sender {
    pub fn new(config: &Config) -> Sender {
        Sender {
            redundancy: config.redundancy,
            memory: config.memory,
            datagram: 0,
            capacity: 0,
            pacer: Pacer::new(config.pace),
            rate: config.pace.map(|pace| pace.rate),
            not_before: 0,
            short: Outbox::new(config.order, config.memory),
            long: Outbox::new(config.order, config.memory),
            sending: VecDeque::new(),
            long_first: false,
            groups: Groups::default(),
            coder: Coder::default(),
            next_block: 0,
            next_number: 0,
        }
    }

    /// Queues a message with this deadline.
    pub fn push(
        &mut self,
        channel: &[u8],
        payload: &[u8],
        until: u64,
        now: u64,
        stats: &mut Stats,
    ) -> Result<()> {
        let len = Record::len(channel, payload.len());
        let most = self.longest() - Record::len(&[0; 63], 0);
        if payload.len() > most {
            return Err(Error::TooLong { len: payload.len(), most });
        }
        stats.accepted += 1;
        let outbox = if len <= self.capacity { &mut self.short } else { &mut self.long };
        let message = Waiting { number: self.next_number, made: now, until, payload: payload.to_vec() };
        self.next_number += 1;
        outbox.push(channel, message, &mut stats.dropped);
        Ok(())
    }

    /// Bytes of the longest record: coding needs several times its memory, at either end.
    fn longest(&self) -> usize {
        (SOURCES * self.capacity).min(self.memory / 4)
    }

    /// Sets the longest datagram. Messages being sent in longer ones are cut again.
    pub fn fit(&mut self, datagram: usize, stats: &mut Stats) {
        if datagram == self.datagram {
            return;
        }
        let shorter = datagram < self.datagram;
        self.datagram = datagram;
        // Even, since the code's symbols are.
        self.capacity = (datagram - OVERHEAD - SYMBOL) / 2 * 2 - LENGTH;
        if !shorter {
            return;
        }
        // A message whose pieces were all sent is not sent again, or it might arrive twice; and its parity is too
        // long.
        self.groups = Groups::default();
        for (channel, outgoing) in std::mem::take(&mut self.sending) {
            if !outgoing.sent_once() {
                match outgoing.cut(count(&mut self.next_block), self.capacity) {
                    Some(outgoing) => self.sending.push_back((channel, outgoing)),
                    None => stats.dropped.too_long += 1,
                }
            }
        }
        let capacity = self.capacity;
        for (channel, message) in self.short.split_off(|c, m| Record::len(c, m.payload.len()) > capacity) {
            self.long.push(&channel, message, &mut stats.dropped);
        }
    }

    /// Drops messages being sent: the other end is a new one.
    pub fn restart(&mut self, stats: &mut Stats) {
        let lost = self.sending.drain(..).filter(|(_, outgoing)| !outgoing.sent_once()).count();
        stats.dropped.no_peer += lost as u64;
        self.groups = Groups::default();
        self.next_block = 0;
    }

    /// Drops everything.
    pub fn clear(&mut self, stats: &mut Stats) {
        stats.dropped.no_peer += self.short.clear() + self.long.clear();
        self.restart(stats);
    }

    /// The next frame to seal and send, if any. `expected` is what redundancy follows.
    pub fn next(&mut self, now: u64, expected: Expected, stats: &mut Stats) -> Option<Vec<u8>> {
        if now < self.not_before {
            return None;
        }
        let redundancy = self.redundancy;
        self.groups.close(now, &mut self.coder, |sources| together(redundancy, sources, expected.loss));
        if let Some(parity) = self.groups.due(now) {
            stats.sent_parity += 1;
            return Some(parity);
        }
        self.begin(now, expected, stats);
        self.long_first = !self.long_first;
        match self.long_first {
            true => self.next_long(now, stats).or_else(|| self.next_short(now, stats)),
            false => self.next_short(now, stats).or_else(|| self.next_long(now, stats)),
        }
    }

    /// As many waiting short messages as fit, in one symbol.
    fn next_short(&mut self, now: u64, stats: &mut Stats) -> Option<Vec<u8>> {
        let (mut symbol, mut until) = (Vec::new(), u64::MAX);
        let (mut first, mut last) = (u64::MAX, 0);
        while let Some((channel, message)) = self.short.first(now, |_| false, &mut stats.dropped) {
            if symbol.len() + Record::len(channel, message.payload.len()) > self.capacity {
                break;
            }
            record(channel, message).write(&mut symbol);
            (first, last) = (first.min(message.until), last.max(message.until));
            until = first;
            stats.sent += 1;
            stats.sent_payload += message.payload.len() as u64;
            self.short.take();
        }
        if symbol.is_empty() {
            return None;
        }
        let next_block = &mut self.next_block;
        let header = self.groups.add(&symbol, now, until, life(last, now), || count(next_block));
        Some(header.write(&symbol))
    }

    /// Begins to send long messages, one per channel at a time: waiting ones may still be replaced by newer ones.
    fn begin(&mut self, now: u64, expected: Expected, stats: &mut Stats) {
        while self.sending.len() < AT_ONCE {
            let sending = &self.sending;
            let busy = |channel: &[u8]| sending.iter().any(|(other, _)| other == channel);
            if self.long.first(now, busy, &mut stats.dropped).is_none() {
                return;
            }
            let Some((channel, message)) = self.long.take() else { return };
            let len = Record::len(&channel, message.payload.len());
            if len > self.longest() {
                stats.dropped.too_long += 1;
                continue;
            }
            let mut bytes = Vec::with_capacity(len);
            record(&channel, &message).write(&mut bytes);
            let (block, life) = (count(&mut self.next_block), life(message.until, now));
            let (redundancy, memory, width) = (self.redundancy, self.memory, code::width(self.capacity));
            let parities = |k| fitting(k, alone(redundancy, k, expected), width, 2 * memory);
            let mut outgoing = Outgoing::new(block, bytes, self.capacity, life, parities);
            let bytes = outgoing.bytes(OVERHEAD + HEADERS as usize);
            let time = self.rate.map_or(0, |rate| bytes.saturating_mul(1_000_000_000) / rate);
            // It must arrive in time with its parity and the delay of the link; otherwise it would only delay
            // another.
            if now.saturating_add(time).saturating_add(expected.way) > message.until {
                stats.dropped.too_slow += 1;
                continue;
            }
            (outgoing.until, outgoing.payload) = (message.until, message.payload.len() as u64);
            self.sending.push_back((channel, outgoing));
        }
    }

    fn next_long(&mut self, now: u64, stats: &mut Stats) -> Option<Vec<u8>> {
        loop {
            let (channel, mut outgoing) = self.sending.pop_front()?;
            if outgoing.until <= now {
                // Parity that is too late does not lose a message.
                stats.dropped.expired += u64::from(!outgoing.sent_once());
                continue;
            }
            let Some(symbol) = outgoing.next(&mut self.coder) else { continue };
            if outgoing.just_sent_once() {
                stats.sent += 1;
                stats.sent_payload += outgoing.payload;
            }
            stats.sent_parity += u64::from(outgoing.in_parity());
            if !outgoing.done() {
                self.sending.push_back((channel, outgoing));
            }
            return Some(symbol);
        }
    }

    /// Records that a datagram of this many bytes was sent.
    pub fn spent(&mut self, now: u64, bytes: usize) {
        self.not_before = now.saturating_add(self.pacer.take(now, bytes as u64 + HEADERS));
    }

    /// When [`Sender::next`] may have something again.
    pub fn timeout(&self) -> u64 {
        let waiting = !self.short.is_empty() || !self.long.is_empty() || !self.sending.is_empty();
        let next = if waiting { 0 } else { self.groups.next() };
        next.max(self.not_before)
    }
}

fn record<'a>(channel: &'a [u8], message: &'a Waiting) -> Record<'a> {
    Record {
        number: message.number,
        made: micros(message.made),
        deadline: u32::try_from((message.until - message.made) / 1000).unwrap_or(u32::MAX),
        channel,
        payload: &message.payload,
    }
}

/// The remaining time in ms, as in a symbol.
fn life(until: u64, now: u64) -> u16 {
    u16::try_from(until.saturating_sub(now).div_ceil(1_000_000)).unwrap_or(u16::MAX)
}

fn count(next: &mut u32) -> u32 {
    let this = *next;
    *next = next.wrapping_add(1);
    this
}

/// As much of the parity as the other end's memory allows.
fn fitting(sources: usize, parities: usize, width: usize, memory: usize) -> usize {
    let mut parities = parities.min(sources * MOST_FOR_ONE);
    while parities > 0 && code::work(sources, parities, width) > memory {
        parities /= 2;
    }
    parities
}

/// The parity of a message of this many symbols.
fn alone(redundancy: Redundancy, sources: usize, expected: Expected) -> usize {
    match redundancy {
        // Losses in bursts of this size act like fewer and larger losses.
        Redundancy::Auto if expected.burst > 1.0 => {
            let bursts = (sources as f64 / expected.burst).ceil() as usize;
            let needed = parity::needed(bursts, expected.loss, AUTO_TARGET);
            (needed as f64 * expected.burst).ceil() as usize
        }
        _ => extra(redundancy, sources, expected.loss, parity::needed),
    }
}

/// The parity of this many symbols that are separate messages.
fn together(redundancy: Redundancy, sources: usize, loss: f64) -> usize {
    extra(redundancy, sources, loss, parity::needed_together)
}

fn extra(redundancy: Redundancy, sources: usize, loss: f64, needed: fn(usize, f64, f64) -> usize) -> usize {
    match redundancy {
        Redundancy::None => 0,
        Redundancy::Fixed(part) => {
            let share = (sources as f64 * part).ceil() as usize;
            share.max(needed(sources, Redundancy::meant_for(part), FIXED_TARGET))
        }
        Redundancy::Auto => needed(sources, loss, AUTO_TARGET),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;
    use crate::frame::{Frame, Symbol};

    const SECOND: u64 = 1_000_000_000;

    fn sender(redundancy: Redundancy) -> Sender {
        let mut sender = Sender::new(&Config { redundancy, ..Config::new(Key::from_bytes([1; 32])) });
        sender.fit(1200, &mut Stats::default());
        sender
    }

    #[test]
    fn a_new_session_counts_its_blocks_from_the_beginning() {
        // The other end begins at 0, and treats a number half of the range ahead as old.
        let (mut sender, mut stats) = (sender(Redundancy::None), Stats::default());
        sender.next_block = 1 << 31;
        sender.restart(&mut stats);
        sender.push(b"c", b"word", SECOND, 0, &mut stats).unwrap();
        let expected = Expected { loss: 0.0, burst: 1.0, way: 0 };
        let symbol = sender.next(0, expected, &mut stats).unwrap();
        assert!(matches!(Frame::read(&symbol), Some(Frame::Symbol(Symbol { block: 0, .. }, _))));
    }

    #[test]
    fn bursts_never_cost_more_than_eight_times_the_message() {
        let (mut sender, mut stats) = (sender(Redundancy::Auto), Stats::default());
        sender.push(b"c", &[1; 2000], SECOND, 0, &mut stats).unwrap();
        let expected = Expected { loss: 0.4, burst: 32.0, way: 0 };
        let count = std::iter::from_fn(|| sender.next(0, expected, &mut stats)).count();
        assert!((3..=18).contains(&count), "{count}");
    }
}
