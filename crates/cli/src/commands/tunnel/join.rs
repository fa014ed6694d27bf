//! `saltus tunnel listen` and `connect`.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use saltus_domain::{Domain, Options};
use saltus_os::clock;
use saltus_tunnel::{Config, Driver, Error, Join, Key, Mtu, Notice, Order, Pace, Redundancy, Stats};

use super::status::Status;
use crate::exit::{Code, Failure, Outcome, say};
use crate::flags::Json;
use crate::flags::selection::Regexes;
use crate::stop;
use saltus_text::units;

/// The options of `tunnel listen`.
#[derive(Args)]
#[command(after_help = LISTEN)]
pub(crate) struct Listen {
    /// Where to wait: an address of this machine and a port
    #[arg(value_name = "ADDR:PORT")]
    at: String,

    #[command(flatten)]
    both: Both,
}

/// The options of `tunnel connect`.
#[derive(Args)]
#[command(after_help = CONNECT)]
pub(crate) struct Connect {
    /// Where the other end waits
    #[arg(value_name = "HOST:PORT")]
    to: String,

    #[command(flatten)]
    both: Both,
}

const LISTEN: &str = "\
Examples:
  saltus tunnel listen 127.0.0.1:7710 --key radio.key
  saltus tunnel listen 0.0.0.0:7710 --key radio.key --domain udpm://";

const CONNECT: &str = "\
Examples:
  saltus tunnel connect robot.local:7710 --key k --rate 2 --deadline 200ms
  saltus tunnel connect 192.0.2.7:7710 --key k --redundancy auto --next";

/// What both ends have.
#[derive(Args)]
struct Both {
    /// The file with the key, from `saltus tunnel key`; the same at both ends
    #[arg(long, value_name = "FILE")]
    key: PathBuf,

    #[command(flatten)]
    channels: Regexes,

    /// Send at most so much, in MB a second; a little less than the link carries
    #[arg(long, value_name = "MB/S", value_parser = units::rate)]
    rate: Option<f64>,

    /// What has not arrived after so long is worth nothing
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = units::duration)]
    deadline: Duration,

    /// What is sent in addition: a part such as 25%, or auto: as much as the loss makes necessary
    #[arg(long, value_name = "PART", default_value = "25%", value_parser = Redundancy::from_str)]
    redundancy: Redundancy,

    /// Bytes of the longest packet, with the headers of IP and UDP; when not given, what the path carries is found out
    #[arg(long, value_name = "BYTES")]
    mtu: Option<usize>,

    /// Only the newest of each channel counts; nothing goes back in time (the default)
    #[arg(long, conflicts_with = "next")]
    newest: bool,

    /// All messages, as far as they come in time; they may overtake each other
    #[arg(long)]
    next: bool,

    /// Carry it by TCP, to compare; both ends must say so
    #[arg(long)]
    tcp: bool,

    #[command(flatten)]
    json: Json,
}

/// After so long without the other end it is said what may be wrong, in ns.
const PATIENCE: u64 = 5_000_000_000;
/// Messages of a channel that may wait in this process with --next.
const DEPTH: u64 = 1000;

fn key(file: &Path) -> Outcome<Key> {
    let (key, others) = Key::read(file).map_err(|error| {
        let file = file.display();
        let why = match error {
            Error::System { source, .. } => format!("{source}; make one with `saltus tunnel key > {file}`"),
            error => error.to_string(),
        };
        Failure::new(Code::Failed, format!("cannot use {file} as a key: {why}"))
    })?;
    if others {
        say(format_args!("others may read the key: chmod 600 {}", file.display()));
    }
    Ok(key)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let code = match error {
            Error::Invalid(_) => Code::Usage,
            _ => Code::Failed,
        };
        Failure::new(code, error.to_string())
    }
}

impl Both {
    fn config(&self) -> Outcome<Config> {
        let config = Config::new(key(&self.key)?);
        let rate = self.rate.map(|mb| (mb * 1e6) as u64).filter(|rate| *rate > 0);
        // At once a few datagrams, or what goes in 5 ms.
        let pace =
            rate.map(|rate| Pace { rate, burst: (rate / 200).max(4 * self.mtu.unwrap_or(1500) as u64) });
        let order = if self.next { Order::All } else { Order::Newest };
        let mtu = self.mtu.map_or(Mtu::Probed, Mtu::Fixed);
        let config = Config { mtu, redundancy: self.redundancy, order, pace, ..config };
        // TCP loses nothing, and cuts what is long itself.
        let stream = Config { mtu: Mtu::Fixed(60_028), redundancy: Redundancy::None, ..config.clone() };
        Ok(if self.tcp { stream } else { config })
    }

    /// `to`: where a connecter knocks.
    fn run(&self, url: Option<String>, driver: Driver, to: Option<&str>) -> Outcome {
        let domain = Domain::open(url.as_deref().unwrap_or("shm://"))?;
        let channels = self.channels.meant()?;
        let options = if self.next { Options::next(DEPTH).at_most() } else { Options::newest() };
        let deadline = u64::try_from(self.deadline.as_nanos()).unwrap_or(u64::MAX);
        let mut join = Join::new(driver, &domain, channels, options, deadline)?;
        stop::on_signals()?;
        let mut status = Status::new(self.json.json)?;
        status.started(join.local().ok(), domain.url())?;
        let mut patience = Some(clock::monotonic() + PATIENCE);
        while !stop::requested() {
            let mut told = Vec::new();
            join.step(status.next(), |notice| told.push(notice))?;
            for notice in told {
                match notice {
                    Notice::Connected(from) => say(format_args!("connected with {from}")),
                    Notice::Lost => say("nothing comes from the other end any more; trying on"),
                }
            }
            if let Some(trouble) = join.trouble() {
                status.trouble(&trouble.to_string());
            }
            if patience.is_some_and(|end| clock::monotonic() > end) {
                patience = None;
                alone(&join.stats(), to);
            }
            if clock::monotonic() >= status.next() {
                status.show(&join.stats(), &join.here())?;
            }
        }
        status.end(&join.stats(), &join.here())
    }
}

/// Says why nobody may be there, if so.
fn alone(stats: &Stats, to: Option<&str>) {
    if stats.sessions > 0 {
        return;
    }
    if stats.rejected.foreign > 0 {
        say("what comes is not of this key: do both ends have the same key, and the same version of saltus?");
    } else if let Some(to) = to {
        say(format_args!(
            "no answer from {to} yet: does `saltus tunnel listen` run there, with the same key, and does a firewall let \
             UDP through to that port?"
        ));
    }
}

/// Waits for the other end, and carries messages until the end is asked for.
pub(crate) fn listen(url: Option<String>, args: Listen) -> Outcome {
    let driver = Driver::listen(args.both.config()?, &args.at, args.both.tcp)?;
    args.both.run(url, driver, None)
}

/// Calls the other end, and carries messages until the end is asked for.
pub(crate) fn connect(url: Option<String>, args: Connect) -> Outcome {
    let driver = Driver::connect(args.both.config()?, &args.to, args.both.tcp)?;
    args.both.run(url, driver, Some(&args.to))
}
