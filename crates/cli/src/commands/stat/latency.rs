//! Publish-to-receive times of running programs, for each subscriber: the subscribers' own histograms.

use std::fs::File;
use std::io::LineWriter;
use std::time::{Duration, Instant, SystemTime};

use saltus_channel::{Directory, LatencyCounts};
use saltus_measure::channel::{Hop, Hops, MOST};
use saltus_measure::{Summary, hlog, machine};
use serde::Serialize;

use super::options::Stat;
use crate::exit::{Outcome, note, taken, unwritable};
use crate::flags::domain;
use crate::flags::selection::Selection;
use crate::print::out::Out;
use crate::stop;
use saltus_text::escape::escaped;
use saltus_text::human;
use saltus_text::table::{Align, Table};

/// A line of `stat --latency --json`. Its fields are a stable interface.
#[derive(Serialize)]
struct Line<'a> {
    channel: &'a str,
    pid: u32,
    process: &'a str,
    #[serde(flatten)]
    latency: Summary,
}

/// Measures until the time is up or a stop signal, then prints all.
pub(crate) fn run(domain: &Directory, stat: &Stat) -> Outcome {
    domain::note_empty_domain(domain);
    let selection = stat.names.meant()?;
    selection.existing(domain)?;
    let (start, began) = (Instant::now(), SystemTime::now());
    let mut hops = Hops::default();
    // Before the log is created, so that times after its creation belong to this run.
    for_each_subscriber(domain, &selection, |hop, counts| {
        hops.begin(hop, counts);
        Ok(())
    })?;
    let mut file = match &stat.out {
        Some(path) if !stat.force.force && path.metadata().is_ok_and(|m| m.is_file()) => {
            return Err(taken(path));
        }
        Some(path) => Some((path, LineWriter::new(File::create(path).map_err(|e| unwritable(path, &e))?))),
        None => None,
    };
    let mut serializer = hlog::serializer();
    let mut log = match &mut file {
        Some((path, sink)) => {
            let mut comments = machine::comments();
            comments.push(
                "Tag: channel/process/process id; values are nanoseconds, rounded up by 12.5 % at most"
                    .into(),
            );
            let tool = concat!("saltus stat ", env!("CARGO_PKG_VERSION"));
            let log = hlog::Writer::begin(sink, &mut serializer, tool, &comments, began);
            Some((*path, log.map_err(|e| unwritable(path, &e))?))
        }
        None => None,
    };
    let mut from = start;
    while !stop::requested() {
        stop::sleep_until(from + stat.interval);
        let to = Instant::now();
        for_each_subscriber(domain, &selection, |hop, counts| {
            let tag = hop.tag();
            match (&mut log, hops.take(hop, counts)) {
                (Some((path, log)), Some(new)) => {
                    log.interval(&new, from - start, to - from, Some(&tag)).map_err(|e| unwritable(path, &e))
                }
                _ => Ok(()),
            }
        })?;
        from = to;
    }
    if hops.more() {
        note(format_args!("there were more than {MOST} receivers; the latest are left out"));
    }
    print(&hops, stat.json.json, start.elapsed())
}

/// The counts of every subscriber so far. Dead ones are included, because their last counts were not read yet.
fn for_each_subscriber(
    domain: &Directory,
    selection: &Selection,
    mut each: impl FnMut(Hop, LatencyCounts) -> Outcome,
) -> Outcome {
    for name in selection.present(domain)? {
        // A channel that cannot be opened, or is already gone, is skipped; `stat` prints the reason.
        let Ok(info) = domain::open(domain, &name).and_then(|channel| Ok(channel.info()?)) else {
            continue;
        };
        let channel = escaped(info.name.as_bytes());
        for one in info.subscribers {
            each(
                Hop {
                    channel: channel.clone(),
                    pid: one.pid,
                    since: one.since,
                    process: escaped(one.process.as_bytes()),
                },
                one.latency,
            )?;
        }
    }
    Ok(())
}

fn print(hops: &Hops, json: bool, time: Duration) -> Outcome {
    let mut out = Out::new()?;
    let heads = [("CHANNEL", Align::Left), ("RECEIVER", Align::Left), ("PID", Align::Right)];
    let mut table = Table::new(&[&heads[..], &Summary::COLUMNS].concat());
    for (Hop { channel, pid, process, .. }, run) in hops.run() {
        let Some(s) = Summary::of(&run) else { continue };
        if json {
            out.json(&Line { channel, pid: *pid, process, latency: s })?;
            continue;
        }
        table.row([vec![channel.clone(), process.clone(), pid.to_string()], s.cells()].concat());
    }
    if !json {
        table.lines().iter().try_for_each(|line| out.line(line))?;
        out.line(format_args!("in {}, rounded up by 12.5 % at most", human::nanos(time.as_nanos() as f64)))?;
    }
    out.flush()
}
