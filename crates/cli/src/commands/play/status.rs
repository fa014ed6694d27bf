//! The status of `play` while it runs, and its totals.

use saltus_os::terminal::{self, Stream};
use saltus_replay::{Line, Report, Session};

use crate::exit::{Outcome, note};
use crate::print::live::Live;
use crate::print::out::Out;
use saltus_text::human;

/// Time between two drawings of the line, in ns.
const DRAW: u64 = 100_000_000;

/// Prints the status.
pub(crate) struct Status {
    json: bool,
    quiet: bool,
    live: Live,
    keys: bool,
    span: (i64, i64),
    drawn: u64,
    note: String,
}

impl Status {
    pub(crate) fn new(json: bool, quiet: bool, span: (i64, i64), keys: bool) -> Status {
        let live = Live::new(!json && !quiet);
        Status { json, quiet, live, keys, span, drawn: 0, note: String::new() }
    }

    /// Sets a note to show after the time.
    pub(crate) fn note(&mut self, words: String) {
        self.note = words;
    }

    /// Prints text above the status line.
    pub(crate) fn print(&mut self, words: &str) {
        if self.live.is_on() {
            self.live.replace(words);
            self.drawn = 0;
        }
    }

    /// Draws the status line, if it is time to, or the line that is being typed.
    pub(crate) fn show(&mut self, now: u64, session: &Session, typed: Option<&Line>) {
        if !self.live.is_on() || now < self.drawn.saturating_add(DRAW) {
            return;
        }
        self.drawn = now;
        let (first, last) = self.span;
        let player = session.player();
        let seconds = |time: i64| time.saturating_sub(first) as f64 / 1e9;
        let at = player.time(now).unwrap_or(first).min(last);
        let state = if player.is_playing() { "playing" } else { "paused" };
        let repeat = player
            .repeat()
            .map_or(String::new(), |(a, b)| format!(", repeats {:.1} to {:.1} s", seconds(a), seconds(b)));
        let keys = if self.keys { "  (? for keys)" } else { "" };
        let note = if self.note.is_empty() { String::new() } else { format!(", {}", self.note) };
        let line = match typed {
            Some(typed) => typed.to_string(),
            None => format!(
                "{state} {:.1} of {:.1} s, {} x, {} messages{repeat}{note}{keys}",
                seconds(at),
                seconds(last),
                player.speed(),
                session.outlets().played(),
            ),
        };
        // A wrapped line could not be redrawn in place. Of a typed line, the end is shown.
        let columns = terminal::size(Stream::Error).map_or(80, |(columns, _)| columns.max(20));
        let over = line.chars().count().saturating_sub(columns - 1);
        let line: String = match typed {
            Some(_) => line.chars().skip(over).collect(),
            None => line.chars().take(columns - 1).collect(),
        };
        self.live.draw(line);
    }

    /// Prints the totals.
    pub(crate) fn end(&mut self, report: &Report) -> Outcome {
        self.live.clear();
        if self.json {
            let mut out = Out::new()?;
            out.json(report)?;
            return out.flush();
        }
        let lost = match (report.refused, report.unreadable) {
            (0, 0) => String::new(),
            (refused, unreadable) => format!(", refused {refused}, unreadable {unreadable}"),
        };
        if !self.quiet || !lost.is_empty() {
            let times = report.late.as_ref().map_or(String::new(), |late| {
                let [p50, p99, p999, max] =
                    [late.p50, late.p99, late.p999, late.max].map(|ns| human::nanos(ns as f64));
                format!(", late by p50 {p50}, p99 {p99}, p99.9 {p999}, max {max}")
            });
            note(format_args!("played {}{lost}{times}", report.played));
        }
        if let Some(later @ 1..) = report.later_timestamps.filter(|_| !self.quiet) {
            note(format_args!(
                "{later} got a later timestamp than the original: timestamps of a publisher, and of its channel, never go back"
            ));
        }
        Ok(())
    }
}
