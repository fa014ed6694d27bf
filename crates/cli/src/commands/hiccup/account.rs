//! What was measured: all times, and the worst spikes.

use std::time::{Duration, SystemTime};

use saltus_measure::observe::Observer;
use saltus_measure::session::{Event, Interval, Settings, Spike};
use saltus_measure::{Histogram, times};
use saltus_os::clock;

use super::control::Control;
use super::file::Log;
use super::show::Show;
use crate::failure::Outcome;
use crate::human;

/// So many of the worst spikes are kept.
const WORST: usize = 10;

/// A spike, and what the control saw then.
pub struct Seen {
    /// The spike.
    pub spike: Spike,
    /// Since the start, in ns.
    pub since: u64,
    /// The control's longest hiccup then, in ns; none without a control, or if it did not tell.
    pub control: Option<u64>,
}

impl Seen {
    /// Whether the control saw it too: half as long, at least.
    pub fn in_control(&self) -> Option<bool> {
        self.control.map(|control| control >= self.spike.delay / 2)
    }
}

/// The account of a run.
pub struct Account {
    pub settings: Settings,
    start: u64,
    began: SystemTime,
    /// When the last interval ended, on the monotonic clock.
    pub end: u64,
    /// All times, as measured.
    pub raw: Histogram<u64>,
    /// The control's, at the end.
    pub control: Option<Histogram<u64>>,
    /// The interval before, as measured.
    pub last: Histogram<u64>,
    /// The worst, longest first.
    pub worst: Vec<Seen>,
    /// All spikes; those that the control saw too, those that it did not.
    pub spikes: u64,
    pub shared: [u64; 2],
    /// Spikes that came too fast to be looked at.
    pub untold: u64,
    /// What a look around cost at most, in ns, and what could not be looked at.
    pub cost: u64,
    pub missing: Vec<String>,
    /// Spikes that wait for what the control has to say, which comes later.
    waiting: Vec<Spike>,
}

impl Account {
    /// Of a meter that began then, on the monotonic clock.
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
            waiting: Vec::new(),
        }
    }

    /// When it began.
    pub fn began(&self) -> SystemTime {
        self.began
    }

    /// How long it measured, in ns.
    pub fn measured(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Takes what the meter has to tell.
    pub fn take(
        &mut self,
        event: Event,
        control: Option<&mut Control>,
        log: Option<&mut Log<'_>>,
        show: &mut Show,
    ) -> Outcome {
        match event {
            Event::Spike(spike) => {
                self.spikes += 1;
                self.waiting.push(*spike);
                Ok(())
            }
            Event::Interval(interval) => self.interval(interval, control, log, show),
        }
    }

    fn interval(
        &mut self,
        interval: Interval,
        mut control: Option<&mut Control>,
        mut log: Option<&mut Log<'_>>,
        show: &mut Show,
    ) -> Outcome {
        let since = Duration::from_nanos(interval.start.saturating_sub(self.start));
        let length = Duration::from_nanos(interval.end - interval.start);
        if let Some(log) = log.as_mut() {
            log.interval(&interval.times, since, length, [None, Some("raw")])?;
            if let Some(control) = control.as_mut() {
                log.interval(&control.recent(), since, length, [Some("control"), Some("control-raw")])?;
            }
        }
        for spike in std::mem::take(&mut self.waiting) {
            let since = spike.at.saturating_sub(self.start);
            let at = |ns: u64| unix(self.began) + ns as f64 / 1e9;
            let from = at(since.saturating_sub(spike.delay));
            let seen = control.as_mut().and_then(|control| control.longest(from, at(since)));
            let seen = Seen { spike, since, control: seen };
            if let Some(log) = log.as_mut() {
                log.comment(&format!("spike: {}", words(&seen)))?;
            }
            show.spike(&seen)?;
            if let Some(both) = seen.in_control() {
                self.shared[usize::from(!both)] += 1;
            }
            let place = self.worst.partition_point(|other| other.spike.delay >= seen.spike.delay);
            self.worst.insert(place, seen);
            self.worst.truncate(WORST);
        }
        show.interval(since, length, &interval.times, self.settings.resolution)?;
        // The bounds are the same.
        let _ = self.raw.add(&interval.times);
        self.end = interval.end;
        self.last = interval.times;
        Ok(())
    }

    /// What looking around cost.
    pub fn looks(&mut self, observer: &Observer) {
        (self.cost, self.missing) = (observer.cost().1, observer.missing());
    }

    /// The end.
    pub fn end(&mut self, untold: u64, control: Option<Histogram<u64>>) {
        self.untold = untold;
        self.spikes += untold;
        self.control = control;
    }
}

/// A spike in a line.
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
    let what =
        if around.is_empty() { "nothing unusual that the kernel counts".into() } else { around.join(", ") };
    words.push(format!("within {}: {what}", nanos(spike.around.window)));
    words.join("; ")
}

fn unix(time: SystemTime) -> f64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}
