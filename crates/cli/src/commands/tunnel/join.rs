//! `saltus tunnel listen` and `connect`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use saltus_domain::{Domain, Options};
use saltus_os::clock;
use saltus_tunnel::{Config, Driver, Error, Join, Key, Mtu, Notice, Order, Pace, Redundancy, Stats};

use super::status::Status;
use crate::exit::{Code, Failure, Outcome, note, unreadable};
use crate::flags::Json;
use crate::flags::selection::Regexes;
use crate::stop;
use saltus_text::units;

#[derive(Args)]
#[command(after_help = LISTEN)]
pub(crate) struct Listen {
    /// Address and port to listen on
    #[arg(value_name = "ADDR:PORT")]
    at: String,

    #[command(flatten)]
    both: Both,
}

#[derive(Args)]
#[command(after_help = CONNECT)]
pub(crate) struct Connect {
    /// Host and port of the other end
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
  saltus tunnel connect robot.local:7710 --key k --bandwidth 2M
  saltus tunnel connect 192.0.2.7:7710 --key k --redundancy auto --next";

/// Options of both ends.
#[derive(Args)]
struct Both {
    /// File with the key, the same at both ends
    #[arg(long, value_name = "FILE")]
    key: PathBuf,

    #[command(flatten)]
    channels: Regexes,

    /// Send at most SIZE per second
    ///
    /// Choose a little less than the link carries.
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    bandwidth: Option<u64>,

    /// Drop messages that have not arrived after TIME
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = units::duration)]
    deadline: Duration,

    /// Parity to send in addition: a part such as 25%, or auto
    #[arg(long, value_name = "PART", default_value = "25%", value_parser = Redundancy::from_str)]
    redundancy: Redundancy,

    /// Largest packet with its headers [default: probe the path]
    #[arg(long, value_name = "SIZE", value_parser = packet)]
    mtu: Option<usize>,

    /// Receive only the newest message of each channel (default)
    #[arg(long, conflicts_with = "next")]
    newest: bool,

    /// Receive every message in order
    ///
    /// Later messages may arrive before those that need recovery.
    #[arg(long)]
    next: bool,

    /// Use TCP, for comparison, at both ends
    #[arg(long)]
    tcp: bool,

    #[command(flatten)]
    json: Json,
}

/// Time without the other end, in ns, before a likely reason is printed.
const PATIENCE: u64 = 5_000_000_000;
/// Most messages of a channel that wait in this process with --next.
const DEPTH: u64 = 1000;

fn packet(text: &str) -> Result<usize, String> {
    usize::try_from(units::size(text)?).map_err(|_| format!("{text} is too large"))
}

fn key(file: &Path) -> Outcome<Key> {
    let (key, others) = Key::read(file).map_err(|error| {
        let file = file.display();
        match error {
            Error::System { source, .. } if source.kind() == ErrorKind::NotFound => {
                let words = "make a key with `saltus tunnel key`";
                Failure::new(Code::Failed, format!("cannot read `{file}`: {source}; {words}"))
            }
            Error::System { source, .. } => unreadable(file, &source),
            error => Failure::new(Code::Failed, format!("cannot use `{file}` as a key: {error}")),
        }
    })?;
    if others {
        note(format_args!("others may read the key: chmod 600 {}", file.display()));
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
        let rate = self.bandwidth.filter(|rate| *rate > 0);
        // A burst of a few datagrams, or of the bytes of 5 ms.
        let pace =
            rate.map(|rate| Pace { rate, burst: (rate / 200).max(4 * self.mtu.unwrap_or(1500) as u64) });
        let order = if self.next { Order::All } else { Order::Newest };
        let mtu = self.mtu.map_or(Mtu::Probed, Mtu::Fixed);
        let config = Config { mtu, redundancy: self.redundancy, order, pace, ..config };
        // TCP loses nothing, and splits long messages itself.
        let stream = Config { mtu: Mtu::Fixed(60_028), redundancy: Redundancy::None, ..config.clone() };
        Ok(if self.tcp { stream } else { config })
    }

    /// `to`: the address that `connect` contacts.
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
            let mut reported = Vec::new();
            join.step(status.next(), |notice| reported.push(notice))?;
            for notice in reported {
                match notice {
                    Notice::Connected(from) => note(format_args!("connected with {from}")),
                    Notice::Lost => note("no packets from the other end any more; still trying"),
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

/// Prints a likely reason if the other end does not answer.
fn alone(stats: &Stats, to: Option<&str>) {
    if stats.sessions > 0 {
        return;
    }
    if stats.rejected.foreign > 0 {
        note(
            "packets arrive that do not match the key: do both ends have the same key, and the same version of saltus?",
        );
    } else if let Some(to) = to {
        note(format_args!(
            "no answer from {to} yet: does `saltus tunnel listen` run there, with the same key, and does a firewall let \
             UDP through to that port?"
        ));
    }
}

/// Waits for the other end, and carries messages until a stop signal.
pub(crate) fn listen(url: Option<String>, args: Listen) -> Outcome {
    let driver = Driver::listen(args.both.config()?, &args.at, args.both.tcp)?;
    args.both.run(url, driver, None)
}

/// Connects to the other end, and carries messages until a stop signal.
pub(crate) fn connect(url: Option<String>, args: Connect) -> Outcome {
    let driver = Driver::connect(args.both.config()?, &args.to, args.both.tcp)?;
    args.both.run(url, driver, Some(&args.to))
}
