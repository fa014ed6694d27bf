//! `saltus hiccup`: how long this machine leaves a program waiting.

mod account;
mod beside;
mod control;
mod file;
mod show;
mod tell;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use saltus_measure::meter::Kind;
use saltus_measure::session::{Session, Settings};
use saltus_os::clock;

use crate::failure::{Code, Failure, Outcome, say};
use crate::flags::{Json, Quiet};
use crate::{stop, units};
use account::Account;
use beside::Beside;
use control::Control;
use file::LogFile;
use show::Show;
use tell::Teller;

/// The options of `hiccup`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Hiccup {
    /// How hiccups are found
    #[arg(long, value_enum, default_value = "sleep")]
    meter: MeterName,

    /// Time from one turn of the meter to the next
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = resolution)]
    resolution: Duration,

    /// Time that each histogram of the log covers
    #[arg(short, long, value_name = "TIME", default_value = "5s", value_parser = interval)]
    interval: Duration,

    /// Measure for so long [default: 60s; with COMMAND until it ends]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    duration: Option<Duration>,

    /// Hiccups as long as this are spikes: what else happened then is told
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = units::duration)]
    spike: Duration,

    /// Write an HdrHistogram interval log; - is standard output, and then nothing else goes there
    #[arg(long, value_name = "FILE")]
    hlog: Option<PathBuf>,

    /// Measure, and run COMMAND, on this processor
    #[arg(long, value_name = "N")]
    cpu: Option<usize>,

    /// Measure under SCHED_FIFO with this priority, 1 to 99, with memory locked
    #[arg(long, value_name = "PRIO")]
    fifo: Option<i32>,

    /// End with exit code 1 if the system refuses --cpu or --fifo, instead of going on without
    #[arg(long)]
    strict: bool,

    /// Run the same meter in an idle process too: what both see is the machine, not the program
    #[arg(long)]
    control: bool,

    /// A program to measure beside, and its arguments; with --json and --hlog - it writes to standard error
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    #[command(flatten)]
    json: Json,

    #[command(flatten)]
    quiet: Quiet,
}

/// The meters, as they are typed.
#[derive(Clone, Copy, ValueEnum)]
enum MeterName {
    /// jHiccup's: sleeps again and again; what a turn took longer than the shortest
    Sleep,
    /// cyclictest's: sleeps until points in time; how late it woke
    Deadline,
    /// Reads the clock without pause; the longest gap. Takes a whole processor
    Spin,
}

const EXAMPLES: &str = "\
Examples:
  saltus hiccup --duration 10s                    this machine as it is
  saltus hiccup --meter deadline --fifo 90 --cpu 1
  saltus hiccup --control --hlog run.hlog -- ./controller --rate 1000
  saltus hiccup --json --duration 10s | jq '.report.corrected.p999 // empty'";

fn resolution(text: &str) -> Result<Duration, String> {
    match units::duration(text)? {
        time if (Duration::from_micros(10)..=Duration::from_secs(10)).contains(&time) => Ok(time),
        _ => Err("from 10us to 10s".into()),
    }
}

fn interval(text: &str) -> Result<Duration, String> {
    match units::duration(text)? {
        time if time >= Duration::from_millis(10) => Ok(time),
        _ => Err("10ms or more".into()),
    }
}

/// How often the meter's surroundings are looked at.
const LOOK: Duration = Duration::from_millis(100);
/// How long without a word before it is looked whether the command has ended.
const TICK: Duration = Duration::from_millis(50);
/// How long is measured alone, unless it is told.
const ALONE: Duration = Duration::from_secs(60);

impl Hiccup {
    fn settings(&self) -> Settings {
        Settings {
            kind: match self.meter {
                MeterName::Sleep => Kind::Sleep,
                MeterName::Deadline => Kind::Deadline,
                MeterName::Spin => Kind::Spin,
            },
            resolution: nanos(self.resolution),
            interval: nanos(self.interval),
            spike: nanos(self.spike).max(1),
            look: nanos(LOOK),
            cpu: self.cpu,
            fifo: self.fifo,
        }
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Measures until the time is over, the command has ended, or the end is asked for.
pub fn run(args: Hiccup) -> Outcome {
    stop::on_signals()?;
    let to_stdout = args.hlog.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if to_stdout {
        stop::when_output_closes();
    }
    let settings = args.settings();
    let show = Show::new(&args, to_stdout)?;
    let mut session = Session::start(&settings)
        .map_err(|e| Failure::new(Code::Failed, format!("cannot start the meter: {e}")))?;
    for refused in session.refused() {
        if args.strict {
            return Err(Failure::new(Code::Failed, refused.clone()));
        }
        say(format_args!("{refused}; going on without"));
    }
    let mut file = args.hlog.as_deref().map(LogFile::create).transpose()?;
    let account = Account::new(&settings, session.began());
    let serializer = &mut saltus_measure::hlog::serializer();
    let log = file.as_mut().map(|file| file.begin(serializer, &args, account.began())).transpose()?;
    let control = if args.control { Some(Control::start(&args)?) } else { None };
    let mut teller = Teller { account, control, log, show };
    let mut beside = match args.command.split_first() {
        Some((program, arguments)) => {
            let output_is_ours = to_stdout || args.json.json;
            Some(Beside::start(program, arguments, args.cpu, output_is_ours)?)
        }
        None => None,
    };
    if let Some(beside) = &beside {
        session.watch(beside.id());
    }
    let length = args.duration.or(args.command.is_empty().then_some(ALONE));
    let end = length.map(|length| clock::monotonic().saturating_add(nanos(length)));
    while !stop::requested() && beside.as_mut().is_none_or(Beside::runs) {
        let now = clock::monotonic();
        if end.is_some_and(|end| now >= end) {
            break;
        }
        let until = end.unwrap_or(u64::MAX).min(now + nanos(TICK));
        if let Some(event) = session.next(until) {
            teller.take(event)?;
        }
        teller.settle(Duration::ZERO)?;
        teller.show.live(&teller.account)?;
    }
    teller.account.looks(session.observer());
    let (rest, untold) = session.stop();
    let ended = beside.map(Beside::end);
    for event in rest {
        teller.take(event)?;
    }
    // The control tells of the last spikes a little later.
    teller.settle(Duration::ZERO)?;
    while teller.account.waits() {
        teller.settle(TICK)?;
    }
    teller.account.end(untold, teller.control.take().map(Control::end));
    teller.show.report(&teller.account)?;
    ended.unwrap_or(Ok(()))
}
