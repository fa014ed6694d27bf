//! Publish-to-receive times of running programs, hop by hop: what subscribers count themselves, as histograms.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::LineWriter;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use saltus_channel::{Domain, LatencyCounts};
use saltus_measure::{Histogram, Summary, hlog, machine, times};
use serde::Serialize;

use super::Stat;
use crate::escape::escaped;
use crate::failure::{Code, Failure, Outcome};
use crate::human;
use crate::out::Out;
use crate::table::{Align, Table};
use crate::{channels, stop};

/// A subscriber of a channel: channel, process id, when it joined, process name.
type Hop = (String, u32, u64, String);

/// A line of `stat --latency --json`; the fields are a promise.
#[derive(Serialize)]
struct Line<'a> {
    channel: &'a str,
    pid: u32,
    process: &'a str,
    #[serde(flatten)]
    latency: Summary,
}

/// Measures until the time is over or the end is asked for, then tells all.
pub fn run(domain: &Domain, stat: &Stat) -> Outcome {
    channels::tell_of_no_domain(domain);
    channels::select(domain, &stat.names.names)?;
    let failed = |path: &Path, e: std::io::Error| {
        Failure::new(Code::Failed, format!("cannot write {}: {e}; write elsewhere", path.display()))
    };
    let (start, began) = (Instant::now(), SystemTime::now());
    let mut file = match &stat.hlog {
        Some(path) => Some((path, LineWriter::new(File::create(path).map_err(|e| failed(path, e))?))),
        None => None,
    };
    let mut serializer = hlog::serializer();
    let mut log = match &mut file {
        Some((path, sink)) => {
            let mut comments: Vec<String> = machine::facts()
                .into_iter()
                .map(|(name, value)| format!("machine: {name}: {value}"))
                .collect();
            comments.push(
                "Tag: channel/process/process id; values are nanoseconds, rounded up by 12.5 % at most"
                    .into(),
            );
            let tool = concat!("saltus stat ", env!("CARGO_PKG_VERSION"));
            let log = hlog::Writer::begin(sink, &mut serializer, tool, &comments, began);
            Some((*path, log.map_err(|e| failed(path, e))?))
        }
        None => None,
    };
    let end = stat.duration.map(|time| start + time);
    let mut all = BTreeMap::<Hop, Histogram<u64>>::new();
    let mut before = counts(domain, stat)?;
    let mut from = start;
    while !stop::requested() && end.is_none_or(|end| Instant::now() < end) {
        let due = from + stat.interval;
        stop::sleep_until(end.map_or(due, |end| end.min(due)));
        let (now, to) = (counts(domain, stat)?, Instant::now());
        for (hop, counted) in &now {
            let times = histogram(&before.get(hop).map_or_else(|| counted.clone(), |old| counted.since(old)));
            if times.is_empty() {
                continue;
            }
            if let Some((path, log)) = &mut log {
                let tag = tag(hop);
                log.interval(&times, from - start, to - from, Some(&tag)).map_err(|e| failed(path, e))?;
            }
            // The bounds are the same.
            let _ = all.entry(hop.clone()).or_insert_with(self::times).add(&times);
        }
        (before, from) = (now, to);
    }
    print(&all, stat.json.json, start.elapsed())
}

/// What every living subscriber has counted so far.
fn counts(domain: &Domain, stat: &Stat) -> Outcome<BTreeMap<Hop, LatencyCounts>> {
    let mut all = BTreeMap::new();
    for name in channels::present(domain, &stat.names.names)? {
        // A channel that cannot be opened, or is gone again, has nothing to tell here; `stat` says why.
        let Ok(info) = channels::open(domain, &name).and_then(|channel| Ok(channel.info()?)) else {
            continue;
        };
        let channel = escaped(info.name.as_bytes());
        for one in info.subscribers.into_iter().filter(|one| one.alive) {
            all.insert((channel.clone(), one.pid, one.since, escaped(one.process.as_bytes())), one.latency);
        }
    }
    Ok(all)
}

fn histogram(counts: &LatencyCounts) -> Histogram<u64> {
    let mut all = times();
    counts.buckets().for_each(|(ns, count)| all.saturating_record_n(ns, count));
    all
}

/// What a tag may not hold becomes `_`.
fn tag((channel, pid, _, process): &Hop) -> String {
    format!("{channel}/{process}/{pid}").replace([',', ' ', '\r', '\n'], "_")
}

fn print(all: &BTreeMap<Hop, Histogram<u64>>, json: bool, time: Duration) -> Outcome {
    let mut out = Out::new()?;
    let number = |title| (title, Align::Right);
    let numbers = ["PID", "COUNT", "P50", "P90", "P99", "P99.9", "P99.99", "MAX"].map(number);
    let mut table =
        Table::new(&[&[("CHANNEL", Align::Left), ("RECEIVER", Align::Left)], &numbers[..]].concat());
    for ((channel, pid, _, process), times) in all {
        let Some(s) = Summary::of(times) else { continue };
        if json {
            out.json(&Line { channel, pid: *pid, process, latency: s })?;
            continue;
        }
        let cells = [s.p50, s.p90, s.p99, s.p999, s.p9999, s.max].map(|ns| human::nanos(ns as f64));
        let head = [channel.clone(), process.clone(), pid.to_string(), s.count.to_string()];
        table.row([&head[..], &cells[..]].concat());
    }
    if !json {
        table.lines().iter().try_for_each(|line| out.line(line))?;
        out.line(format_args!("in {}, rounded up by 12.5 % at most", human::nanos(time.as_nanos() as f64)))?;
    }
    out.flush()
}
