//! Measurements from the other end's reports: loss, round trip, and age of messages.

use crate::frame::Report;
use std::collections::VecDeque;

/// Time over which loss is measured, in ns; and the shorter time that reveals a sudden change.
const LONG: u64 = 3_000_000_000;
const SHORT: u64 = 500_000_000;
/// Reports at shorter intervals count as one.
const APART: u64 = 50_000_000;
/// A rise of the loss by this much triggers a check of the path.
const SUDDEN: f64 = 0.3;
/// Fewer datagrams than this give no estimate.
const ENOUGH: u64 = 20;
/// Loss assumed before the first estimate.
const ASSUMED: f64 = 0.05;
/// The greatest loss that is compensated.
const MOST: f64 = 0.6;

/// The longest bursts that are compensated.
const MOST_BURST: f64 = 32.0;

/// The expected behavior of the link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Expected {
    /// The part of datagrams that will be lost.
    pub loss: f64,
    /// How many are lost together; 1 if they are lost independently.
    pub burst: f64,
    /// One-way delay, in ns.
    pub way: u64,
}

/// Microseconds on the clock in packets. It wraps after 71 minutes; only differences matter.
pub(crate) fn micros(now: u64) -> u32 {
    (now / 1000) as u32
}

/// The loss of what this end sends, as the other end reports it.
pub(crate) struct Loss {
    /// Arrival time of each report, the number of datagrams it covers, and how many of them had arrived.
    reports: VecDeque<(u64, u64, u64)>,
    highest: u64,
    expected: Expected,
}

impl Loss {
    pub fn new() -> Loss {
        let expected = Expected { loss: ASSUMED, burst: 1.0, way: 0 };
        Loss { reports: VecDeque::new(), highest: 0, expected }
    }

    /// Adds a report. `probes`: how many datagrams were lost because they probed the path.
    pub fn note(&mut self, now: u64, report: &Report, probes: u64) {
        if self.highest > report.highest {
            return; // a later one arrived before
        }
        self.highest = report.highest;
        // Extra reports of the other end do not make this list longer.
        if self
            .reports
            .len()
            .checked_sub(2)
            .is_some_and(|last| now.saturating_sub(self.reports[last].0) < APART)
        {
            self.reports.pop_back();
        }
        self.reports.push_back((now, report.highest.saturating_sub(probes), report.received));
        // One older report stays, so that a whole time span is covered.
        while self.reports.get(1).is_some_and(|(then, ..)| now.saturating_sub(*then) > LONG) {
            self.reports.pop_front();
        }
        self.expected = self.expect();
    }

    /// The number of this end's datagrams that have arrived.
    pub fn arrived(&self) -> u64 {
        self.reports.back().map_or(0, |(_, _, received)| *received)
    }
    /// Whether the loss has just risen sharply.
    pub fn is_sudden(&self) -> bool {
        let before = self.over(LONG).map_or(ASSUMED, |(loss, _)| loss);
        self.over(SHORT).is_some_and(|(now, _)| now > before + SUDDEN)
    }

    /// The part lost in the last `span`, and of how many; `None` if they are too few.
    fn over(&self, span: u64) -> Option<(f64, u64)> {
        let (now, highest, received) = self.reports.back()?;
        let start = self.reports.iter().rev().find(|(then, ..)| now.saturating_sub(*then) >= span);
        let (_, highest_then, received_then) = start.or(self.reports.front())?;
        let sent = highest.saturating_sub(*highest_then);
        let came = received.saturating_sub(*received_then);
        (sent >= ENOUGH).then(|| (sent.saturating_sub(came) as f64 / sent as f64, sent))
    }

    /// The recent loss; `None` if unknown.
    pub fn measured(&self) -> Option<f64> {
        self.over(LONG).map(|(loss, _)| loss)
    }

    /// The loss to compensate: a little more than in the last seconds, and immediately more when it rises.
    pub fn expected(&self) -> Expected {
        self.expected
    }

    fn expect(&self) -> Expected {
        let Some((long, n)) = self.over(LONG) else { return Expected { loss: ASSUMED, burst: 1.0, way: 0 } };
        let burst = self.burst(long);
        let doubt = 2.0 * (long * (1.0 - long) * burst / n as f64).sqrt() + 1.0 / n as f64;
        let short = self.over(SHORT).map_or(0.0, |(short, _)| short);
        Expected { loss: (long + doubt).max(short).min(MOST), burst, way: 0 }
    }

    /// How much more the losses vary from report to report than independent losses would.
    fn burst(&self, loss: f64) -> f64 {
        let (mut excess, mut spans) = (0.0, 0_u32);
        for ((_, sent, came), (_, sent_next, came_next)) in
            self.reports.iter().zip(self.reports.iter().skip(1))
        {
            let n = sent_next.saturating_sub(*sent) as f64;
            let lost = n - came_next.saturating_sub(*came) as f64;
            let usual = n * loss * (1.0 - loss);
            if usual > 0.0 {
                excess += (lost - n * loss).powi(2) / usual;
                spans += 1;
            }
        }
        let factor = excess / f64::from(spans.max(2) - 1);
        // Chance explains this much too.
        if factor < 2.0 { 1.0 } else { factor.min(MOST_BURST) }
    }
}

/// The minimum of the last 10 to 20 seconds.
#[derive(Default)]
struct Lowest {
    since: u64,
    current: Option<i64>,
    before: Option<i64>,
}

impl Lowest {
    fn note(&mut self, now: u64, value: i64) {
        if now.saturating_sub(self.since) > 10_000_000_000 {
            (self.since, self.before, self.current) = (now, self.current, None);
        }
        self.current = Some(self.current.map_or(value, |lowest| lowest.min(value)));
    }
    fn get(&self) -> Option<i64> {
        self.current.into_iter().chain(self.before).min()
    }
}

/// The other end's clock, as observed here.
#[derive(Default)]
pub(crate) struct Clock {
    /// The first difference observed: others are counted from it, so that wrapping does not matter.
    base: Option<u32>,
    offset: Lowest,
    round_trip: Lowest,
    /// `sent` of the last report, and when it arrived.
    last: Option<(u32, u64)>,
}

impl Clock {
    pub fn note(&mut self, now: u64, report: &Report) {
        let difference = micros(now).wrapping_sub(report.sent);
        let base = *self.base.get_or_insert(difference);
        self.offset.note(now, signed(difference.wrapping_sub(base)));
        self.last = Some((report.sent, now));
        let round = signed(micros(now).wrapping_sub(report.echo).wrapping_sub(report.held));
        // An end that has not received a report yet echoes nothing.
        if report.echo != 0 && round >= 0 {
            self.round_trip.note(now, round);
        }
    }

    /// The echo of the last report received: its time, and its age.
    pub fn echo(&self, now: u64) -> (u32, u32) {
        self.last.map_or((0, 0), |(sent, came)| (sent, micros(now).wrapping_sub(micros(came))))
    }

    /// The shortest recent round trip, in µs.
    pub fn round_trip(&self) -> Option<u32> {
        self.round_trip.get().and_then(|us| u32::try_from(us).ok())
    }

    /// The age of something that the other end made at `made`, in µs, assuming that both directions take the same
    /// time. Before a round trip is known, the delay counts as zero.
    pub fn age(&self, now: u64, made: u32) -> Option<u64> {
        let way = self.round_trip.get().unwrap_or(0) / 2;
        let behind = signed(micros(now).wrapping_sub(made).wrapping_sub(self.base?)) - self.offset.get()?;
        Some(u64::try_from(behind + way).unwrap_or(0))
    }
}

fn signed(difference: u32) -> i64 {
    difference.cast_signed().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn report(sent: u32, highest: u64, received: u64) -> Report {
        Report { sent, highest, received, echo: 0, held: 0 }
    }

    #[test]
    fn loss_is_that_of_the_last_seconds_and_its_rise_counts_at_once() {
        let mut loss = Loss::new();
        assert_eq!(
            (loss.measured(), loss.expected()),
            (None, Expected { loss: ASSUMED, burst: 1.0, way: 0 })
        );
        let (mut sent, mut came) = (0, 0);
        for tick in 0..50 {
            sent += 100;
            came += if tick < 45 { 90 } else { 50 };
            loss.note(tick * 100 * MS, &report(0, sent, came), 0);
        }
        let measured = loss.measured().unwrap();
        assert!(measured > 0.1 && measured < 0.25, "{measured}");
        let expected = loss.expected();
        assert!(expected.loss >= 0.5 && expected.burst > 2.0, "{expected:?}");
        loss.note(5001 * MS, &report(0, 3, 3), 0);
        assert_eq!(loss.measured(), Some(measured), "an old report changes nothing");
        for tick in 50..100 {
            sent += 100;
            came += 100;
            loss.note(tick * 100 * MS, &report(0, sent, came), 0);
        }
        assert_eq!((loss.measured(), loss.expected().burst), (Some(0.0), 1.0));
    }

    #[test]
    fn ages_need_no_common_clock() {
        // Here it is 1 s; there the clock is about to wrap. 20 ms one way, sometimes more.
        let there = |now: u64| micros(now).wrapping_sub(1_030_000);
        let mut clock = Clock::default();
        assert_eq!(clock.age(0, 0), None);
        for tick in 0..30 {
            let late = tick % 3 * 7;
            let now = (1000 + tick * 100) * MS;
            let sent = there(now - (20 + late) * MS);
            let echo = micros(now - (40 + late) * MS);
            clock.note(now, &Report { sent, highest: 0, received: 0, echo, held: 0 });
        }
        assert_eq!(clock.round_trip(), Some(40_000));
        let now = 5000 * MS;
        assert_eq!(clock.age(now, there(now - 75 * MS)), Some(75_000));
        assert_eq!(clock.age(now, there(now + 75 * MS)), Some(0), "a time from the future counts as new");
    }
}
