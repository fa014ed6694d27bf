//! The output of `hiccup`: a live line, and the report.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

use saltus_measure::account::{Account, Seen, words};
use saltus_measure::observe::Around;
use saltus_measure::{Histogram, Summary, corrected, machine, nanos as ns};
use serde::Serialize;

use crate::exit::Outcome;
use crate::print::out::Out;
use saltus_text::human::{nanos, plural};
use saltus_text::table::{Align, Table};

/// Time between two drawings of the live line.
const DRAW: Duration = Duration::from_millis(200);

/// Prints the measurement.
pub(crate) struct Show {
    out: Out,
    json: bool,
    quiet: bool,
    live: bool,
    drawn: Instant,
}

/// A line of `hiccup --json`: an interval, a spike, or at the end the report. Its fields are a stable interface; times are ns.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    Interval { start: u64, length: u64, corrected: Option<Summary>, raw: Option<Summary> },
    Spike { at: u64, delay: u64, cpu: usize, control: Option<u64>, around: &'a Around },
    Report(Report),
}

#[derive(Serialize)]
struct Report {
    meter: &'static str,
    resolution: u64,
    measured: u64,
    corrected: Option<Summary>,
    raw: Option<Summary>,
    control: Option<Summary>,
    spike: u64,
    spikes: u64,
    in_control: u64,
    not_in_control: u64,
    untold: u64,
    unknown: Vec<String>,
    machine: std::collections::BTreeMap<&'static str, String>,
}

impl Show {
    pub(crate) fn new(json: bool, quiet: bool, to_stdout: bool) -> Outcome<Show> {
        let quiet = quiet || to_stdout;
        let live = !quiet && !json && stderr().is_terminal();
        Ok(Show { out: Out::new()?, json: json && !to_stdout, quiet, live, drawn: Instant::now() })
    }

    /// Redraws the live line.
    pub(crate) fn live(&mut self, account: &Account) -> Outcome {
        if self.live && self.drawn.elapsed() >= DRAW {
            self.drawn = Instant::now();
            let last = Summary::of(&corrected(&account.last, account.settings.resolution));
            let figures = last.map_or("measuring".into(), |s| {
                format!("p50 {}, p99 {}, max {}", time(s.p50), time(s.p99), time(s.max))
            });
            let max = time(account.raw.max());
            let _ = write!(
                stderr(),
                "\rlast interval: {figures}; in all: max {max}, {} of {} or more\x1b[K",
                plural(account.spikes, "spike"),
                time(account.settings.spike),
            );
        }
        Ok(())
    }

    /// Prints an interval with `--json`.
    pub(crate) fn interval(
        &mut self,
        since: Duration,
        length: Duration,
        raw: &Histogram<u64>,
        resolution: u64,
    ) -> Outcome {
        if !self.json {
            return Ok(());
        }
        let fixed = Summary::of(&corrected(raw, resolution));
        let (start, length) = (ns(since), ns(length));
        self.out.json(&Line::Interval { start, length, corrected: fixed, raw: Summary::of(raw) })?;
        self.out.flush()
    }

    /// Prints a spike with `--json`.
    pub(crate) fn spike(&mut self, seen: &Seen) -> Outcome {
        if !self.json {
            return Ok(());
        }
        let spike = &seen.spike;
        let (delay, cpu, around) = (spike.delay, spike.cpu, &spike.around);
        self.out.json(&Line::Spike { at: seen.since, delay, cpu, control: seen.control, around })?;
        self.out.flush()
    }

    pub(crate) fn report(&mut self, account: &Account) -> Outcome {
        if self.live {
            let _ = write!(stderr(), "\r\x1b[K");
        }
        let resolution = account.settings.resolution;
        let summaries = [
            ("corrected", Summary::of(&corrected(&account.raw, resolution))),
            ("raw", Summary::of(&account.raw)),
            ("control", account.control.as_ref().and_then(|raw| Summary::of(&corrected(raw, resolution)))),
        ];
        if self.json {
            let [corrected, raw, control] = summaries.map(|(_, summary)| summary);
            self.out.json(&Line::Report(Report {
                meter: account.settings.kind.name(),
                resolution,
                measured: account.measured(),
                corrected,
                raw,
                control,
                spike: account.settings.spike,
                spikes: account.spikes,
                in_control: account.shared[0],
                not_in_control: account.shared[1],
                untold: account.untold,
                unknown: account.missing.clone(),
                machine: machine::facts().into_iter().collect(),
            }))?;
        } else if !self.quiet {
            for line in report(account, &summaries) {
                self.out.line(line)?;
            }
        }
        self.out.flush()
    }
}

/// A time for people. Hiccups are at least 1 ns.
fn time(ns: u64) -> String {
    nanos(ns as f64)
}

fn report(account: &Account, summaries: &[(&str, Option<Summary>)]) -> Vec<String> {
    let settings = &account.settings;
    let mut lines = vec![format!(
        "{} meter, every {}, for {}",
        settings.kind.name(),
        time(settings.resolution),
        time(account.measured())
    )];
    let columns = ["COUNT", "P50", "P90", "P99", "P99.9", "P99.99", "MAX"].map(|title| (title, Align::Right));
    let mut table = Table::new(&[&[("HICCUPS", Align::Left)], &columns[..]].concat());
    for (name, summary) in summaries.iter().filter_map(|(name, s)| Some((name, (*s)?))) {
        let times =
            [summary.p50, summary.p90, summary.p99, summary.p999, summary.p9999, summary.max].map(time);
        table.row([&[name.to_string(), summary.count.to_string()], &times[..]].concat());
    }
    lines.extend(table.lines());
    lines.push(format!("{} of {} or more", plural(account.spikes, "spike"), time(settings.spike)));
    if let Some(last) = lines.last_mut().filter(|_| account.control.is_some()) {
        let [both, alone] = account.shared;
        last.push_str(&format!(
            ": {both} in the control too (the machine), {alone} not there (the program, or others on its CPU)"
        ));
    }
    if account.untold > 0 {
        lines.push(format!("{} followed too fast to be examined", plural(account.untold, "spike")));
    }
    if !account.worst.is_empty() {
        lines
            .push("The worst, with the kernel's counts on that CPU between the readings around each:".into());
        lines.extend(account.worst.iter().map(|seen| format!("  {}", words(seen))));
        lines.push(format!(
            "Counters are read every {} and after a spike; a reading took {} at most. The counts need not be the cause.",
            time(settings.poll),
            time(account.cost)
        ));
    }
    if !account.missing.is_empty() {
        lines.push(format!("Not available here: {}", account.missing.join(", ")));
    }
    lines
}
