//! `saltus stat`: measure channels without disturbing them.

mod latency;
mod network;
mod options;
mod row;
mod screen;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use saltus_channel::{Directory, Name};
use saltus_measure::channel::Watch;

use crate::exit::{Code, Failure, Outcome};
use crate::flags::domain::{self, OpenDomain};
use crate::stop;
pub(crate) use options::Stat;
use row::{COLUMNS, DISPENSABLE, Row};
use screen::Screen;

/// Time between two readings (see [`poll_until`]), so that periods are measured even if few messages are kept.
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Prints a table after each interval until `--count` or a stop signal.
pub(crate) fn run(url: Option<&str>, stat: Stat) -> Outcome {
    stop::on_signals()?;
    stop::when_output_closes();
    stat.time.duration.into_iter().try_for_each(stop::after)?;
    match OpenDomain::at(url)? {
        OpenDomain::Shm(domain) if stat.latency => latency::run(&domain, &stat),
        OpenDomain::Other(_) if stat.latency => Err(Failure::new(
            Code::Usage,
            "--latency needs subscribers that measure latency, which exist in shared memory only",
        )),
        OpenDomain::Shm(domain) => all(&domain, stat),
        OpenDomain::Other(domain) => network::run(&domain, &stat),
    }
}

fn all(domain: &Directory, stat: Stat) -> Outcome {
    domain::note_empty_domain(domain);
    let mut screen = Screen::new(!stat.json.json && stat.count.count != Some(1))?;
    let mut watches = BTreeMap::new();
    let selection = stat.names.meant()?;
    // A name without a channel is an error at the start; later, channels may appear and disappear.
    let mut names = selection.existing(domain)?;
    let mut due = Instant::now();
    let mut shown = 0;
    loop {
        open_new(domain, names, &mut watches);
        due = (due + stat.interval).max(Instant::now());
        if !poll_until(&mut watches, due) {
            return screen.out().flush();
        }
        let rows = measure(&mut watches);
        let errors = rows.iter().filter_map(|row| row.error.clone()).collect();
        screen.rows(stat.json.json, &rows, &COLUMNS, &DISPENSABLE, Row::cells, errors)?;
        shown += 1;
        if stat.count.count == Some(shown) {
            return Ok(());
        }
        names = selection.present(domain)?;
    }
}

/// A watched channel, or the reason why it cannot be watched.
type Watched = Result<Watch, String>;

/// Starts to watch new channels.
fn open_new(domain: &Directory, names: Vec<Name>, watches: &mut BTreeMap<Name, Watched>) {
    for name in names {
        let opened =
            || domain::open(domain, &name).and_then(|c| Ok(Watch::new(c)?)).map_err(|f| f.to_string());
        watches.entry(name.clone()).or_insert_with(opened);
    }
}

/// Reads messages repeatedly until `end`. Returns whether that was reached.
fn poll_until(watches: &mut BTreeMap<Name, Watched>, end: Instant) -> bool {
    loop {
        let now = Instant::now();
        if now >= end {
            return !stop::requested();
        }
        // The last step takes up to 2 * LOOK, so that none is very short.
        let left = end - now;
        let step = if left >= 2 * CHECK_INTERVAL { CHECK_INTERVAL } else { left };
        if !stop::sleep_until(now + step) {
            return false;
        }
        watches.values_mut().flatten().for_each(Watch::poll);
    }
}

/// The measurements since the last call. Stops watching channels that no longer exist.
fn measure(watches: &mut BTreeMap<Name, Watched>) -> Vec<Row> {
    let mut rows = Vec::new();
    watches.retain(|name, watched| match watched {
        Ok(watch) => {
            let measured = watch.measure();
            let live = measured.is_some();
            rows.extend(measured.map(|measured| Row::new(name, measured)));
            live
        }
        Err(why) => {
            rows.push(Row::unknown(name, why.clone()));
            // Retried at the next call.
            false
        }
    });
    rows
}
