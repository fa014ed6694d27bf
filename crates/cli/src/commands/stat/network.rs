//! `stat` of a network, by channel and sender.

use std::time::Instant;

use saltus_domain::Domain;
use serde::Serialize;

use super::options::Stat;
use super::screen::Screen;
use crate::exit::Outcome;
use saltus_spy::tally::{Heard, Lost, Seen, Tally};
use saltus_text::escape::escaped;
use saltus_text::human;
use saltus_text::table::Align;

use crate::exit::Troubles;

/// A line of `stat --json` about one sender's messages on one channel. Its fields are a stable interface.
#[derive(Serialize)]
struct Row {
    channel: String,
    sender: Option<String>,
    interval: u64,
    rate: f64,
    bandwidth: f64,
    size: Option<f64>,
    missed: Option<u64>,
    missed_total: Option<u64>,
    dropped: u64,
}

const COLUMNS: [(&str, Align); 8] = [
    ("CHANNEL", Align::Left),
    ("SENDER", Align::Right),
    ("RATE", Align::Right),
    ("BANDWIDTH", Align::Right),
    ("SIZE", Align::Right),
    ("DROPPED", Align::Right),
    ("MISSED OF SENDER", Align::Right),
    ("EVER", Align::Right),
];

/// Prints a table after each interval until `--count` or a stop signal.
pub(crate) fn run(domain: &Domain, stat: &Stat) -> Outcome {
    let mut tally = Tally::new(domain, stat.names.meant()?.subscription()?.1)?;
    let mut troubles = Troubles::default();
    let mut screen = Screen::new(!stat.json.json && stat.count.count != Some(1))?;
    let mut shown = 0;
    let mut start = Instant::now();
    while stat.count.count.is_none_or(|most| shown < most) {
        let heard = tally.listen(start + stat.interval, |error| troubles.pass(error))?;
        if heard == Heard::Stopped {
            break;
        }
        let now = Instant::now();
        let interval = (now - start).as_nanos().max(1);
        start = now;
        let lost = tally.lost();
        let row = |((name, sender), seen): ((saltus_domain::Name, Option<u64>), Seen)| {
            let lost = lost.get(&sender).copied().unwrap_or_default();
            Row::new(escaped(name.as_bytes()), sender, interval as u64, &seen, lost)
        };
        let rows: Vec<Row> = tally.take().into_iter().map(row).collect();
        screen.rows(
            stat.json.json,
            &rows,
            &COLUMNS,
            &["BANDWIDTH", "SIZE", "EVER"],
            Row::cells,
            Vec::new(),
        )?;
        shown += 1;
        if heard == Heard::All {
            break;
        }
    }
    screen.out().flush()
}

impl Row {
    fn new(channel: String, sender: Option<u64>, interval: u64, seen: &Seen, lost: Lost) -> Row {
        let seconds = interval as f64 / 1e9;
        let kept = seen.messages - seen.dropped;
        let size = (kept > 0).then(|| seen.bytes as f64 / kept as f64);
        let rate = seen.messages as f64 / seconds;
        Row {
            channel,
            sender: sender.map(|sender| format!("{sender:x}")),
            interval,
            rate,
            bandwidth: rate * size.unwrap_or(0.0),
            size,
            missed: lost.lately,
            missed_total: lost.ever,
            dropped: seen.dropped,
        }
    }

    fn cells(&self) -> Vec<String> {
        let number = |n: Option<u64>| n.map_or("?".into(), |n| n.to_string());
        vec![
            self.channel.clone(),
            self.sender.clone().unwrap_or_else(|| "?".into()),
            human::hertz(self.rate),
            format!("{}/s", human::bytes(self.bandwidth)),
            self.size.map_or("?".into(), human::bytes),
            self.dropped.to_string(),
            number(self.missed),
            number(self.missed_total),
        ]
    }
}
