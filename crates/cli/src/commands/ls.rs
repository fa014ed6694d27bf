//! `saltus ls`: list channels.

mod network;

use clap::Args;
use saltus_channel::{Directory, Name};
use saltus_measure::channel::Facts;
use saltus_os::users;
use serde::Serialize;

use crate::exit::{self, Code, Failure, Outcome};
use crate::flags::domain::{self, DomainUrl, OpenDomain};
use crate::flags::{AnyNames, Json, RunTime, help};
use crate::print::out::Out;
use saltus_text::escape::escaped;
use saltus_text::human;
use saltus_text::table::{Align, Table};

/// The options of `ls`.
#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES, help::PATTERNS]))]
pub(crate) struct Ls {
    #[command(flatten)]
    names: AnyNames,

    /// Show mode, owner, sizes, participants, counts and memory
    #[arg(short, long)]
    long: bool,

    #[command(flatten)]
    time: RunTime,

    #[command(flatten)]
    json: Json,
}

const EXAMPLES: &str = "\
Examples:
  saltus ls
  saltus ls -l 'robot/*'
  saltus ls -l --json | jq -r 'select(.publishers == 0) | .channel'
  saltus ls --domain udpm:// --duration 5s      channels, rates, sizes";

/// The JSON output of `ls --json`; the fields are stable.
#[derive(Serialize)]
struct Line {
    channel: String,
    #[serde(flatten)]
    long: Option<Long>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
struct Long {
    /// The name of the owner, if the owner has one.
    owner: Option<String>,
    owner_uid: u32,
    mode: String,
    depth: u64,
    max_message_size: u64,
    publishers: usize,
    subscribers: usize,
    published: u64,
    age: Option<u64>,
    memory: u64,
}

const COLUMNS: [(&str, Align); 10] = [
    ("MODE", Align::Left),
    ("OWNER", Align::Left),
    ("DEPTH", Align::Right),
    ("SIZE", Align::Right),
    ("PUBS", Align::Right),
    ("SUBS", Align::Right),
    ("PUBLISHED", Align::Right),
    ("AGE", Align::Right),
    ("MEMORY", Align::Right),
    ("CHANNEL", Align::Left),
];

/// Lists the channels.
pub(crate) fn run(domain: &DomainUrl, ls: Ls) -> Outcome {
    match domain.open()? {
        OpenDomain::Shm(domain) if ls.time.duration.is_some() => {
            let words = format!(
                "--duration is for networks: {} lists its channels immediately; omit it",
                domain.url()
            );
            Err(Failure::new(Code::Usage, words))
        }
        OpenDomain::Shm(domain) => all(&domain, ls),
        OpenDomain::Other(domain) => {
            let (_, wants) = ls.names.meant()?.subscription()?;
            network::run(&domain, wants, ls.time.duration, ls.json)
        }
    }
}

/// Lists the channels in shared memory, including those that cannot be opened, with the reason on standard error.
fn all(domain: &Directory, ls: Ls) -> Outcome {
    match domain.list().is_ok_and(|all| all.is_empty()) {
        true => domain::note_empty_domain(domain),
        false if ls.long => domain::note_root(domain),
        false => {}
    }
    let mut failures = Vec::new();
    let mut lines = Vec::new();
    for name in ls.names.meant()?.existing(domain)? {
        let mut line = Line { channel: escaped(name.as_bytes()), long: None, error: None };
        match ls.long.then(|| Long::of(domain, &name)).transpose() {
            Ok(long) => line.long = long,
            // Removed since it was listed.
            Err(failure) if failure.code() == Some(Code::NotFound) => continue,
            Err(failure) => {
                line.error = Some(failure.to_string());
                failures.push(failure);
            }
        }
        lines.push(line);
    }
    let mut out = Out::new()?;
    if ls.json.json {
        lines.iter().try_for_each(|line| out.json(line))?;
    } else if ls.long {
        let mut table = Table::new(&COLUMNS);
        lines.into_iter().for_each(|line| table.row(line.cells()));
        table.lines().iter().try_for_each(|line| out.line(line))?;
    } else {
        lines.iter().try_for_each(|line| out.line(&line.channel))?;
    }
    out.flush()?;
    exit::for_each(failures, Err)
}

impl Long {
    fn of(domain: &Directory, name: &Name) -> Outcome<Long> {
        let info = domain::open(domain, name)?.info()?;
        let facts = Facts::of(&info);
        Ok(Long {
            owner: users::user_name(info.owner),
            owner_uid: info.owner,
            mode: format!("{:03o}", info.attributes.get_mode()),
            depth: info.attributes.get_depth(),
            max_message_size: info.attributes.get_max_message_size(),
            publishers: facts.publishers,
            subscribers: facts.subscribers,
            published: facts.published,
            age: facts.age,
            memory: info.memory,
        })
    }
}

impl Line {
    fn cells(self) -> Vec<String> {
        let mut cells = match self.long {
            Some(long) => vec![
                long.mode,
                long.owner.unwrap_or(long.owner_uid.to_string()),
                long.depth.to_string(),
                human::bytes(long.max_message_size as f64),
                long.publishers.to_string(),
                long.subscribers.to_string(),
                long.published.to_string(),
                long.age.map_or("-".into(), |age| human::nanos(age as f64)),
                human::bytes(long.memory as f64),
            ],
            None => vec!["?".into(); COLUMNS.len() - 1],
        };
        cells.push(self.channel);
        cells
    }
}
