//! The status of a tunnel: a line redrawn in place on a terminal, JSON lines for programs.

use std::net::SocketAddr;

use saltus_os::clock;
use saltus_tunnel::{Here, Stats};
use serde::Serialize;

use crate::exit::{Outcome, note};
use crate::print::live::Live;
use crate::print::out::Out;
use saltus_text::human::{bytes, plural};

/// Time between two updates, in ns.
const PERIOD: u64 = 1_000_000_000;

/// The first line of `--json`.
#[derive(Serialize)]
struct Started<'a> {
    /// `None` for `connect` over TCP.
    at: Option<SocketAddr>,
    domain: &'a str,
}

/// A later line of `--json`. Its fields are a stable interface.
#[derive(Serialize)]
struct Line {
    sessions: u64,
    accepted: u64,
    sent: u64,
    sent_datagrams: u64,
    sent_bytes: u64,
    sent_parity: u64,
    delivered: u64,
    recovered: u64,
    received_datagrams: u64,
    received_bytes: u64,
    dropped: Dropped,
    rejected: Rejected,
    own: u64,
    too_long: u64,
    refused: u64,
    unwanted: u64,
    loss: Option<f64>,
    mtu: Option<usize>,
    round_trip_us: Option<u32>,
}

#[derive(Serialize)]
struct Dropped {
    no_peer: u64,
    superseded: u64,
    expired: u64,
    too_slow: u64,
    full: u64,
    too_long: u64,
    late: u64,
    incomplete: u64,
    slow_here: u64,
}

#[derive(Serialize)]
struct Rejected {
    foreign: u64,
    copies: u64,
    malformed: u64,
}

/// Prints the status.
pub(crate) struct Status {
    out: Out,
    json: bool,
    live: Live,
    next: u64,
    before: Stats,
    trouble: Option<String>,
}

impl Status {
    pub(crate) fn new(json: bool) -> Outcome<Status> {
        let live = Live::new(!json);
        let next = clock::monotonic() + PERIOD;
        Ok(Status { out: Out::new()?, json, live, next, before: Stats::default(), trouble: None })
    }

    /// When the next line is due.
    pub(crate) fn next(&self) -> u64 {
        self.next
    }

    pub(crate) fn started(&mut self, at: Option<SocketAddr>, domain: &str) -> Outcome {
        if self.json {
            self.out.json(&Started { at, domain })?;
            return self.out.flush();
        }
        match at {
            Some(at) => note(format_args!("a tunnel at {at}, for {domain}")),
            None => note(format_args!("a tunnel for {domain}")),
        }
        Ok(())
    }

    /// Reports an error of a domain, unless it is the same as the last one.
    pub(crate) fn trouble(&mut self, words: &str) {
        if self.trouble.as_deref() != Some(words) {
            note(words);
            self.trouble = Some(words.into());
        }
    }

    pub(crate) fn show(&mut self, stats: &Stats, here: &Here) -> Outcome {
        self.next = clock::monotonic() + PERIOD;
        if self.json {
            self.out.json(&Line::new(stats, here))?;
            return self.out.flush();
        }
        if self.live.is_on() {
            let a_second = |now: u64, before: u64| bytes(now.saturating_sub(before) as f64);
            let line = format!(
                "{}  sent {} ({}/s)  delivered {}, {} recovered ({}/s)  dropped {}  loss {}",
                if stats.received_datagrams > self.before.received_datagrams { "up  " } else { "down" },
                stats.sent,
                a_second(stats.sent_bytes, self.before.sent_bytes),
                stats.delivered,
                stats.recovered,
                a_second(stats.received_bytes, self.before.received_bytes),
                dropped(stats, here),
                stats.loss.map_or("unknown".into(), |loss| format!("{:.1} %", loss * 100.0)),
            );
            self.live.draw(line);
        }
        self.before = *stats;
        Ok(())
    }

    /// Prints the totals.
    pub(crate) fn end(mut self, stats: &Stats, here: &Here) -> Outcome {
        if self.json {
            return self.show(stats, here);
        }
        self.live.replace("");
        note(format_args!(
            "sent {} in {}, delivered {} ({} recovered), dropped {}",
            plural(stats.sent, "message"),
            bytes(stats.sent_bytes as f64),
            stats.delivered,
            stats.recovered,
            dropped(stats, here)
        ));
        Ok(())
    }
}

/// All dropped messages, wherever they were lost.
fn dropped(stats: &Stats, here: &Here) -> u64 {
    stats.dropped.total() + here.dropped + here.too_long + here.refused
}

impl Line {
    fn new(stats: &Stats, here: &Here) -> Line {
        let (d, r) = (stats.dropped, stats.rejected);
        Line {
            sessions: stats.sessions,
            accepted: stats.accepted,
            sent: stats.sent,
            sent_datagrams: stats.sent_datagrams,
            sent_bytes: stats.sent_bytes,
            sent_parity: stats.sent_parity,
            delivered: stats.delivered,
            recovered: stats.recovered,
            received_datagrams: stats.received_datagrams,
            received_bytes: stats.received_bytes,
            dropped: Dropped {
                no_peer: d.no_peer,
                superseded: d.superseded,
                expired: d.expired,
                too_slow: d.too_slow,
                full: d.full,
                too_long: d.too_long,
                late: d.late,
                incomplete: d.incomplete,
                slow_here: here.dropped,
            },
            rejected: Rejected { foreign: r.foreign, copies: r.copies, malformed: r.malformed },
            own: here.own,
            too_long: here.too_long,
            refused: here.refused,
            unwanted: here.unwanted,
            loss: stats.loss,
            mtu: stats.mtu,
            round_trip_us: stats.round_trip,
        }
    }
}
