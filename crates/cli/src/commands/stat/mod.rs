//! `saltus stat`: measure channels without disturbing them.

mod latency;
mod network;
mod periods;
mod row;
mod screen;
mod watch;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use saltus_channel::{Domain, Name};

use crate::failure::{Code, Failure, Outcome};
use crate::flags::domain::{self, OpenDomain};
use crate::flags::{AnyNames, Count, Json};
use crate::table::Table;
use crate::{help, stop, units};
use row::{COLUMNS, Row};
use screen::Screen;
use watch::Watch;

/// The options of `stat`.
#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES, help::PATTERNS]))]
pub struct Stat {
    #[command(flatten)]
    names: AnyNames,

    /// Time that each table covers, 34ms or more
    #[arg(short, long, value_name = "TIME", default_value = "500ms", value_parser = interval)]
    interval: Duration,

    #[command(flatten)]
    count: Count,

    /// Show each receiver's publish-to-receive times instead: percentiles, at the end (shared memory only)
    #[arg(long, conflicts_with = "count")]
    latency: bool,

    /// With --latency: measure for so long, not until Ctrl-C
    #[arg(long, value_name = "TIME", requires = "latency", value_parser = units::duration)]
    duration: Option<Duration>,

    /// With --latency: write an HdrHistogram interval log, with a tag for each receiver
    #[arg(long, value_name = "FILE", requires = "latency")]
    hlog: Option<PathBuf>,

    #[command(flatten)]
    json: Json,
}

const EXAMPLES: &str = "\
Examples:
  saltus stat                           all channels, live
  saltus stat 'robot/*' -i 2s
  saltus stat imu -n 1 --json | jq .rate
  saltus stat --latency --duration 10s --hlog hops.hlog
  saltus stat --domain udpm:// -i 1s    by sender, with what each one lost";

/// The longest time between two looks, so that periods are seen even where few messages are kept.
const LOOK: Duration = Duration::from_millis(50);

fn interval(text: &str) -> Result<Duration, String> {
    let interval = units::duration(text)?;
    let shortest = Duration::from_millis(34);
    if interval < shortest {
        return Err(format!(
            "{text} is too short: channels are looked at no more than 30 times a second, so 34ms or more"
        ));
    }
    Ok(interval)
}

/// Shows a table after each interval until there were enough, or the end is asked for.
pub fn run(url: Option<&str>, stat: Stat) -> Outcome {
    stop::on_signals()?;
    stop::when_output_closes();
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

fn all(domain: &Domain, stat: Stat) -> Outcome {
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
        if stat.json.json {
            rows.iter().try_for_each(|row| screen.out().json(row))?;
            screen.out().flush()?;
        } else {
            let mut table = Table::new(&COLUMNS);
            rows.iter().for_each(|row| table.row(row.cells()));
            let mut lines = table.lines();
            lines.extend(rows.iter().filter_map(|row| row.error.clone()));
            screen.show(&lines)?;
        }
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
fn open_new(domain: &Domain, names: Vec<Name>, watches: &mut BTreeMap<Name, Watched>) {
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
            let row = watch.measure();
            let live = row.is_some();
            rows.extend(row);
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
