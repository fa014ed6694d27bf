//! The longest datagram that the path carries, measured by probes: in the spirit of RFC 8899.
//!
//! A probe is a datagram padded to the length in question; the other end answers with the length that it received.
//! Messages from routers are ignored, so outsiders cannot make datagrams short. Lengths are bytes of UDP payload.
//!
//! ```text
//!   start ── the usual length passes? ──yes──► search ── nothing left between ──► rest ── each 2 s: does it still pass? ─┐
//!                    │ no                        ▲ ▲                               ▲  │ no              yes              │
//!                    ▼                           │ └──── after 10 minutes ─────────┼──┼───────────────────────────────────┘
//!              the shortest length ──────────────┘◄────────────────────────────────┴──┘ a black hole
//! ```
//!
//! A lost probe counts only if other datagrams arrived in the meantime, and only if probes are lost more often than
//! the loss of the link explains. So neither an outage nor a bad radio makes datagrams short.

use crate::Mtu;
use crate::config::SHORTEST;
use std::collections::VecDeque;
use std::net::SocketAddr;

/// The length that nearly all networks carry, used first; and the longest tried: Ethernet's. Lengths of packets
/// with the headers of IP and UDP.
const USUAL: usize = 1228;
const LONGEST: usize = 1500;
/// A smaller difference in bytes is not worth a search.
const STEP: usize = 8;
/// Interval at which the present length is confirmed, in ns.
const CONFIRM: u64 = 2_000_000_000;
/// Interval after which longer datagrams are tried again, after a search or when the path has become worse.
const AGAIN: u64 = 600_000_000_000;
const RETRY_SOON: u64 = 10_000_000_000;
/// Time for an answer beyond the round trip: other datagrams must be reported in the meantime, which happens every
/// 100 ms.
const ANSWER: u64 = 250_000_000;
/// Least and most probes of one length before it is given up; the probability that loss alone takes all of them.
const TRIES: u32 = 3;
const TRIES_AT_MOST: u32 = 12;
const CHANCE: f64 = 1e-3;
/// Most probes whose answers may still arrive.
const OUT: usize = 16;

/// The state of the link when a probe is sent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known {
    /// How many datagrams of this end have arrived, as the other end reports.
    pub arrived: u64,
    pub loss: f64,
    /// In µs.
    pub round_trip: Option<u32>,
}

/// A length being tried.
#[derive(Debug)]
struct Trial {
    len: usize,
    left: u32,
    /// How many datagrams had arrived when the last probe was sent.
    arrived: u64,
}

/// The lengths known to pass or not, and the present trial.
#[derive(Debug)]
pub(crate) struct Path {
    /// The length that data may use, and whether it is known to pass.
    len: usize,
    confirmed: bool,
    shortest: usize,
    longest: usize,
    /// The shortest length known not to pass.
    high: usize,
    /// When longer ones are tried again, and whether datagrams became short because lengths stopped passing.
    again: u64,
    fell: bool,
    trial: Option<Trial>,
    /// When the next probe is sent, or the last one counts as lost.
    due: u64,
    out: VecDeque<(u32, usize)>,
    next: u32,
    /// Probes that did not pass, which do not count as loss of the link.
    pub lost: u64,
}

/// Bytes of the headers of IP and UDP to that address.
pub(crate) fn headers(peer: SocketAddr) -> usize {
    if peer.ip().to_canonical().is_ipv6() { 48 } else { 28 }
}

impl Path {
    /// The path to that peer, not measured yet.
    pub fn new(mtu: Mtu, peer: SocketAddr, now: u64) -> Path {
        let [shortest, len, longest] = match mtu {
            Mtu::Fixed(packet) => [packet; 3],
            Mtu::Probed => [SHORTEST, USUAL, LONGEST],
        }
        .map(|packet| packet.saturating_sub(headers(peer)));
        Path {
            len,
            confirmed: false,
            shortest,
            longest,
            high: longest + 1,
            again: u64::MAX,
            fell: false,
            trial: None,
            due: if shortest < longest { now } else { u64::MAX },
            out: VecDeque::new(),
            next: 1,
            lost: 0,
        }
    }

    /// Bytes that a datagram may have now.
    pub fn len(&self) -> usize {
        self.len
    }
    /// When [`Path::probe`] may have something.
    pub fn next(&self) -> u64 {
        self.due
    }

    /// A probe to send now: its number and its length.
    pub fn probe(&mut self, now: u64, known: Known) -> Option<(u32, usize)> {
        if now < self.due {
            return None;
        }
        if let Some(trial) = &mut self.trial
            // If nothing else arrived either, the link is down, and the lost probe does not count.
            && known.arrived > trial.arrived
        {
            self.lost += 1;
            trial.left -= 1;
            if trial.left == 0 {
                let len = trial.len;
                self.fails(len, now);
                if now < self.due {
                    return None;
                }
            }
        }
        let (len, left) = (self.goal(now), tries(known.loss));
        let trial = self.trial.get_or_insert(Trial { len, left, arrived: 0 });
        trial.arrived = known.arrived;
        let round_trip = known.round_trip.map_or(1_000_000_000, |us| u64::from(us) * 1000);
        self.due = now.saturating_add(2 * round_trip).saturating_add(ANSWER);
        let probe = (self.next, trial.len);
        self.next = self.next.wrapping_add(1);
        self.out.push_back(probe);
        if self.out.len() > OUT {
            self.out.pop_front();
        }
        Some(probe)
    }

    /// Whether there are lengths worth a search.
    fn is_open(&self) -> bool {
        self.len < self.longest && self.high > self.len + STEP
    }

    /// The next length to try.
    fn goal(&mut self, now: u64) -> usize {
        if now >= self.again {
            (self.again, self.high) = (u64::MAX, self.longest + 1);
        }
        match self.confirmed && self.is_open() {
            false => self.len,
            // Most paths carry the longest.
            true if self.high > self.longest => self.longest,
            true => self.len.midpoint(self.high),
        }
    }

    /// The other end has received a probe, with this length.
    pub fn answered(&mut self, number: u32, len: usize, now: u64) {
        let Some(at) = self.out.iter().position(|probe| *probe == (number, len)) else { return };
        self.out.remove(at);
        if len >= self.high {
            self.high = self.longest + 1;
        }
        self.confirmed |= len >= self.len;
        self.len = self.len.max(len);
        if self.trial.as_ref().is_some_and(|trial| trial.len <= len) {
            self.trial = None;
            self.resume(now);
        }
    }

    /// The path does not carry this many bytes.
    fn fails(&mut self, len: usize, now: u64) {
        self.trial = None;
        self.high = self.high.min(len);
        if len <= self.len {
            // Not even a length that passed before: the measurements are of another path, and so are answers in
            // transit.
            (self.len, self.confirmed, self.fell) = (self.shortest, true, true);
            self.high = self.high.max(self.shortest + 1);
            self.out.clear();
        }
        self.resume(now);
    }

    /// Tries the next length, or rests when there is none.
    fn resume(&mut self, now: u64) {
        self.due = now;
        if self.is_open() || !self.confirmed {
            return;
        }
        if self.len >= self.longest {
            self.again = u64::MAX;
        } else if self.again == u64::MAX {
            self.again = now.saturating_add(if self.fell { RETRY_SOON } else { AGAIN });
            self.fell = false;
        }
        // Nothing is shorter than the shortest.
        let confirm = if self.len > self.shortest { now.saturating_add(CONFIRM) } else { u64::MAX };
        self.due = confirm.min(self.again);
    }

    /// This machine cannot send so long a datagram: its own interface has a smaller MTU.
    pub fn refused(&mut self, len: usize, now: u64) {
        if self.shortest < self.longest && len > self.shortest {
            self.fails(len, now);
        }
    }

    /// The loss has suddenly risen: perhaps long datagrams are lost.
    pub fn suspect(&mut self, now: u64) {
        if self.trial.is_none() && self.confirmed && !self.is_open() && self.len > self.shortest {
            self.due = self.due.min(now);
        }
    }
}

/// The number of probes that loss alone takes all at most once in a thousand times.
fn tries(loss: f64) -> u32 {
    // The probe or its answer.
    let lost = 1.0 - (1.0 - loss).powi(2);
    let needed = if lost > 0.0 { (CHANCE.ln() / lost.ln()).ceil() } else { 0.0 };
    (needed as u32).clamp(TRIES, TRIES_AT_MOST)
}

#[cfg(test)]
mod tests;
