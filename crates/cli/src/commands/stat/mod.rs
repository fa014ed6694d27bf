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
use row::{COLUMNS, Row};
use screen::Screen;

/// The longest time between two looks, so that periods are seen even where few messages are kept.
const LOOK: Duration = Duration::from_millis(50);

/// Shows a table after each interval until there were enough, or the end is asked for.
pub(crate) fn run(url: Option<&str>, stat: Stat) -> Outcome {
    stop::on_signals()?;
    stop::when_output_closes();
    stat.time.duration.into_iter().for_each(stop::after);
    match OpenDomain::at(url)? {
        OpenDomain::Shm(domain) if stat.latency => latency::run(&domain, &stat),
        OpenDomain::Other(_) if stat.latency => Err(Failure::new(
            Code::Usage,
            "--latency needs subscribers that count for themselves, and these are in shared memory only",
        )),
        OpenDomain::Shm(domain) => all(&domain, stat),
        OpenDomain::Other(domain) => network::run(&domain, &stat),
    }
}

fn all(domain: &Directory, stat: Stat) -> Outcome {
    domain::tell_of_no_domain(domain);
    let mut screen = Screen::new(!stat.json.json && stat.count.count != Some(1))?;
    let mut watches = BTreeMap::new();
    let selection = stat.names.meant()?;
    // A name that means no channel is a mistake now; later it may come and go.
    let mut names = selection.existing(domain)?;
    let mut due = Instant::now();
    let mut shown = 0;
    loop {
        open_new(domain, names, &mut watches);
        due = (due + stat.interval).max(Instant::now());
        if !look_until(&mut watches, due) {
            return screen.out().flush();
        }
        let rows = measure(&mut watches);
        let errors = rows.iter().filter_map(|row| row.error.clone()).collect();
        screen.rows(stat.json.json, &rows, &COLUMNS, Row::cells, errors)?;
        shown += 1;
        if stat.count.count == Some(shown) {
            return Ok(());
        }
        names = selection.present(domain)?;
    }
}

/// A channel that is watched, or why it cannot be.
type Watched = Result<Watch, String>;

/// Begins to watch channels that are new.
fn open_new(domain: &Directory, names: Vec<Name>, watches: &mut BTreeMap<Name, Watched>) {
    for name in names {
        let opened =
            || domain::open(domain, &name).and_then(|c| Ok(Watch::new(c)?)).map_err(|f| f.to_string());
        watches.entry(name.clone()).or_insert_with(opened);
    }
}

/// Looks at the messages again and again until then; says whether the time was reached.
fn look_until(watches: &mut BTreeMap<Name, Watched>, end: Instant) -> bool {
    loop {
        let now = Instant::now();
        if now >= end {
            return !stop::requested();
        }
        // Two short looks rather than a long one and one that would come too soon after it.
        let left = end - now;
        let step = if left >= 2 * LOOK { LOOK } else { left };
        if !stop::sleep_until(now + step) {
            return false;
        }
        watches.values_mut().flatten().for_each(Watch::look);
    }
}

/// What was measured since the last time; channels that are no more are watched no more.
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
            // Tried again the next time.
            false
        }
    });
    rows
}
