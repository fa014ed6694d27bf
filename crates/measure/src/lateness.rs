//! A short measurement of how late a thread wakes on this machine.

use std::io;
use std::time::Duration;

use saltus_os::{clock, stop};
use saltus_text::human;
use serde::Serialize;

use crate::meter::Kind;
use crate::session::{Event, Session, Settings};
use crate::{Summary, corrected, nanos, times};

/// The measurement. The JSON fields are a stable interface. Times are in ns.
#[derive(Serialize)]
pub struct Lateness {
    /// The scheduling policy of the thread.
    pub policy: &'static str,
    /// The thread's period.
    pub resolution: u64,
    /// The duration of the measurement.
    pub measured: u64,
    /// Times corrected for coordinated omission.
    pub corrected: Option<Summary>,
    /// Times as measured.
    pub raw: Option<Summary>,
}

impl Lateness {
    /// The measured lateness, in words.
    pub fn words(&self) -> String {
        let time = |ns: u64| human::nanos(ns as f64);
        let Some(s) = self.corrected else {
            return "the meter was stopped before its first result".into();
        };
        format!(
            "A thread that wanted to run every {} under {} was late, in {}: p50 {}, p99 {}, p99.9 {}, max {} (count {}). \
             A control loop cannot expect less here.",
            time(self.resolution),
            self.policy,
            time(self.measured),
            time(s.p50),
            time(s.p99),
            time(s.p999),
            time(s.max),
            s.count
        )
    }
}

/// The thread's period, in ns.
const RESOLUTION: u64 = 1_000_000;
/// Time between two checks for a stop request, in ns.
const TICK: u64 = 50_000_000;
/// A priority in the middle of the range that control loops use.
const PRIORITY: i32 = 80;

/// Measures with cyclictest's method for this time, or until a stop request; under `SCHED_FIFO` if `fifo` is set and allowed.
///
/// # Errors
/// The meter cannot be started.
pub fn measure(time: Duration, fifo: bool) -> io::Result<Lateness> {
    let settings = Settings {
        kind: Kind::Deadline,
        resolution: RESOLUTION,
        interval: 1_000_000_000,
        spike: u64::MAX,
        poll: u64::MAX / 2,
        cpu: None,
        fifo: fifo.then_some(PRIORITY),
    };
    let mut session = Session::start(&settings)?;
    let policy = if fifo && session.refused().is_empty() { "SCHED_FIFO 80" } else { "SCHED_OTHER" };
    let began = session.began();
    let end = began.saturating_add(nanos(time));
    let (mut raw, mut last) = (times(), began);
    let mut take = |event| {
        if let Event::Interval(interval) = event {
            last = interval.end;
            // Both have the same bounds, so that no time is too long.
            let _ = raw.add(&interval.times);
        }
    };
    while !stop::requested() && clock::monotonic() < end {
        if let Some(event) = session.next(end.min(clock::monotonic() + TICK)) {
            take(event);
        }
    }
    let (rest, _) = session.stop();
    rest.into_iter().for_each(&mut take);
    let fixed = Summary::of(&corrected(&raw, RESOLUTION));
    let raw = Summary::of(&raw);
    Ok(Lateness { policy, resolution: RESOLUTION, measured: last - began, corrected: fixed, raw })
}
