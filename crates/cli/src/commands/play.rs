//! `saltus play`: publish the messages of logs.

mod status;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use saltus_domain::Domain;
use saltus_log::edit::Moment;
use saltus_os::rt;
use saltus_play::{Bookmarks, Player, Reel};
use saltus_replay::{Action, Answer, Choice, Clock, Error, Keys, Outlets, Part, Restamp, Session};

use super::log::{self, Times};
use crate::exit::{Code, Failure, Outcome, note};
use crate::flags::domain;
use crate::flags::selection::Matching;
use crate::flags::types;
use crate::flags::{Count, Output, RunTime, TypeDirs};
use crate::stop;
use status::Status;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Play {
    /// Logs to play
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// Playback speed
    ///
    /// A factor from 0.01 to 100, or 0 to play as fast as subscribers keep up.
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = speed)]
    speed: f64,

    #[command(flatten)]
    channels: Matching,

    /// Rename channels as sed does: s/REGEX/NEW/ (repeatable)
    #[arg(long, value_name = "EXPR")]
    rename: Vec<String>,

    /// Put TEXT before the name of each channel
    #[arg(long, value_name = "TEXT")]
    prefix: Option<String>,

    /// Start paused
    #[arg(short, long)]
    paused: bool,

    #[command(flatten)]
    times: Times,

    /// Start again at the end
    #[arg(long = "loop")]
    repeat: bool,

    /// Publish the time of the log on the channel NAME
    #[arg(long, value_name = "NAME")]
    clock_channel: Option<String>,

    /// Timestamps of the messages
    #[arg(long, value_enum, default_value_t = Which::Present)]
    timestamps: Which,

    /// Spin before each message, for exact timing
    ///
    /// The last 300 us are spent spinning, which takes a CPU.
    #[arg(long)]
    precise: bool,

    #[command(flatten)]
    time: RunTime,

    #[command(flatten)]
    count: Count,

    #[command(flatten)]
    dirs: TypeDirs,

    #[command(flatten)]
    output: Output,
}

/// The values of `--timestamps`.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// Time of publication
    Present,
    /// Time in the log, on shm:// shifted so that it ends now
    Original,
}

const EXAMPLES: &str = "\
Examples:
  saltus play run.mcap
  saltus play run.lcmlog --speed 4 -e 'POSE|SCAN_.*'
  saltus play day1.mcap day2.mcap --domain udpm://   several logs, on a network
  saltus play run.mcap --from 12m --to 13m --loop
  saltus play run.mcap --rename 's/^/replay_/' --clock-channel CLOCK";

fn speed(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(speed) if speed == 0.0 || (0.01..=100.0).contains(&speed) => Ok(speed),
        _ => Err("expected a number from 0.01 to 100, or 0 for as fast as subscribers keep up".into()),
    }
}

/// Plays until the end of the logs, or until a stop signal.
pub(crate) fn run(url: Option<&str>, args: Play) -> Outcome {
    stop::on_signals()?;
    args.time.duration.into_iter().try_for_each(stop::after)?;
    let domain = domain::network(url.unwrap_or("shm://"))?;
    let reel = args.open()?;
    let bookmarks = reel.logs().first().map(Bookmarks::of).transpose();
    let bookmarks =
        bookmarks.map_err(|e| Failure::new(Code::Failed, format!("cannot read the bookmarks: {e}")))?;
    let clock = args.clock_channel.as_deref().map(|name| Clock::new(&domain, name)).transpose()?;
    let mut keys = if args.output.is_quiet() { None } else { Keys::of_terminal() };
    if args.paused && keys.is_none() {
        let words = "--paused needs a terminal for its keys, and no --quiet";
        return Err(Failure::new(Code::Usage, words));
    }
    let mut player = Player::new(reel, args.speed);
    let Some((first, last)) = player.span().map_err(Error::from)? else {
        return Err(Failure::new(Code::Failed, "the logs have no events"));
    };
    let part = args.part(first, last)?;
    let outlets = args.outlets(&domain, (part.start, part.end.min(last)))?;
    let mut session = Session::new(player, outlets, clock, bookmarks, part)?;
    if !args.paused {
        session.start();
    }
    let mut status =
        Status::new(args.output.is_json(), args.output.is_quiet(), (first, last), keys.is_some());
    let _ = rt::set_timer_slack(1); // if a sandbox refuses, timers are up to 50 us late
    let played = session.play(|session, now| {
        let action = handle_key(session, &mut keys, &mut status, first)?;
        status.show(now, session, keys.as_ref().and_then(Keys::line));
        Ok(action)
    });
    drop(keys.take()); // restores the terminal
    let report = session.outlets().report();
    status.end(&report)?;
    if let Err(error) = session.settle() {
        note(format_args!("bookmarks stay in a file next to the log: {error}"));
    }
    played.and(if report.refused + report.unreadable > 0 {
        Err(Failure::Reported(Code::Lost))
    } else {
        Ok(())
    })
}

/// Handles the pressed keys.
fn handle_key(
    session: &mut Session,
    keys: &mut Option<Keys>,
    status: &mut Status,
    first: i64,
) -> Outcome<Action> {
    let mut action = Action::Nothing;
    let Some(keys) = keys else { return Ok(action) };
    while let Some(key) = keys.pressed() {
        action = Action::Something;
        match session.handle_key(key)? {
            Answer::Done => {}
            Answer::Note(words) => status.note(words),
            Answer::Ask(line) => keys.ask(line),
            Answer::GoTo(text) => match String::from_utf8_lossy(&text).parse::<Moment>() {
                Ok(to) => session.seek(to.of(first))?,
                Err(error) => status.note(error),
            },
            Answer::Help => status.print(saltus_replay::HELP),
            Answer::End => return Ok(Action::End),
        }
    }
    Ok(action)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Domain(error) => error.into(),
            Error::NoTimestamps { url } => Failure::new(
                Code::Usage,
                format!(
                    "{url} has no timestamps by publishers: --timestamps original works with shm:// and file://"
                ),
            ),
            Error::TooLong => Failure::new(
                Code::Usage,
                "--timestamps original: the log is longer than this machine has been running, and its timestamps count from the \
                 start: play a part, with --from and --to, or into file://",
            ),
            error => Failure::new(Code::Failed, error.to_string()),
        }
    }
}

impl Play {
    fn open(&self) -> Outcome<Reel> {
        let logs = self.files.iter().map(|path| log::open(path, self.output.is_quiet()));
        Ok(Reel::new(logs.collect::<Outcome<_>>()?))
    }

    /// The time span, within a log with these first and last times.
    fn part(&self, first: i64, last: i64) -> Outcome<Part> {
        let start = self.times.from.map_or(first, |from| from.of(first));
        let end = self.times.to.map_or(last, |to| to.of(first).saturating_sub(1));
        if start > end {
            return Err(Failure::new(Code::Usage, "--from must be before --to, and within the log"));
        }
        let (repeat, most, precise) = (self.repeat, self.count.count, self.precise);
        Ok(Part { first, start, end, repeat, most, precise })
    }

    fn outlets(&self, domain: &Domain, span: (i64, i64)) -> Outcome<Outlets> {
        let restamp = (self.timestamps == Which::Original).then(|| Restamp::new(domain, span)).transpose()?;
        let types = types::types(&self.dirs)?;
        let renames = self.rename.iter().map(|text| text.parse());
        let (pattern, invert) = self.channels.meant()?;
        let choice = Choice {
            pattern,
            invert,
            renames: renames.collect::<Result<_, saltus_domain::Error>>()?,
            prefix: self.prefix.clone().unwrap_or_default().into_bytes(),
        };
        Ok(Outlets::new(domain, choice, types, restamp, Box::new(|words| note(words))))
    }
}
