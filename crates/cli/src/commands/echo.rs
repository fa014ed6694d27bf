//! `saltus echo`: print messages as they come.

mod network;

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use clap::{ArgGroup, Args, ValueEnum};
use saltus_channel::{Channel, Domain, Error, Sample, Start, Subscriber, SubscriberOptions, Until, Which};
use saltus_decode::{Decoder, Meaning};

use crate::escape::escaped;
use crate::failure::{Code, Failure, Outcome, say};
use crate::flags::domain::{self, DomainUrl, OpenDomain};
use crate::flags::{Count, Printed, Timeout, TypeDirs};
use crate::human;
use crate::out::Out;
use crate::print::{About, Message, print};
use crate::{schemas, stop};

/// The options of `echo`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("which").args(["next", "newest"]))]
pub struct Echo {
    /// Name of the channel
    name: OsString,

    /// NAME is a regular expression: all channels whose whole name it matches, those that come later too
    #[arg(short = 'E', long)]
    regex: bool,

    /// Every message from now on, in order (the default)
    #[arg(long)]
    next: bool,

    /// The newest message at once, then the newest whenever there is a newer one
    #[arg(long)]
    newest: bool,

    /// Where to start; only --from oldest and --from newest give what was published before
    #[arg(long, value_enum, default_value_t = From::Now, conflicts_with = "newest", value_name = "WHERE")]
    from: From,

    #[command(flatten)]
    count: Count,

    #[command(flatten)]
    timeout: Timeout,

    /// Wait until the channel exists
    #[arg(short, long)]
    wait: bool,

    /// When the channel is replaced or removed, go on with the next one of that name
    #[arg(short, long)]
    follow: bool,

    /// End with exit code 5 as soon as a message was missed, or nobody can tell; what was lost before the first of a sender does
    /// not count
    #[arg(long, conflicts_with = "newest")]
    strict: bool,

    #[command(flatten)]
    dirs: TypeDirs,

    /// Every message must be of this type; one that is not is told how it differs, with exit code 6
    #[arg(long = "type", value_name = "TYPE")]
    of: Option<String>,

    #[command(flatten)]
    printed: Printed,

    /// Do not say at the end how many were received and missed
    #[arg(short, long)]
    quiet: bool,
}

/// Where a subscriber starts.
#[derive(Clone, Copy, ValueEnum)]
enum From {
    /// What is published from now on
    Now,
    /// The newest that is kept, then all after it
    Newest,
    /// The oldest that is kept, then all after it
    Oldest,
}

/// How long the look for a channel goes on before Ctrl-C is looked for.
const LOOK: Duration = Duration::from_millis(100);

const EXAMPLES: &str = "\
Examples:
  saltus echo imu                               every message from now on
  saltus echo pose --newest -n 1 --json         the newest one, for a program
  saltus echo log --from oldest --lines         all that is kept, then what comes
  saltus echo imu --strict --timeout 250ms      fail when one is missed or the sensor goes silent
  saltus echo imu --wait --follow               from before it exists, through every replacement
  saltus echo pose -I types                     by the type files in a directory
  saltus echo pose --type robot.pose_t -n 1     fail when messages are of another type
  saltus echo camera --newest -n 1 --raw > frame.jpg
  saltus echo POSE --domain udpm://239.255.76.67:7667?ttl=1 -I types
  saltus echo 'ARM_.*' --regex --domain tcpq:// --json";

/// Prints until there is enough, or the end is asked for.
pub fn run(domain: &DomainUrl, args: Echo) -> Outcome {
    match domain.open()? {
        OpenDomain::Shm(domain) if args.regex => network::run(&domain::network(&domain.url())?, &args),
        OpenDomain::Shm(domain) => one_channel(&domain, args),
        OpenDomain::Other(domain) => network::run(&domain, &args),
    }
}

/// Prints messages of a channel in shared memory.
fn one_channel(domain: &Domain, args: Echo) -> Outcome {
    stop::on_signals()?;
    stop::when_output_closes();
    let quiet = args.quiet;
    let meaning = schemas::decoder(args.of.as_deref(), &args.dirs.include)?;
    let mut reading = Reading { domain, args, meaning, out: Out::new()?, received: 0, missed: 0 };
    let outcome = reading.run();
    if !quiet && !stop::output_closed() && !matches!(outcome, Err(Failure::Quiet)) {
        say(format_args!("received {}, missed {}", reading.received, reading.missed));
    }
    outcome
}

/// The totals over all channels of that name which `--follow` went through.
struct Reading<'a> {
    domain: &'a Domain,
    args: Echo,
    meaning: Decoder,
    out: Out,
    received: u64,
    missed: u64,
}

/// Why one channel is read no further.
enum End {
    /// There was enough, or the end was asked for.
    Enough,
    /// It was replaced or removed.
    Retired(Error),
}

impl Reading<'_> {
    fn run(&mut self) -> Outcome {
        let mut start = self.args.start();
        let mut opened = if self.args.wait {
            let there = self.domain.wait_for(self.args.name.as_bytes(), Duration::ZERO)?;
            if there.is_none() && start == Start::Now {
                start = Start::Oldest; // all that it will hold comes after this began
            }
            if there.is_some() { there } else { self.appeared()? }
        } else {
            Some(domain::open_named(self.domain, &self.args.name)?)
        };
        while let Some(channel) = opened {
            let said = channel.descriptions()?;
            if let Some(words) = self.meaning.doubt(|| schemas::texts(said)) {
                say(format_args!("{words}; waiting for it"));
            }
            let mut subscriber = channel.subscriber_with(SubscriberOptions::new().start(start))?;
            let cancel = subscriber.cancel_handle();
            stop::cancel_with(move || cancel.cancel());
            let end = self.read(&mut subscriber);
            self.missed += subscriber.missed();
            match end? {
                End::Enough => break,
                End::Retired(error) if !self.args.follow => return Err(error.into()),
                End::Retired(error) => {
                    self.out.flush()?;
                    say(error);
                }
            }
            // Whatever the next one of that name holds was published after this one began.
            start = Start::Oldest;
            opened = self.appeared()?;
        }
        self.out.flush()
    }

    /// The channel, as soon as there is one of that name; none when the end was asked for.
    fn appeared(&self) -> Outcome<Option<Channel>> {
        let name = self.args.name.as_bytes();
        let deadline = self.args.timeout.timeout.map(|time| (time, Instant::now() + time));
        while !stop::requested() {
            if let Some(channel) = self.domain.wait_for(name, LOOK.min(left(deadline)))? {
                return Ok(Some(channel));
            }
            if let Some((time, _)) = deadline.filter(|(_, at)| Instant::now() >= *at) {
                let words = format!(
                    "no channel `{}` appeared in {} within {time:?}: start what makes it, or wait longer",
                    escaped(name),
                    self.domain.url()
                );
                return Err(Failure::new(Code::TimedOut, words));
            }
        }
        Ok(None)
    }

    fn read(&mut self, subscriber: &mut Subscriber) -> Outcome<End> {
        let (format, channel) = (self.args.printed.format(), subscriber.channel());
        let name = escaped(channel.name().as_bytes());
        let mut message = Vec::new();
        while !stop::requested() && self.args.count.count.is_none_or(|most| self.received < most) {
            let sample = match self.receive(subscriber, &mut message) {
                Ok(Some(sample)) => sample,
                Ok(None) => return Err(self.silence(&name)),
                // Overtaken at every try: what is newer now is asked for, and what was lost is counted.
                Err(Stopped::By(Error::Overrun { .. })) => continue,
                Err(Stopped::By(Error::Canceled)) => break,
                Err(Stopped::By(error @ Error::Retired { .. })) => return Ok(End::Retired(error)),
                Err(Stopped::By(error)) => return Err(error.into()),
                Err(Stopped::Output(failure)) => return Err(failure),
            };
            self.received += 1;
            let meaning = if format.is_bytes() && self.args.of.is_none() {
                Meaning::Bytes
            } else {
                // A channel that has just been removed has nothing more to say.
                let descriptions = || schemas::texts(channel.descriptions().unwrap_or_default());
                self.meaning.meaning(channel.name().as_bytes(), descriptions, &message)?
            };
            let about = About::Channel(&sample);
            let shown = Message { channel: &name, about, bytes: &message, meaning: &meaning };
            print(&mut self.out, format, &shown)?;
            if self.args.strict && sample.missed > 0 {
                return Err(lost(&name, &sample));
            }
        }
        Ok(End::Enough)
    }

    /// The next message; what is printed already goes out before this sleeps.
    fn receive(
        &mut self,
        subscriber: &mut Subscriber,
        message: &mut Vec<u8>,
    ) -> Result<Option<Sample>, Stopped> {
        let which = if self.args.newest { Which::Newest } else { Which::Next };
        if let Some(sample) = subscriber.receive_vec(which, Until::Poll, message)? {
            return Ok(Some(sample));
        }
        self.out.flush().map_err(Stopped::Output)?;
        let until = self.args.timeout.timeout.map_or(Until::Forever, Until::For);
        Ok(subscriber.receive_vec(which, until, message)?)
    }

    fn silence(&self, channel: &str) -> Failure {
        let time = self.args.timeout.timeout.unwrap_or_default();
        let words = format!(
            "nothing came on channel `{channel}` within {time:?}: see `saltus info` for its publishers"
        );
        Failure::new(Code::TimedOut, words)
    }
}

/// Why nothing was received.
enum Stopped {
    By(Error),
    Output(Failure),
}

impl std::convert::From<Error> for Stopped {
    fn from(error: Error) -> Stopped {
        Stopped::By(error)
    }
}

fn lost(channel: &str, sample: &Sample) -> Failure {
    let words = format!(
        "{} of channel `{channel}` lost before number {} of writer {}: keep more frames, or read faster",
        human::plural(sample.missed, "message"),
        sample.seq,
        sample.writer.lane
    );
    Failure::new(Code::Lost, words)
}

fn left(deadline: Option<(Duration, Instant)>) -> Duration {
    deadline.map_or(LOOK, |(_, at)| at.saturating_duration_since(Instant::now()))
}

impl Echo {
    fn start(&self) -> Start {
        match self.from {
            _ if self.newest => Start::Newest,
            From::Now => Start::Now,
            From::Newest => Start::Newest,
            From::Oldest => Start::Oldest,
        }
    }
}
