//! `saltus bridge`: carry messages from one domain to another.

mod status;

use std::time::{Duration, Instant};

use clap::Args;
use saltus_bridge::{Rename, Route};
use saltus_domain::{Domain, Error, Options, Start, Until};

use crate::exit::Troubles;
use crate::exit::{Code, Failure, Outcome};
use crate::flags::Json;
use crate::flags::domain;
use crate::flags::selection::Matching;
use crate::stop;
use saltus_text::units;
use status::Status;

/// The options of `bridge`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bridge {
    /// URL of the domain that messages come from
    from: String,

    /// URL of the domain that they go to
    to: String,

    #[command(flatten)]
    channels: Matching,

    /// New names for channels, as sed would give them: s/EXPRESSION/REPLACEMENT/; with --both, of what goes to TO
    #[arg(long, value_name = "S")]
    rename: Option<String>,

    /// Only the newest message of each channel counts; older ones are passed over
    #[arg(long, conflicts_with = "next")]
    newest: bool,

    /// Every message, as long as no more than so many of a channel wait (the default, with 1000)
    #[arg(long, value_name = "DEPTH", num_args = 0..=1, require_equals = true, default_missing_value = "1000")]
    #[arg(value_parser = units::count)]
    next: Option<u64>,

    /// At most so many messages a second of each channel, the newest of those between; 0 is no limit
    #[arg(long, value_name = "HZ", default_value = "0", hide_default_value = true, value_parser = units::rate)]
    max_rate: f64,

    /// Also carry what comes on TO to FROM
    #[arg(long)]
    both: bool,

    /// Tell what was carried so far each second, or as often as this says; on a terminal it is told anyhow
    #[arg(long, value_name = "TIME", num_args = 0..=1, require_equals = true, default_missing_value = "1s")]
    #[arg(value_parser = interval)]
    stat: Option<Duration>,

    #[command(flatten)]
    json: Json,
}

/// How often it looks for channels that cannot be read.
const LOOK: Duration = Duration::from_secs(1);
/// How long it waits after an error that may pass.
const PAUSE: Duration = Duration::from_millis(20);

const EXAMPLES: &str = "\
Examples:
  saltus bridge shm:// udpm://239.255.76.67:7667?ttl=1        to a network
  saltus bridge udpm:// shm:// --both -e 'POSE|ARM_.*'
  saltus bridge udpm:// tcpq://desk --newest --max-rate 10    the newest
  saltus bridge udpm:// shm://desk --rename 's|^|robot1/|'
  saltus bridge 'file:///tmp/run.log?speed=2' udpm://         play a log
  saltus bridge udpm:// 'file:///tmp/run.log?mode=w'          record one";

fn interval(text: &str) -> Result<Duration, String> {
    let interval = units::duration(text)?;
    if interval < Duration::from_millis(10) {
        return Err(format!("{text} is too short: 10ms or more"));
    }
    Ok(interval)
}

/// Carries until the end is asked for, or there is nothing more.
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
    let mut status = Status::new(ways, args.stat, args.json.json)?;
    status.started()?;
    let mut troubles = Troubles::default();
    let mut look = Instant::now() + LOOK;
    while !stop::requested() {
        let until = Until::For(left(status.due().map_or(look, |due| due.min(look))));
        match bridge.step(until) {
            Ok(_) => {}
            Err(Error::Canceled | Error::Ended) => break,
            // A channel that cannot be read, or a directory that cannot be listed now, is not the others' trouble.
            Err(error @ (Error::Channel(_) | Error::System { .. })) => {
                bridge.not_read(&error);
                status.trouble(error);
                std::thread::sleep(PAUSE);
            }
            Err(error) => troubles.pass(error)?,
        }
        if left(look).is_zero() {
            bridge.find_unread();
            look = Instant::now() + LOOK;
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
        match (&self.rename, self.both) {
            (None, _) => refuse(format!(
                "{} and {} are the same domain, and --rename gives channels no new names: name two domains",
                self.from, self.to
            )),
            (Some(_), true) => {
                refuse(format!("--both within {}: leave it away, or name two domains", self.from))
            }
            (Some(_), false) => Ok((from.clone(), from)),
        }
    }

    fn routes(&self, from: &Domain, to: &Domain) -> Outcome<Vec<Route>> {
        let (channels, invert) = self.channels.meant()?;
        let options = match self.next {
            _ if self.newest => Options::newest(),
            None => Options::next(1000).at_most(),
            Some(depth) => Options::next(depth),
        };
        // What was there before is nobody's business but of who asks for the newest.
        let options = if self.newest { options } else { options.start(Start::Now) };
        let route = |from, to| {
            let route = Route::new(from, to).options(options).max_rate(self.max_rate);
            if invert { route.except(channels.clone()) } else { route.channels(channels.clone()) }
        };
        let rename = self.rename.as_deref().map(str::parse::<Rename>).transpose()?;
        let there = route(from, to);
        let mut routes = vec![rename.into_iter().fold(there, Route::rename)];
        if self.both {
            routes.push(route(to, from));
        }
        Ok(routes)
    }
}
