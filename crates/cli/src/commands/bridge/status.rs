//! The status of a bridge while it runs, and its totals.

use std::time::{Duration, Instant};

use saltus_bridge::{Bridge, Counts};
use serde::Serialize;

use crate::exit::{Code, Failure, Outcome, note, note_unread};
use crate::print::live::Live;
use crate::print::out::Out;
use saltus_text::human;

/// Time between two updates on a terminal.
const SECOND: Duration = Duration::from_secs(1);

/// The first lines of `--json`: one for each direction, when forwarding has started.
#[derive(Serialize)]
struct Started<'a> {
    from: &'a str,
    to: &'a str,
}

/// A later line of `--json`. Its fields are a stable interface.
#[derive(Serialize)]
struct Line<'a> {
    from: &'a str,
    to: &'a str,
    received: u64,
    carried: u64,
    own: u64,
    passed: u64,
    dropped: u64,
    missed: Option<u64>,
    untold: u64,
    refused: u64,
    unread: usize,
}

/// Prints the status.
pub(crate) struct Status<'a> {
    out: Out,
    /// Source and destination URL of each route.
    ways: Vec<(&'a str, &'a str)>,
    json: bool,
    live: Live,
    period: Option<Duration>,
    due: Option<Instant>,
    trouble: Trouble,
}

/// The last reported error, so that it is not repeated.
#[derive(Default)]
struct Trouble {
    words: String,
    reported: Option<Instant>,
}

impl<'a> Status<'a> {
    pub(crate) fn new(
        ways: Vec<(&'a str, &'a str)>,
        stat: Option<Duration>,
        json: bool,
    ) -> Outcome<Status<'a>> {
        let live = Live::new(!json);
        let period = stat.or(live.is_on().then_some(SECOND));
        let due = period.map(|period| Instant::now() + period);
        Ok(Status { out: Out::new()?, ways, json, live, period, due, trouble: Trouble::default() })
    }

    /// The time of the next update, if any.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.due
    }

    pub(crate) fn started(&mut self) -> Outcome {
        for &(from, to) in &self.ways {
            if self.json {
                self.out.json(&Started { from, to })?;
            } else {
                note(format_args!("carrying {from} to {to}"));
            }
        }
        self.out.flush()
    }

    /// Reports an error of a domain: at most one per second, and not the same one twice in a row.
    pub(crate) fn trouble(&mut self, error: saltus_domain::Error) {
        let words = error.to_string();
        let Trouble { words: before, reported } = &self.trouble;
        if *before != words && reported.is_none_or(|at| at.elapsed() >= SECOND) {
            self.live.clear();
            note(format_args!("not carried: {words}"));
            self.trouble = Trouble { words, reported: Some(Instant::now()) };
        }
    }

    pub(crate) fn show(&mut self, bridge: &Bridge) -> Outcome {
        self.due = self.period.map(|period| Instant::now() + period);
        if self.json {
            return self.json(bridge);
        }
        if self.live.is_on() {
            let parts: Vec<String> = bridge.routes().map(|counts| words(&counts)).collect();
            self.live.draw(parts.join("  <->  "));
        } else {
            self.lines(bridge);
        }
        Ok(())
    }

    /// Prints the totals. Fails if a channel could not be read.
    pub(crate) fn end(mut self, bridge: &Bridge) -> Outcome {
        self.live.clear();
        let mut complete = true;
        for ((from, _), unread) in self.ways.iter().zip(bridge.unread()) {
            for one in unread {
                complete = false;
                note_unread(from, one.channel.as_ref(), &one.why);
            }
        }
        if self.json {
            self.json(bridge)?;
        } else {
            self.lines(bridge);
        }
        if complete { Ok(()) } else { Err(Failure::Reported(Code::Lost)) }
    }

    fn json(&mut self, bridge: &Bridge) -> Outcome {
        for ((&(from, to), counts), unread) in self.ways.iter().zip(bridge.routes()).zip(bridge.unread()) {
            let unread = unread.len();
            let missed = counts.missed();
            let Counts { received, carried, own, passed, dropped, untold, refused, .. } = counts;
            let line =
                Line { from, to, received, carried, own, passed, dropped, missed, untold, refused, unread };
            self.out.json(&line)?;
        }
        self.out.flush()
    }

    fn lines(&self, bridge: &Bridge) {
        for ((from, to), counts) in self.ways.iter().zip(bridge.routes()) {
            note(format_args!("{from} to {to}: {}", words(&counts)));
        }
    }
}

fn words(counts: &Counts) -> String {
    format!(
        "received {}, carried {}, own {}, passed {}, dropped {}, missed {}, refused {}",
        counts.received,
        counts.carried,
        counts.own,
        counts.passed,
        counts.dropped,
        human::missed(counts.missed, counts.untold, counts.received),
        counts.refused
    )
}
