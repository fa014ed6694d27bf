//! The account of a run: all times, and the worst spikes.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

use hdrhistogram::Histogram;
use saltus_os::clock;
use saltus_text::human;

use crate::control::Slices;
use crate::observe::Observer;
use crate::session::{Interval, Settings, Spike};
use crate::times;

/// Number of the worst spikes that are kept.
const WORST: usize = 10;
/// Longest time that a spike waits for the control's report, in ns.
const PATIENCE: u64 = 2_000_000_000;

/// A spike, with the control's measurement at that time.
pub struct Seen {
    /// The spike.
    pub spike: Spike,
    /// Since the start, in ns.
    pub since: u64,
    /// The control's longest hiccup at that time, in ns; `None` without a control, or without a report.
    pub control: Option<u64>,
}

impl Seen {
    /// Whether the control also measured a hiccup, of at least half the length.
    pub fn in_control(&self) -> Option<bool> {
        self.control.map(|control| control >= self.spike.delay / 2)
    }
}

/// The account of a run.
pub struct Account {
    /// The settings.
    pub settings: Settings,
    start: u64,
    began: SystemTime,
    /// End of the last interval, monotonic time.
    pub end: u64,
    /// All times, as measured.
    pub raw: Histogram<u64>,
    /// The control's times, at the end.
    pub control: Option<Histogram<u64>>,
    /// The previous interval, as measured.
    pub last: Histogram<u64>,
    /// The worst spikes, longest first.
    pub worst: Vec<Seen>,
    /// Number of all spikes.
    pub spikes: u64,
    /// Number of spikes that the control also measured, and of those that it did not.
    pub shared: [u64; 2],
    /// Number of spikes that followed too fast to be examined.
    pub untold: u64,
    /// Longest duration of a reading of the counters, in ns.
    pub cost: u64,
    /// Unavailable counters.
    pub missing: Vec<String>,
    /// Spikes that wait for the control's report.
    waiting: VecDeque<Spike>,
}

impl Account {
    /// The account of a meter that started at this monotonic time.
    pub fn new(settings: &Settings, start: u64) -> Account {
        let since = Duration::from_nanos(clock::monotonic().saturating_sub(start));
        Account {
            settings: settings.clone(),
            start,
            began: SystemTime::now() - since,
            end: start,
            raw: times(),
            control: None,
            last: times(),
            worst: Vec::new(),
            spikes: 0,
            shared: [0; 2],
            untold: 0,
            cost: 0,
            missing: Vec::new(),
            waiting: VecDeque::new(),
        }
    }

    /// The start of the meter.
    pub fn began(&self) -> SystemTime {
        self.began
    }

    /// The start of an interval, relative to the meter's start, and its length.
    pub fn place(&self, interval: &Interval) -> (Duration, Duration) {
        let since = interval.start.saturating_sub(self.start);
        (Duration::from_nanos(since), Duration::from_nanos(interval.end - interval.start))
    }

    /// The measured time, in ns.
    pub fn measured(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Adds a spike, which waits for the control's report.
    pub fn spike(&mut self, spike: Spike) {
        self.spikes += 1;
        self.waiting.push_back(spike);
    }

    /// Adds an interval.
    pub fn interval(&mut self, interval: Interval) {
        // Both histograms have the same bounds.
        let _ = self.raw.add(&interval.times);
        self.end = interval.end;
        self.last = interval.times;
    }

    /// Whether spikes wait.
    pub fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Reports spikes for which the control's report is complete, or that have waited too long. Without a control, reports all. `now` is
    /// the monotonic time.
    ///
    /// # Errors
    /// Errors of `tell`.
    pub fn settle<E>(
        &mut self,
        control: Option<&Slices>,
        now: u64,
        mut tell: impl FnMut(&Seen) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(spike) = self.waiting.front() {
            let since = spike.at.saturating_sub(self.start);
            let at = |ns: u64| unix(self.began) + ns as f64 / 1e9;
            let (from, to) = (at(since.saturating_sub(spike.delay)), at(since));
            let covered = control.is_none_or(|control| control.cover(to));
            if !covered && now.saturating_sub(spike.at) < PATIENCE {
                break;
            }
            // Before its report is complete, the control can confirm a spike, but not rule it out.
            let saw = control.and_then(|control| control.longest(from, to));
            let saw = saw.filter(|saw| covered || *saw >= spike.delay / 2);
            let Some(spike) = self.waiting.pop_front() else { break };
            let seen = Seen { spike, since, control: saw };
            tell(&seen)?;
            if let Some(both) = seen.in_control() {
                self.shared[usize::from(!both)] += 1;
            }
            let place = self.worst.partition_point(|other| other.spike.delay >= seen.spike.delay);
            self.worst.insert(place, seen);
            self.worst.truncate(WORST);
        }
        Ok(())
    }

    /// Adds the cost of reading the counters.
    pub fn samples(&mut self, observer: &Observer) {
        (self.cost, self.missing) = (observer.cost().1, observer.missing());
    }

    /// Ends the account.
    pub fn end(&mut self, untold: u64, control: Option<Histogram<u64>>) {
        self.untold = untold;
        self.spikes += untold;
        self.control = control;
    }
}

/// A spike as one line of text.
pub fn words(seen: &Seen) -> String {
    let Seen { spike, since, .. } = seen;
    let nanos = |ns| human::nanos(ns as f64);
    let mut words =
        vec![format!("at {:.3} s: {} on cpu {}", *since as f64 / 1e9, nanos(spike.delay), spike.cpu)];
    match seen.in_control() {
        Some(true) => words.push(format!("the control saw {} too", nanos(seen.control.unwrap_or(0)))),
        Some(false) => words.push(format!("the control saw {} only", nanos(seen.control.unwrap_or(0)))),
        None => {}
    }
    let around = spike.around.words(nanos);
    let what = if around.is_empty() { "no unusual kernel counts".into() } else { around.join(", ") };
    words.push(format!("within {}: {what}", nanos(spike.around.window)));
    words.join("; ")
}

fn unix(time: SystemTime) -> f64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Slice;
    use crate::meter::Kind;
    use crate::observe::Around;

    const MS: u64 = 1_000_000;

    /// An account with a spike of 2 ms that ended 50 ms after the start, and the time of its end in seconds since 1970.
    fn spiked() -> (Account, u64, f64) {
        let (kind, resolution, interval) = (Kind::Sleep, MS, 3_600_000 * MS);
        let settings = Settings { kind, resolution, interval, spike: MS, poll: MS, cpu: None, fifo: None };
        let start = clock::monotonic();
        let mut account = Account::new(&settings, start);
        let at = start + 50 * MS;
        account.spike(Spike { at, delay: 2 * MS, cpu: 0, around: Around::default() });
        let over = unix(account.began) + 0.05;
        (account, at, over)
    }

    /// The reported measurements of the control.
    fn reported(account: &mut Account, control: Option<&Slices>, now: u64) -> Vec<Option<u64>> {
        let mut all = Vec::new();
        let tell = |seen: &Seen| {
            all.push(seen.control);
            Ok(())
        };
        account.settle::<()>(control, now, tell).expect("told");
        all
    }

    #[test]
    fn a_spike_is_reported_once_the_control_covers_its_time() {
        let (mut account, at, over) = spiked();
        let mut slices = Slices::default();
        assert!(reported(&mut account, Some(&slices), at).is_empty());
        slices.push(Slice { start: over - 0.11, end: over - 0.01, max: 10 });
        slices.push(Slice { start: over - 0.01, end: over + 0.09, max: 1_500_000 });
        assert!(reported(&mut account, Some(&slices), at + 90 * MS).is_empty(), "more may follow");
        slices.push(Slice { start: over + 0.09, end: over + 0.19, max: 20 });
        assert_eq!(reported(&mut account, Some(&slices), at + 190 * MS), [Some(1_500_000)]);
        assert!(!account.waits() && reported(&mut account, Some(&slices), at + 190 * MS).is_empty(), "once");
        assert_eq!((account.shared, account.worst.len(), account.spikes), ([1, 0], 1, 1));
    }

    #[test]
    fn a_silent_control_is_not_waited_for_and_proves_nothing() {
        let (mut account, at, over) = spiked();
        let mut slices = Slices::default();
        slices.push(Slice { start: over - 0.11, end: over - 0.005, max: 10 });
        assert!(reported(&mut account, Some(&slices), at + PATIENCE - 1).is_empty());
        assert_eq!(reported(&mut account, Some(&slices), at + PATIENCE), [None]);
        assert_eq!(account.shared, [0, 0]);
        let (mut account, at, _) = spiked();
        assert_eq!(reported(&mut account, None, at), [None], "without a control nothing waits");
    }
}
