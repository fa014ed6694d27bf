//! How late a thread is here, measured for a few seconds.

use std::time::Duration;

use saltus_measure::meter::Kind;
use saltus_measure::session::{Event, Session, Settings};
use saltus_measure::{Summary, corrected, times};
use saltus_os::clock;
use serde::Serialize;

use crate::failure::{Code, Failure, Outcome};
use crate::stop;

/// What was measured; the fields are a promise, times are ns.
#[derive(Serialize)]
pub struct Measured {
    /// Under which the thread ran.
    pub policy: &'static str,
    pub resolution: u64,
    pub measured: u64,
    pub corrected: Option<Summary>,
    pub raw: Option<Summary>,
}

/// The thread wants to run so often, in ns.
const RESOLUTION: u64 = 1_000_000;
/// How long between looks whether the end was asked for, in ns.
const TICK: u64 = 50_000_000;
/// In the middle of what control loops have.
const PRIORITY: i32 = 80;

/// Measures cyclictest's way for so long, or until the end is asked for; under `SCHED_FIFO` where that is granted.
pub fn run(time: Duration, fifo: bool) -> Outcome<Measured> {
    let settings = Settings {
        kind: Kind::Deadline,
        resolution: RESOLUTION,
        interval: 1_000_000_000,
        spike: u64::MAX,
        look: u64::MAX / 2,
        cpu: None,
        fifo: fifo.then_some(PRIORITY),
    };
    let mut session = Session::start(&settings)
        .map_err(|e| Failure::new(Code::Failed, format!("cannot start the meter: {e}")))?;
    let policy = if fifo && session.refused().is_empty() { "SCHED_FIFO 80" } else { "SCHED_OTHER" };
    let began = session.began();
    let end = began.saturating_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
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
    Ok(Measured { policy, resolution: RESOLUTION, measured: last - began, corrected: fixed, raw })
}
