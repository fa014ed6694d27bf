//! `saltus bridge`: carry messages from one domain to another.

mod status;

use std::time::{Duration, Instant};

use clap::Args;
use saltus_bridge::{Rename, Route};
use saltus_domain::{Domain, Error, Options, Start, Until};

use crate::exit::Troubles;
use crate::exit::{Code, Failure, Outcome};
use crate::flags::domain;
use crate::flags::selection::Matching;
use crate::flags::{Json, Reports};
use crate::stop;
use saltus_text::units;
use status::Status;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bridge {
    /// Domain to receive messages from
    #[arg(value_name = "FROM-URL")]
    from: String,

    /// Domain to publish messages in
    #[arg(value_name = "TO-URL")]
    to: String,

    #[command(flatten)]
    channels: Matching,

    /// Rename channels as sed does: s/REGEX/NEW/ (repeatable)
    ///
    /// With --both it applies to messages that go from FROM-URL to TO-URL.
    #[arg(long, value_name = "EXPR")]
    rename: Vec<String>,

    /// Receive only the newest message of each channel
    #[arg(long, conflicts_with = "next")]
    newest: bool,

    /// Receive every message in order (default)
    #[arg(long)]
    next: bool,

    /// Messages to keep [default: up to 1000]
    ///
    /// The limit is for each channel, while the other side is slower.
    #[arg(long, value_name = "N", conflicts_with = "newest", value_parser = units::count)]
    depth: Option<u64>,

    /// Forward at most HZ messages per second and channel
    ///
    /// If more arrive, it forwards only the newest of them. 0 means no limit.
    #[arg(long, value_name = "HZ", default_value = "0", hide_default_value = true, value_parser = units::rate)]
    max_rate: f64,

    /// Forward messages in both directions
    #[arg(long)]
    both: bool,

    #[command(flatten)]
    reports: Reports,

    #[command(flatten)]
    json: Json,
}

/// Time between two checks for unreadable channels.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Pause after an error that may be temporary.
const PAUSE: Duration = Duration::from_millis(20);

const EXAMPLES: &str = "\
Examples:
  saltus bridge shm:// udpm://239.255.76.67:7667?ttl=1        to a network
  saltus bridge udpm:// shm:// --both -e 'POSE|ARM_.*'
  saltus bridge udpm:// tcpq://desk --newest --max-rate 10    the newest
  saltus bridge udpm:// shm://desk --rename 's|^|robot1/|'
  saltus bridge 'file:///tmp/run.log?speed=2' udpm://         play a log
  saltus bridge udpm:// 'file:///tmp/run.log?mode=w'          record one";

/// Forwards messages until a stop signal, or until the source ends.
pub(crate) fn run(args: Bridge) -> Outcome {
    stop::on_signals()?;
    let (from, to) = args.domains()?;
    let mut bridge = saltus_bridge::Bridge::new();
    let mut ways = Vec::new();
    for route in args.routes(&from, &to)? {
        bridge.add(route)?;
        ways.push(if ways.is_empty() { (from.url(), to.url()) } else { (to.url(), from.url()) });
    }
    let handles = bridge.cancel_handles();
    stop::cancel_with(move || handles.iter().for_each(|handle| handle.cancel()));
    let mut status = Status::new(ways, args.reports.every(), args.json.json)?;
    status.started()?;
    let mut troubles = Troubles::default();
    let mut next_check = Instant::now() + CHECK_INTERVAL;
    while !stop::requested() {
        let until = Until::For(left(status.due().map_or(next_check, |due| due.min(next_check))));
        match bridge.step(until) {
            Ok(_) => {}
            Err(Error::Canceled | Error::Ended) => break,
            // An unreadable channel, or a directory that cannot be listed now, does not affect other channels.
            Err(error @ (Error::Channel(_) | Error::System { .. })) => {
                bridge.not_read(&error);
                status.trouble(error);
                std::thread::sleep(PAUSE);
            }
            Err(error) => troubles.pass(error)?,
        }
        if left(next_check).is_zero() {
            bridge.find_unread();
            next_check = Instant::now() + CHECK_INTERVAL;
        }
        if let Some(trouble) = bridge.trouble() {
            status.trouble(trouble);
        }
        if status.due().is_some_and(|due| left(due).is_zero()) {
            status.show(&bridge)?;
        }
    }
    bridge.find_unread();
    status.end(&bridge)
}

fn left(due: Instant) -> Duration {
    due.saturating_duration_since(Instant::now())
}

impl Bridge {
    /// The two domains; clones of one, if they are the same.
    fn domains(&self) -> Outcome<(Domain, Domain)> {
        let from = domain::network(&self.from)?;
        if !saltus_domain::is_same_network(&self.from, &self.to) {
            let to = domain::network(&self.to)?;
            if !from.is(&to) {
                return Ok((from, to));
            }
        }
        let refuse = |words| Err(Failure::new(Code::Usage, words));
        match (self.rename.is_empty(), self.both) {
            (true, _) => refuse(format!(
                "{} and {} are the same domain, and --rename changes no names: name two domains",
                self.from, self.to
            )),
            (false, true) => refuse(format!("--both within {}: omit it, or name two domains", self.from)),
            (false, false) => Ok((from.clone(), from)),
        }
    }

    fn routes(&self, from: &Domain, to: &Domain) -> Outcome<Vec<Route>> {
        let (channels, invert) = self.channels.meant()?;
        let options = match self.depth {
            _ if self.newest => Options::newest(),
            None => Options::next(1000).at_most(),
            Some(depth) => Options::next(depth),
        };
        // Earlier messages are forwarded only with --newest.
        let options = if self.newest { options } else { options.start(Start::Now) };
        let route = |from, to| {
            let route = Route::new(from, to).options(options).max_rate(self.max_rate);
            if invert { route.except(channels.clone()) } else { route.channels(channels.clone()) }
        };
        let renames = self.rename.iter().map(|text| text.parse::<Rename>()).collect::<Result<Vec<_>, _>>()?;
        let there = route(from, to);
        let mut routes = vec![renames.into_iter().fold(there, Route::rename)];
        if self.both {
            routes.push(route(to, from));
        }
        Ok(routes)
    }
}
