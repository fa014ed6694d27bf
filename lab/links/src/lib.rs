//! A simulated bad link, reproducible: loss, bursts of loss, delay, jitter, reordering, a rate.
//!
//! Tests run it on a virtual clock; the relay of the benchmark uses it on the real one.

mod pair;

pub use pair::{End, Pair};

use std::collections::BTreeMap;

/// The defects of a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Badness {
    /// The part of datagrams that is lost.
    pub loss: f64,
    /// The mean number lost in a row; 0 or 1 is without memory. Two states, as in the Gilbert–Elliott model.
    pub burst: f64,
    /// Delay in ns, and its greatest random increase. An increase beyond the interval of two datagrams reorders
    /// them.
    pub delay: u64,
    /// See `delay`.
    pub jitter: u64,
    /// Bytes per second that pass, and bytes queued beyond that; the rest is lost. 0: no limit.
    pub rate: u64,
    /// See `rate`.
    pub queue: u64,
    /// Longer packets are lost: bytes with the headers of IP and UDP. 0: no limit.
    pub mtu: u64,
}

/// Pseudo-random numbers that are the same each time.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// A different sequence for each seed.
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }
    /// Any number.
    pub fn number(&mut self) -> u64 {
        // SplitMix64, which passes the usual tests.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
    /// A number of at least 0 and less than 1.
    pub fn part(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }
    /// Fills bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.number().to_le_bytes()[..chunk.len()]);
        }
    }
}

/// One direction of a link, with the datagrams in transit. Times are in ns.
#[derive(Debug)]
pub struct Link<T> {
    badness: Badness,
    dice: Dice,
    in_burst: bool,
    /// When the last queued datagram will have passed the rate limit.
    free: u64,
    flying: BTreeMap<(u64, u64), T>,
    count: u64,
    /// How many were sent, and how many of them were lost.
    pub sent: u64,
    /// See `sent`.
    pub lost: u64,
}

impl<T> Link<T> {
    /// A link with these defects, the same for the same seed.
    pub fn new(badness: Badness, seed: u64) -> Link<T> {
        let dice = Dice::new(seed);
        Link { badness, dice, in_burst: false, free: 0, flying: BTreeMap::new(), count: 0, sent: 0, lost: 0 }
    }

    /// Changes its defects from now on.
    pub fn set(&mut self, badness: Badness) {
        self.badness = badness;
    }

    /// Sends something of this many bytes.
    pub fn send(&mut self, what: T, bytes: u64, now: u64) {
        self.sent += 1;
        let too_long = self.badness.mtu > 0 && bytes > self.badness.mtu;
        if self.loses() || too_long || !self.admits(bytes, now) {
            self.lost += 1;
            return;
        }
        let jitter = (self.badness.jitter as f64 * self.dice.part()) as u64;
        let arrives = self.free.max(now).saturating_add(self.badness.delay).saturating_add(jitter);
        self.count += 1;
        self.flying.insert((arrives, self.count), what);
    }

    fn loses(&mut self) -> bool {
        let Badness { loss, burst, .. } = self.badness;
        if burst <= 1.0 || loss >= 1.0 {
            return self.dice.part() < loss;
        }
        // Chosen so that the part `loss` of all datagrams finds the bad state, in which all are lost.
        let begins = loss / (burst * (1.0 - loss));
        let changes = if self.in_burst { 1.0 / burst } else { begins };
        self.in_burst ^= self.dice.part() < changes;
        self.in_burst
    }

    fn admits(&mut self, bytes: u64, now: u64) -> bool {
        let Badness { rate, queue, .. } = self.badness;
        if rate == 0 {
            return true;
        }
        let time = |bytes: u64| bytes.saturating_mul(1_000_000_000) / rate;
        if self.free.saturating_sub(now) > time(queue) {
            return false;
        }
        self.free = self.free.max(now).saturating_add(time(bytes));
        true
    }

    /// When the next arrives.
    pub fn next(&self) -> Option<u64> {
        self.flying.first_key_value().map(|((when, _), _)| *when)
    }
    /// The next one that has arrived by now.
    pub fn receive(&mut self, now: u64) -> Option<T> {
        let first = self.flying.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part that arrives of `count`, one every ms, and the average length of runs of losses.
    fn run(badness: Badness, count: usize) -> (f64, f64) {
        let mut link = Link::new(badness, 1);
        (0..count).for_each(|i| link.send(i, 100, i as u64 * 1_000_000));
        let mut came = vec![false; count];
        while let Some(i) = link.receive(u64::MAX) {
            came[i] = true;
        }
        let lost = came.iter().filter(|c| !**c).count();
        assert_eq!((link.sent, link.lost), (count as u64, lost as u64));
        let runs = came.windows(2).filter(|w| w[0] && !w[1]).count();
        (lost as f64 / count as f64, lost as f64 / runs.max(1) as f64)
    }

    #[test]
    fn it_loses_the_configured_fraction_singly_or_in_bursts() {
        let (loss, burst) = run(Badness { loss: 0.1, ..Badness::default() }, 100_000);
        assert!((loss - 0.1).abs() < 0.005 && (burst - 1.11).abs() < 0.05, "{loss} {burst}");
        let (loss, burst) = run(Badness { loss: 0.1, burst: 8.0, ..Badness::default() }, 300_000);
        assert!((loss - 0.1).abs() < 0.01 && (burst - 8.0).abs() < 0.5, "{loss} {burst}");
        assert_eq!(run(Badness::default(), 1000).0, 0.0);
        assert_eq!(run(Badness { loss: 1.0, ..Badness::default() }, 100).0, 1.0);
    }

    #[test]
    fn a_rate_makes_wait_and_then_lose() {
        let mut link = Link::new(Badness { rate: 1000, queue: 300, delay: 7, ..Badness::default() }, 1);
        (0..10).for_each(|i| link.send(i, 100, 0));
        let arrivals: Vec<u64> = std::iter::from_fn(|| {
            let when = link.next()?;
            assert!(link.receive(when - 1).is_none());
            link.receive(when).map(|_| when)
        })
        .collect();
        assert_eq!(arrivals, [100_000_007, 200_000_007, 300_000_007, 400_000_007]);
        assert_eq!(link.lost, 6);
    }

    #[test]
    fn jitter_puts_out_of_order() {
        let mut link = Link::new(Badness { jitter: 10_000_000, ..Badness::default() }, 1);
        (0..100_u64).for_each(|i| link.send(i, 1, i * 1_000_000));
        let order: Vec<u64> = std::iter::from_fn(|| link.receive(u64::MAX)).collect();
        assert!(order.len() == 100 && !order.is_sorted());
    }
}
