//! The ledger: received and missed messages of every reader, and latencies of every hop.
//!
//! All data come from the `health` channel. Counts are totals of a process. A killed process's last report stays readable, so only its
//! counts since then are lost: at most one period of 5 ms.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use saltus_channel::{Channel, Start, Subscriber, SubscriberOptions, Until, Which};

use crate::channels::{CHANNELS, HEALTH};
use crate::error::Result;
use crate::tally::Tally;
use crate::wire::types::{Health, Span};
use crate::wire::{self, LONGEST_HEALTH};

/// Deadline from a sample to the torque in response, ns.
pub const REFLEX_LIMIT: u64 = 5_000_000;
/// Deadline for the start of a step of the simulation, ns.
pub const TICK_LIMIT: u64 = 1_000_000;

/// Deadline for a check by the supervisor, ns.
pub const UPDATE_LIMIT: u64 = 20_000_000;

/// Times, for a report and for the last second.
pub struct Times {
    /// All times, ns.
    pub all: Histogram<u64>,
    /// The times since the last call of `take`, if kept.
    recent: Option<Vec<u64>>,
    limit: u64,
    /// Number of times over the limit.
    pub late: u64,
}

impl Times {
    fn new(limit: u64, keep_recent: bool) -> Times {
        // Within one percent.
        let all = Histogram::new_with_bounds(1, 60_000_000_000, 2).expect("1 ns to a minute is valid");
        Times { all, recent: keep_recent.then(Vec::new), limit, late: 0 }
    }

    /// Adds a time.
    pub fn add(&mut self, ns: u64) {
        self.all.saturating_record(ns.max(1));
        if let Some(recent) = &mut self.recent {
            recent.push(ns);
        }
        self.late += (ns > self.limit) as u64;
    }

    fn take_recent(&mut self) -> Vec<u64> {
        self.recent.as_mut().map(std::mem::take).unwrap_or_default()
    }
}

/// The account of a role as reader of a channel, over all its processes.
pub struct Account {
    /// Times from publish to receive.
    pub times: Times,
    /// Received, missed, torn, wrong, behind: sums over the processes before the current one.
    before: Tally,
    present: Tally,
    /// The process of the current count, and its start time.
    process: (i64, i64),
    /// Messages published while no process had the role, or after a killed process's last report.
    pub away: i64,
    /// Number of processes that had the role.
    pub processes: u64,
}

impl Account {
    fn new(keep_recent: bool) -> Account {
        Account {
            times: Times::new(u64::MAX, keep_recent),
            before: Tally::default(),
            present: Tally::default(),
            process: (0, 0),
            away: 0,
            processes: 0,
        }
    }

    /// The count of the current process.
    pub fn present(&self) -> &Tally {
        &self.present
    }

    /// The sum over all processes.
    pub fn total(&self) -> Tally {
        add(&self.before, &self.present)
    }

    fn update(&mut self, process: (i64, i64), tally: Tally) {
        if process != self.process && tally.received > 0 {
            // With several publishers at a time, the numbers may belong to different ones, and are not comparable.
            if self.processes > 0 && tally.lanes == 1 && self.present.lanes == 1 {
                self.away += (tally.base - self.present.last).max(0);
            }
            self.before = add(&self.before, &self.present);
            self.process = process;
            self.processes += 1;
        }
        if process == self.process {
            self.present = tally;
        }
    }
}

fn add(a: &Tally, b: &Tally) -> Tally {
    let mut sum = Tally::of(b.channel as usize);
    sum.received = a.received + b.received;
    sum.missed = a.missed + b.missed;
    sum.torn = a.torn + b.torn;
    sum.wrong = a.wrong + b.wrong;
    sum.lanes = a.lanes.max(b.lanes);
    sum.behind = a.behind.max(b.behind);
    sum
}

/// The part of a report for the supervisor.
#[derive(Clone, Copy, Debug)]
pub struct Heard {
    /// The process.
    pub pid: u32,
    /// Time of the report, boot time, ns.
    pub timestamp: u64,
    /// Whether it has nothing left to do.
    pub done: bool,
}

/// The ledger of a demo.
pub struct Ledger {
    /// By role (the number of the crew's member) and channel.
    pub accounts: BTreeMap<(usize, usize), Account>,
    /// From inertial sample to motor torque.
    pub reflex: Times,
    /// Lateness of the simulation's steps.
    pub tick: Times,
    /// Lateness of the supervisor's checks.
    pub look: Times,
    /// This reader's own count of `health`.
    pub own: Tally,
    health: Subscriber,
    report: Health,
    buf: Vec<u8>,
    keep_recent: bool,
}

impl Ledger {
    /// Opens the ledger, before the first message. `keep_recent` keeps recent times for `take`.
    pub fn open(health: &Channel, keep_recent: bool) -> Result<Ledger> {
        let subscriber = health.subscriber_with(SubscriberOptions::new().start(Start::Oldest))?;
        Ok(Ledger {
            accounts: BTreeMap::new(),
            reflex: Times::new(REFLEX_LIMIT, keep_recent),
            tick: Times::new(TICK_LIMIT, false),
            look: Times::new(UPDATE_LIMIT, false),
            own: Tally::of(CHANNELS.iter().position(|p| p.name == HEALTH).unwrap_or(0)),
            report: Health::default(),
            health: subscriber,
            buf: vec![0; LONGEST_HEALTH],
            keep_recent,
        })
    }

    /// Handles the next report. `role_of` returns the member of a process.
    pub fn next(&mut self, role_of: impl Fn(u32) -> Option<usize>) -> Result<Option<Heard>> {
        let sample = match self.health.receive(Which::Next, Until::Poll, &mut self.buf) {
            Ok(Some(sample)) => sample,
            Ok(None) | Err(saltus_channel::Error::Overrun { .. }) => return Ok(None),
            Err(e) => return Err(e.into()),
        };
        self.own.received += 1;
        self.own.missed += sample.missed as i64;
        let mut health = std::mem::take(&mut self.report);
        if wire::read_into(&self.buf[..sample.len], &mut health).is_err() {
            self.own.torn += 1;
            return Ok(Some(Heard { pid: 0, timestamp: sample.timestamp, done: false }));
        }
        let (pid, done) = (health.pid as u32, health.done);
        if let Some(role) = role_of(pid) {
            self.enter(role, &health);
        }
        self.report = health; // reused for the next one
        Ok(Some(Heard { pid, timestamp: sample.timestamp, done }))
    }

    fn enter(&mut self, role: usize, health: &Health) {
        for tally in &health.tallies {
            let account = self.accounts.entry((role, tally.channel as usize));
            let account = account.or_insert_with(|| Account::new(self.keep_recent));
            account.update((health.pid, health.started), tally.clone());
        }
        for span in &health.spans {
            let ns = span.took.max(0) as u64;
            match span.of {
                Span::REFLEX => self.reflex.add(ns),
                Span::TICK => self.tick.add(ns),
                reader => {
                    let tally = usize::try_from(reader).ok().and_then(|reader| health.tallies.get(reader));
                    let channel = tally.map(|tally| tally.channel as usize);
                    let account = channel.and_then(|channel| self.accounts.get_mut(&(role, channel)));
                    if let Some(account) = account {
                        account.times.add(ns);
                    }
                }
            }
        }
    }

    /// The times from sensor to motor since the last call.
    pub fn take_recent_reflex(&mut self) -> Vec<u64> {
        self.reflex.take_recent()
    }

    /// The times of all readers of this channel except `except`, since the last call, and their total of missed messages.
    pub fn take_recent(&mut self, channel: usize, except: usize) -> (Vec<u64>, i64) {
        let (mut all, mut missed) = (Vec::new(), 0);
        for ((role, _), account) in self.accounts.iter_mut().filter(|((_, of), _)| *of == channel) {
            let recent = account.times.take_recent();
            all.extend(recent.into_iter().filter(|_| *role != except));
            missed += account.total().missed;
        }
        (all, missed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The report of a process that received messages `first` to `last`.
    fn tally(first: u64, last: u64) -> Tally {
        let mut tally = Tally::of(1);
        (first..=last).for_each(|seq| tally.count(0, seq, 0));
        tally
    }

    #[test]
    fn counters_continue_from_process_to_process() {
        let mut account = Account::new(false);
        account.update((7, 100), tally(1, 5));
        account.update((7, 100), tally(1, 10));
        assert_eq!((account.total().received, account.away, account.processes), (10, 0, 1));
        // The next process receives nothing at first, then joins after message 14.
        account.update((8, 200), Tally::of(1));
        assert_eq!(account.processes, 1);
        account.update((8, 200), tally(15, 20));
        assert_eq!((account.total().received, account.away, account.processes), (16, 4, 2));
        // One that begins with older messages has no gap. A process ID may be reused.
        account.update((7, 300), tally(12, 30));
        assert_eq!((account.total().received, account.away, account.processes), (35, 4, 3));
    }

    #[test]
    fn times_over_the_limit_are_counted() {
        let mut times = Times::new(1000, true);
        for ns in [0, 999, 1000, 1001, u64::MAX] {
            times.add(ns);
        }
        assert_eq!((times.late, times.all.len(), times.take_recent().len()), (2, 5, 5));
        assert_eq!(times.take_recent().len(), 0);
    }
}
