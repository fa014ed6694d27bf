//! `ls` of a network: lists channels with traffic.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use saltus_domain::{Domain, Name};
use saltus_spy::tally::Tally;
use serde::Serialize;

use crate::exit::{Outcome, Troubles};
use crate::flags::Json;
use crate::flags::selection::Wants;
use crate::print::out::Out;
use crate::stop;
use saltus_text::escape::escaped;
use saltus_text::human;
use saltus_text::table::{Align, Table};

/// Default time to listen.
const LISTEN: Duration = Duration::from_secs(2);

/// A line of `ls --json` about a channel of a network. Its fields are a stable interface.
#[derive(Serialize)]
struct Line {
    channel: String,
    messages: u64,
    rate: f64,
    size: usize,
    senders: Option<usize>,
}

const COLUMNS: [(&str, Align); 5] = [
    ("RATE", Align::Right),
    ("SIZE", Align::Right),
    ("MESSAGES", Align::Right),
    ("SENDERS", Align::Right),
    ("CHANNEL", Align::Left),
];

/// Listens for a while, and lists them.
pub(super) fn run(domain: &Domain, wants: Option<Wants>, listen: Option<Duration>, json: Json) -> Outcome {
    stop::on_signals()?;
    let mut tally = Tally::new(domain, wants)?;
    let start = Instant::now();
    let mut troubles = Troubles::default();
    tally.listen(start + listen.unwrap_or(LISTEN), |error| troubles.pass(error))?;
    let seconds = start.elapsed().as_secs_f64();
    let mut lines: BTreeMap<Name, Line> = BTreeMap::new();
    for ((name, sender), seen) in tally.take() {
        let new =
            || Line { channel: escaped(name.as_bytes()), messages: 0, rate: 0.0, size: 0, senders: None };
        let line = lines.entry(name.clone()).or_insert_with(new);
        line.messages += seen.messages;
        line.rate = line.messages as f64 / seconds;
        line.size = seen.last;
        line.senders = sender.map(|_| line.senders.unwrap_or(0) + 1);
    }
    let mut out = Out::new()?;
    if json.json {
        lines.values().try_for_each(|line| out.json(line))?;
    } else if !lines.is_empty() {
        let mut table = Table::new(&COLUMNS);
        lines.into_values().for_each(|line| table.row(line.cells()));
        table.lines().iter().try_for_each(|line| out.line(line))?;
    }
    out.flush()
}

impl Line {
    fn cells(self) -> Vec<String> {
        vec![
            human::hertz(self.rate),
            human::bytes(self.size as f64),
            self.messages.to_string(),
            self.senders.map_or("?".into(), |n| n.to_string()),
            self.channel,
        ]
    }
}
