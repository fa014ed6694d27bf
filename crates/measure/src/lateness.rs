//! How late a thread is here, measured for a few seconds.

use std::io;
use std::time::Duration;

use saltus_os::{clock, stop};
use serde::Serialize;

use crate::meter::Kind;
use crate::session::{Event, Session, Settings};
use crate::{Summary, corrected, nanos, times};

/// What was measured; the fields are a promise, times are ns.
#[derive(Serialize)]
pub struct Lateness {
    /// Under which the thread ran.
    pub policy: &'static str,
    /// The thread wanted to run so often.
    pub resolution: u64,
    /// For so long.
    pub measured: u64,
    /// With what would have come during a long hiccup.
    pub corrected: Option<Summary>,
    /// As measured.
    pub raw: Option<Summary>,
}

/// The thread wants to run so often, in ns.
const RESOLUTION: u64 = 1_000_000;
/// How long between looks whether the end was asked for, in ns.
const TICK: u64 = 50_000_000;
/// In the middle of what control loops have.
const PRIORITY: i32 = 80;

/// Measures cyclictest's way for so long, or until the end is asked for; under `SCHED_FIFO` where that is granted.
///
/// # Errors
/// The meter cannot be started.
pub fn measure(time: Duration, fifo: bool) -> io::Result<Lateness> {
    let settings = Settings {
        kind: Kind::Deadline,
        resolution: RESOLUTION,
        interval: 1_000_000_000,
        spike: u64::MAX,
        look: u64::MAX / 2,
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
            // Both have the same bounds, so that nothing is too long.
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
