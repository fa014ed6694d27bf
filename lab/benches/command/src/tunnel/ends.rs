//! The two ends of a measurement, each in a separate thread.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use saltus_links::Badness;
use saltus_os::clock;
use saltus_tunnel::{Config, Driver, Event, Key, Mtu, Order, Pace, Redundancy};

use super::place::Place;
use crate::outcome::{Failure, Outcome};
use saltus_bench_channel::stop;

/// Messages of one size at one rate.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    pub size: usize,
    pub hz: f64,
}

/// The protocol that carries the messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum By {
    Tunnel(Redundancy),
    Udp,
    Tcp,
}

impl By {
    /// The name in the table.
    pub fn name(self) -> String {
        match self {
            By::Tunnel(Redundancy::Fixed(part)) => format!("tunnel {:.0} %", part * 100.0),
            By::Tunnel(_) => "tunnel auto".into(),
            By::Udp => "plain UDP".into(),
            By::Tcp => "TCP".into(),
        }
    }
}

/// An error of the tunnel.
pub fn failed(error: saltus_tunnel::Error) -> Failure {
    Failure::new(error.to_string())
}

/// Time limit for connecting, and warm-up before the measurement, in ns.
const PATIENCE: u64 = 15_000_000_000;
const WARM: u64 = 1_000_000_000;
/// Interval between checks of the newest message's age.
const CHECK_INTERVAL: u64 = 1_000_000;
/// Deadline used for TCP, in ns; long, because TCP drops nothing.
const LATE: u64 = 60_000_000_000;

/// What to measure.
pub struct Run {
    pub by: By,
    pub stream: Stream,
    pub badness: Badness,
    pub deadline: Duration,
    pub time: Duration,
}

/// The result. Times are in ns.
#[derive(Default)]
pub struct Measured {
    pub sent: u64,
    /// Messages delivered before the deadline.
    pub in_time: u64,
    /// Bytes put on the wire towards the receiver.
    pub wire: u64,
    /// The age of each message on delivery.
    pub ages: Vec<u64>,
    /// The age of the newest message, checked every millisecond.
    pub information: Vec<u64>,
}

impl Run {
    fn config(&self) -> Config {
        // Without capacity for all messages, the newest count; otherwise all do.
        let order = if self.badness.rate > 0 { Order::Newest } else { Order::All };
        let config = Config { order, ..Config::new(Key::from_bytes([1; 32])) };
        let pace = (self.badness.rate > 0).then(|| {
            let rate = self.badness.rate * 9 / 10;
            Pace { rate, burst: (rate / 200).max(5000) }
        });
        match self.by {
            By::Tunnel(redundancy) => Config { redundancy, pace, ..config },
            By::Udp => Config { redundancy: Redundancy::None, ..config },
            By::Tcp => Config { redundancy: Redundancy::None, mtu: Mtu::Fixed(60_028), ..config },
        }
    }

    /// Measures.
    pub fn measure(&self, place: &Place) -> Outcome<Measured> {
        let tcp = self.by == By::Tcp;
        let relay = place.relay(self.badness)?;
        let mut receiver =
            place.receiver(|| Driver::listen(self.config(), relay.listen(), tcp)).map_err(failed)?;
        let to = relay.reach(&receiver);
        let mut sender = place.sender(|| Driver::connect(self.config(), &to, tcp)).map_err(failed)?;
        let over = AtomicBool::new(false);
        let outcome: Outcome<_> = thread::scope(|scope| {
            let receiving = scope.spawn(|| place.receiver(|| receive(&mut receiver, &over)));
            // In its network: TCP creates its sockets late.
            let sent = place.sender(|| self.send(&mut sender, || relay.bytes()));
            over.store(true, Ordering::Relaxed); // the join below orders the counts
            let received = receiving.join().map_err(|_| Failure::new("the receiver failed"))??;
            Ok((sent?, received))
        });
        let (sent, (messages, looks)) = outcome?;
        let (start, end) = (sent.start, sent.end);
        let within = |made: u64| (start..end).contains(&made);
        let ages: Vec<u64> = messages.iter().filter(|(made, _)| within(*made)).map(|(_, age)| *age).collect();
        let deadline = self.deadline.as_nanos() as u64;
        Ok(Measured {
            sent: sent.count,
            in_time: ages.iter().filter(|age| **age <= deadline).count() as u64,
            wire: sent.wire,
            ages,
            information: looks.iter().filter(|(when, _)| within(*when)).map(|(_, age)| *age).collect(),
        })
    }

    fn send(&self, driver: &mut Driver, wire: impl Fn() -> u64) -> Outcome<Sent> {
        let period = (1e9 / self.stream.hz) as u64;
        let begun = clock::monotonic();
        while !driver.is_connected() && !stop::asked() {
            if clock::monotonic() > begun + PATIENCE {
                return Err(Failure::new("the ends of the tunnel do not find each other"));
            }
            driver.turn(|_| {}).map_err(failed)?;
            driver.wait(&[], u64::MAX).map_err(failed)?;
        }
        let warm = clock::monotonic();
        let (start, mut next) = (warm + WARM, warm);
        let end = start + self.time.as_nanos() as u64;
        let deadline = if self.by == By::Tcp { LATE } else { self.deadline.as_nanos() as u64 };
        let (mut payload, mut count, mut wire_before) = (vec![0x5a; self.stream.size], 0, None);
        // Sends everything due, even if this process could not run in time. Then waits, so that datagrams in transit
        // arrive.
        let mut last = end;
        while (next < end || clock::monotonic() < last + deadline.min(WARM)) && !stop::asked() {
            let now = clock::monotonic();
            if now >= start && wire_before.is_none() {
                wire_before = Some(wire());
            }
            if now >= next && next < end {
                // Its age counts from when it was due, including the sender's delay.
                payload[..8].copy_from_slice(&next.to_le_bytes());
                driver.send(b"bench", &payload, deadline).map_err(failed)?;
                count += u64::from(next >= start);
                (next, last) = (next + period, end.max(now));
            }
            driver.turn(|_| {}).map_err(failed)?;
            let until = if next < end { next } else { last + WARM };
            driver.wait(&[], until).map_err(failed)?;
        }
        Ok(Sent { start, end, count, wire: wire() - wire_before.unwrap_or(0) })
    }
}

struct Sent {
    start: u64,
    end: u64,
    count: u64,
    wire: u64,
}

/// When each message was made and its age on delivery; and the age of the newest, at each check.
type Received = (Vec<(u64, u64)>, Vec<(u64, u64)>);

fn receive(driver: &mut Driver, over: &AtomicBool) -> Outcome<Received> {
    let (mut messages, mut looks, mut newest) = (Vec::new(), Vec::new(), None);
    let mut next_check = clock::monotonic();
    while !over.load(Ordering::Relaxed) {
        let take = |event: Event<'_>| {
            let Event::Message(message) = event else { return };
            let Some(made) = message.payload.first_chunk() else { return };
            let made = u64::from_le_bytes(*made);
            messages.push((made, clock::monotonic().saturating_sub(made)));
            newest = newest.max(Some(made));
        };
        driver.turn(take).map_err(failed)?;
        let now = clock::monotonic();
        if now >= next_check {
            looks.extend(newest.map(|made| (now, now.saturating_sub(made))));
            next_check = now + CHECK_INTERVAL;
        }
        driver.wait(&[], next_check).map_err(failed)?;
    }
    Ok((messages, looks))
}
