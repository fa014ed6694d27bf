//! A run of the meter as JSON and as text for people: what `saltus hiccup` prints.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;
use saltus_text::human;
use saltus_text::human::plural;
use saltus_text::table::{Align, Table};
use serde::Serialize;

use crate::account::{Account, Seen, words};
use crate::observe::Around;
use crate::{Summary, corrected, machine, nanos};

/// A line of `hiccup --json`: an interval, a spike, or at the end the report. Its fields are a stable interface; times are ns.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Line<'a> {
    /// An interval: its start since the beginning, its length, and its times with and without correction; `None` if none was measured.
    #[allow(missing_docs)] // named by the sentence above
    Interval { start: u64, length: u64, corrected: Option<Summary>, raw: Option<Summary> },
    /// A spike: its time since the beginning, how late the meter was, on which CPU, what the control measured, and what the machine did.
    #[allow(missing_docs)] // named by the sentence above
    Spike { at: u64, delay: u64, cpu: usize, control: Option<u64>, around: &'a Around },
    /// The report at the end.
    Report(Report),
}

/// The report at the end, as JSON.
#[derive(Serialize)]
pub struct Report {
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
    machine: BTreeMap<&'static str, String>,
}

impl Line<'_> {
    /// An interval, of a meter with this resolution.
    pub fn interval(
        since: Duration,
        length: Duration,
        raw: &Histogram<u64>,
        resolution: u64,
    ) -> Line<'static> {
        let fixed = Summary::of(&corrected(raw, resolution));
        let (start, length) = (nanos(since), nanos(length));
        Line::Interval { start, length, corrected: fixed, raw: Summary::of(raw) }
    }

    /// A spike.
    pub fn spike(seen: &Seen) -> Line<'_> {
        let spike = &seen.spike;
        let (delay, cpu, around) = (spike.delay, spike.cpu, &spike.around);
        Line::Spike { at: seen.since, delay, cpu, control: seen.control, around }
    }

    /// The report.
    pub fn report(account: &Account) -> Line<'static> {
        let [corrected, raw, control] = summaries(account).map(|(_, summary)| summary);
        Line::Report(Report {
            meter: account.settings.kind.name(),
            resolution: account.settings.resolution,
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
        })
    }
}

fn summaries(account: &Account) -> [(&'static str, Option<Summary>); 3] {
    let resolution = account.settings.resolution;
    [
        ("corrected", Summary::of(&corrected(&account.raw, resolution))),
        ("raw", Summary::of(&account.raw)),
        ("control", account.control.as_ref().and_then(|raw| Summary::of(&corrected(raw, resolution)))),
    ]
}

/// The run so far, in one line.
pub fn live(account: &Account) -> String {
    let last = Summary::of(&corrected(&account.last, account.settings.resolution));
    let figures = last.map_or("measuring".into(), |s| {
        format!("p50 {}, p99 {}, max {}", time(s.p50), time(s.p99), time(s.max))
    });
    format!(
        "last interval: {figures}; in all: max {}, {} of {} or more",
        time(account.raw.max()),
        plural(account.spikes, "spike"),
        time(account.settings.spike),
    )
}

/// A time for people. Hiccups are at least 1 ns.
fn time(ns: u64) -> String {
    human::nanos(ns as f64)
}

/// The report, for people.
pub fn report(account: &Account) -> Vec<String> {
    let settings = &account.settings;
    let mut lines = vec![format!(
        "{} meter, every {}, for {}",
        settings.kind.name(),
        time(settings.resolution),
        time(account.measured())
    )];
    let mut table = Table::new(&[&[("HICCUPS", Align::Left)], &Summary::COLUMNS[..]].concat());
    for (name, summary) in summaries(account).into_iter().filter_map(|(name, s)| Some((name, s?))) {
        table.row([vec![name.to_owned()], summary.cells()].concat());
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
