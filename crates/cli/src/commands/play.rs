//! `saltus play`: publish what was recorded.

mod clock;
mod keys;
mod lags;
mod line;
mod outlets;
mod readers;
mod stamps;
mod status;
mod steer;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use saltus_bridge::Rename;
use saltus_os::{clock as time, process, rt};
use saltus_play::{Bookmarks, Player, Reel, Timeline, Todo};

use super::log::{
    self,
    select::{Moment, moment},
};
use crate::failure::{Code, Failure, Outcome, say};
use crate::flags::{Count, Json, Quiet, TypeDirs};
use crate::{place, stop};
use clock::Clock;
use keys::Keys;
use outlets::Outlets;
use stamps::Restamp;
use status::Status;

/// The options of `play`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Play {
    /// The logs: LCM's, or MCAP
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,

    /// So many times as fast as it was recorded, from 0.01 to 100; 0 is as fast as readers keep up
    #[arg(short, long, value_name = "N", default_value = "1", hide_default_value = true, value_parser = speed)]
    speed: f64,

    /// Only channels whose whole name this regular expression matches
    #[arg(short = 'e', long = "channels", alias = "regexp", value_name = "RE")]
    channels: Option<String>,

    /// All channels but those
    #[arg(long, requires = "channels")]
    invert: bool,

    /// New names for channels, as sed would give them: s/EXPRESSION/REPLACEMENT/; may be given several times
    #[arg(long, value_name = "S")]
    rename: Vec<String>,

    /// Put this before the name of each channel
    #[arg(long, value_name = "TEXT")]
    prefix: Option<String>,

    /// Begin paused; space goes on
    #[arg(short, long)]
    paused: bool,

    /// Begin here: so long after the first event (90s, 2.5m), or @SECONDS since 1970
    #[arg(long, value_name = "TIME", value_parser = moment)]
    from: Option<Moment>,

    /// End here; as --from
    #[arg(long, value_name = "TIME", value_parser = moment)]
    to: Option<Moment>,

    /// Begin again at the end, until Ctrl-C
    #[arg(long)]
    repeat: bool,

    /// Publish the time of the log on this channel, 100 times a second
    #[arg(long, value_name = "CHANNEL")]
    clock: Option<String>,

    /// Which stamps messages get: with original ones, a record of what is played has the times of the log
    #[arg(long, value_name = "WHICH", default_value = "present", hide_default_value = true)]
    stamps: Which,

    /// Spin for the last 300 us before each message: more exact, and takes a processor
    #[arg(long)]
    precise: bool,

    #[command(flatten)]
    count: Count,

    #[command(flatten)]
    dirs: TypeDirs,

    #[command(flatten)]
    json: Json,

    #[command(flatten)]
    quiet: Quiet,
}

/// Which stamps messages get.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    /// When they are played
    Present,
    /// Those of the log; over shm:// all moved by the same, so that the last one is now
    Original,
}

const EXAMPLES: &str = "\
Examples:
  saltus play run.mcap
  saltus play run.lcmlog --speed 4 --channels 'POSE|SCAN_.*'
  saltus play day1.mcap day2.mcap --domain udpm://     several logs, on a network
  saltus play run.mcap --from 12m --to 13m --repeat
  saltus play run.mcap --rename 's/^/replay_/' --clock CLOCK";

fn speed(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(speed) if speed == 0.0 || (0.01..=100.0).contains(&speed) => Ok(speed),
        _ => Err("a speed is a number from 0.01 to 100, or 0: as fast as readers keep up".into()),
    }
}

/// The last moments before a message are spun through with --precise, in ns.
const SPIN: u64 = 300_000;
/// Longer waits are interrupted to look for keys and for the end, in ns.
const SLICE: u64 = 50_000_000;
/// The up and down keys go so far, in ns.
const SKIP: i64 = 10_000_000_000;

/// Plays until the end, or until that is asked for.
pub fn run(url: Option<&str>, args: Play) -> Outcome {
    stop::on_signals()?;
    let domain = place::network(url.unwrap_or("shm://"))?;
    let reel = args.open()?;
    let bookmarks = reel.logs().first().map(Bookmarks::of).transpose();
    let bookmarks =
        bookmarks.map_err(|e| Failure::new(Code::Failed, format!("cannot read the bookmarks: {e}")))?;
    let clock = args.clock.as_deref().map(|name| Clock::new(&domain, name)).transpose()?;
    let keys = if args.quiet.quiet { None } else { Keys::of_terminal() };
    if args.paused && keys.is_none() {
        let words = "--paused needs a terminal on which somebody presses a key, and no --quiet";
        return Err(Failure::new(Code::Usage, words));
    }
    let mut player = Player::new(reel, args.speed);
    let Some((first, last)) = player.span().map_err(failed)? else {
        return Err(Failure::new(Code::Failed, "there is no event in it"));
    };
    let start = args.from.map_or(first, |from| from.of(first));
    let end = args.to.map_or(last, |to| to.of(first).saturating_sub(1));
    if start > end {
        return Err(Failure::new(Code::Usage, "--from is not before --to, or behind the end of the log"));
    }
    let restamp = (args.stamps == Which::Original).then(|| Restamp::new(&domain, (start, end.min(last))));
    let outlets = Outlets::new(&domain, &args, restamp.transpose()?)?;
    player.seek(start).map_err(failed)?;
    if args.repeat {
        player.set_repeat(Some((start, end)));
    }
    if !args.paused {
        player.play();
    }
    let status = Status::new(&args, (first, last), keys.is_some());
    let (mark, along, asked) = (None, None, None);
    let mut session =
        Session { args, player, outlets, clock, keys, bookmarks, status, first, end, mark, along, asked };
    let _ = rt::set_timer_slack(1); // refused by a sandbox, timers are 50 us late
    let played = session.play();
    drop(session.keys.take()); // the terminal is as it was
    session.status.end(&session.outlets)?;
    if let Some(Err(error)) = session.bookmarks.as_mut().map(Bookmarks::settle) {
        say(format_args!("the bookmarks stay beside the log: {error}"));
    }
    played?;
    if session.outlets.refused() + session.outlets.unreadable() > 0 {
        Err(Failure::Known(Code::Lost))
    } else {
        Ok(())
    }
}

fn failed(error: saltus_log::Error) -> Failure {
    Failure::new(Code::Failed, error.to_string())
}

impl Play {
    fn open(&self) -> Outcome<Reel> {
        let logs = self.files.iter().map(|path| log::open(path, self.quiet.quiet));
        Ok(Reel::new(logs.collect::<Outcome<_>>()?))
    }
    fn renames(&self) -> Outcome<Vec<Rename>> {
        Ok(self.rename.iter().map(|text| text.parse()).collect::<Result<_, saltus_domain::Error>>()?)
    }
}

/// A log that is played.
struct Session {
    args: Play,
    player: Player<Reel>,
    outlets: Outlets,
    clock: Option<Clock>,
    keys: Option<Keys>,
    bookmarks: Option<Bookmarks>,
    status: Status,
    first: i64,
    end: i64,
    /// Where `[` was pressed.
    mark: Option<i64>,
    /// The channel that `<` and `>` step along: that of the message published last, unless one was chosen.
    along: Option<Vec<u8>>,
    /// What a line is typed for.
    asked: Option<steer::Asked>,
}

impl Session {
    fn play(&mut self) -> Outcome {
        let most = self.args.count.count.unwrap_or(u64::MAX);
        let mut chores = 0;
        while !stop::requested() && self.outlets.played() < most {
            let now = time::monotonic();
            // What is due goes out before anything else is done, but keys are looked for while much is due.
            let todo = self.player.poll(now).map_err(failed)?;
            match todo {
                Todo::Publish(spot, _) if self.is_over(spot.time) => return Ok(()),
                Todo::Publish(spot, due) => {
                    if let Some(clock) = self.clock.as_mut().filter(|_| self.player.speed() == 0.0) {
                        clock.advance(spot.time, &mut self.outlets)?;
                    }
                    let lateness = (self.player.speed() > 0.0).then(|| time::monotonic().saturating_sub(due));
                    self.outlets.publish(self.player.timeline(), &spot, lateness)?;
                    if self.player.speed() == 0.0 {
                        self.outlets.wait_for_readers();
                    }
                    if now < chores {
                        continue;
                    }
                }
                Todo::Wait(_) | Todo::Paused => {}
                Todo::Ended => return Ok(()),
            }
            chores = now + SLICE;
            let mut pressed = false;
            while let Some(key) = self.keys.as_mut().and_then(Keys::pressed) {
                pressed = true;
                if !self.obey(key)? {
                    return Ok(());
                }
            }
            if let Some(clock) = &mut self.clock {
                clock.tick(now, &self.player, &mut self.outlets)?;
            }
            let typed = self.keys.as_ref().and_then(Keys::line);
            self.status.show(now, &self.player, &self.outlets, typed);
            match todo {
                _ if pressed => {} // it may have changed what is to be done
                Todo::Wait(until) => {
                    self.prepare()?;
                    self.wait(now, until);
                }
                Todo::Paused => self.wait(now, u64::MAX),
                Todo::Publish(..) | Todo::Ended => {}
            }
        }
        Ok(())
    }

    /// Whether `--to` ends it here.
    fn is_over(&self, time: i64) -> bool {
        time > self.end && !self.args.repeat && self.mark.is_none()
    }

    /// Gets ready for the next event, if it is to be played.
    fn prepare(&mut self) -> Outcome {
        let end = self.player.repeat().map(|(_, end)| end);
        let Some(next) = self.player.timeline().next().map_err(failed)? else { return Ok(()) };
        if self.is_over(next.time) || end.is_some_and(|end| next.time > end) {
            return Ok(());
        }
        self.outlets.prepare(self.player.timeline(), &next)
    }

    /// Sleeps until then, or less.
    fn wait(&mut self, now: u64, until: u64) {
        let tick = self.clock.as_ref().map_or(u64::MAX, |clock| clock.due());
        let end = until.min(tick).min(now + SLICE);
        if !(self.args.precise && end == until) {
            return process::sleep_until(end);
        }
        process::sleep_until(end.saturating_sub(SPIN));
        while time::monotonic() < end && !stop::requested() {
            std::hint::spin_loop();
        }
    }
}
