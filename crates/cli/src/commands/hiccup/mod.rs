//! `saltus hiccup`: measure scheduling delays on this machine.

mod reporter;
mod show;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use clap::Args;
use saltus_measure::account::Account;
use saltus_measure::beside::Companion;
use saltus_measure::control::Control;
use saltus_measure::interval_log::LogFile;
use saltus_measure::meter::Kind;
use saltus_measure::nanos;
use saltus_measure::session::{Session, Settings};
use saltus_os::{clock, rt};

use crate::exit::{Code, Failure, Outcome, note, taken, unwritable};
use crate::flags::time::at_least;
use crate::flags::{Choices, Force, Output, RunTime, one_of};
use crate::stop;
use reporter::Reporter;
use saltus_text::units;
use show::Show;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Hiccup {
    /// Method of measuring
    #[arg(long, value_parser = one_of(METERS), default_value = "sleep")]
    meter: Kind,

    /// Sampling interval
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = resolution)]
    resolution: Duration,

    /// Time that each report covers [default: at most 5s]
    #[arg(short, long, value_name = "TIME", value_parser = interval)]
    interval: Option<Duration>,

    #[command(flatten)]
    time: RunTime,

    /// Report the kernel's counts at delays of TIME or more
    #[arg(long, value_name = "TIME", default_value = "1ms", value_parser = units::duration)]
    spike: Duration,

    /// Write an HdrHistogram interval log (-: standard output)
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    #[command(flatten)]
    force: Force,

    /// CPU to run the meter and COMMAND on
    #[arg(long, value_name = "N")]
    cpu: Option<usize>,

    /// SCHED_FIFO priority of the meter, 1 to 99, memory locked
    #[arg(long, value_name = "N")]
    fifo: Option<i32>,

    /// Exit with code 1 if --cpu or --fifo is refused
    #[arg(long)]
    no_fallback: bool,

    /// Run the same meter in an idle process, for comparison
    #[arg(long)]
    control: bool,

    /// Program to run while measuring, and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    #[command(flatten)]
    output: Output,
}

/// The values of `--meter`.
const METERS: Choices<Kind> = &[
    ("sleep", "Sleep repeatedly, compare with the shortest, as jHiccup does", Kind::Sleep),
    ("deadline", "Sleep until a time, measure the delay, as cyclictest does", Kind::Deadline),
    ("spin", "Read the clock without pause, using a whole CPU", Kind::Spin),
];

const EXAMPLES: &str = "\
Examples:
  saltus hiccup --duration 10s                    this machine as it is
  saltus hiccup --meter deadline --fifo 90 --cpu 1
  saltus hiccup --control -o run.hlog -- ./controller --rate 1000
  saltus hiccup --json --duration 10s | jq '.report.corrected.p999 // empty'";

fn resolution(text: &str) -> Result<Duration, String> {
    match units::duration(text)? {
        time if (Duration::from_micros(10)..=Duration::from_secs(10)).contains(&time) => Ok(time),
        _ => Err("expected a time from 10us to 10s".into()),
    }
}

fn interval(text: &str) -> Result<Duration, String> {
    at_least(text, Duration::from_millis(10), "10ms")
}

/// Time between two readings of the kernel's counters.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Longest wait for an event between two checks whether the command has exited.
const TICK: Duration = Duration::from_millis(50);
/// Duration of a measurement without a command, unless given.
const ALONE: Duration = Duration::from_secs(60);

/// Interval lengths to choose from, unless `--interval` is given: the longest with at least twelve intervals in the run.
const STEPS: [Duration; 6] = [
    Duration::from_secs(5),
    Duration::from_secs(2),
    Duration::from_secs(1),
    Duration::from_millis(500),
    Duration::from_millis(200),
    Duration::from_millis(100),
];

/// The interval for a run of this length.
fn step(length: Option<Duration>) -> Duration {
    let Some(length) = length else { return STEPS[0] };
    STEPS.into_iter().find(|step| *step * 12 <= length).unwrap_or(STEPS[STEPS.len() - 1])
}

impl Hiccup {
    /// The duration of the measurement; `None` if the command's exit ends it.
    fn length(&self) -> Option<Duration> {
        self.time.duration.or(self.command.is_empty().then_some(ALONE))
    }

    fn settings(&self) -> Settings {
        Settings {
            kind: self.meter,
            resolution: nanos(self.resolution),
            interval: nanos(self.interval.unwrap_or_else(|| step(self.length()))),
            spike: nanos(self.spike).max(1),
            poll: nanos(CHECK_INTERVAL),
            cpu: self.cpu,
            fifo: self.fifo,
        }
    }
}

/// Measures until the time is up, the command exits, or a stop is requested.
pub(crate) fn run(args: Hiccup) -> Outcome {
    stop::on_signals()?;
    let to_stdout = args.out.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if to_stdout {
        stop::when_output_closes();
    }
    if let Some(path) = args.out.as_deref().filter(|path| !to_stdout && path.symlink_metadata().is_ok()) {
        // A device or a pipe is written to; an existing file is not overwritten.
        if !args.force.force && path.metadata().is_ok_and(|m| m.is_file()) {
            return Err(taken(path));
        }
    }
    let settings = args.settings();
    let show = Show::new(args.output.is_json(), args.output.is_quiet(), to_stdout)?;
    let mut session = args.session(&settings)?;
    let unwritten = |e: std::io::Error| unwritable(args.out.as_deref().unwrap_or(Path::new("-")), &e);
    let mut file = args.out.as_deref().map(LogFile::create).transpose().map_err(unwritten)?;
    let account = Account::new(&settings, session.began());
    let serializer = &mut saltus_measure::hlog::serializer();
    let tool = concat!("saltus hiccup ", env!("CARGO_PKG_VERSION"));
    let meter = (settings.kind.name(), settings.resolution);
    let log = file.as_mut().map(|file| file.begin(serializer, tool, meter, account.began()));
    let log = args.out.as_deref().zip(log.transpose().map_err(unwritten)?);
    let control = if args.control { Some(args.start_control()?) } else { None };
    let mut reporter = Reporter { account, control, log, show };
    let beside = args.start_command(to_stdout || args.output.is_json())?;
    if let Some(beside) = &beside {
        session.watch(beside.id());
    }
    let ended = args.measure(&mut session, &mut reporter, beside)?;
    let (rest, untold) = session.stop();
    let ended = ended.map(Companion::end);
    rest.into_iter().try_for_each(|event| reporter.take(event))?;
    // The control reports its last spikes a little later.
    reporter.settle(Duration::ZERO)?;
    while reporter.account.waits() {
        reporter.settle(TICK)?;
    }
    reporter.account.end(untold, reporter.control.take().map(Control::end));
    reporter.show.report(&reporter.account)?;
    ended.unwrap_or(Ok(())).map_err(|words| Failure::new(Code::Failed, words))
}

impl Hiccup {
    /// Starts the meter. Reports the settings that the system refuses.
    fn session(&self, settings: &Settings) -> Outcome<Session> {
        let session = Session::start(settings)
            .map_err(|e| Failure::new(Code::Failed, format!("cannot start the meter: {e}")))?;
        for refused in session.refused() {
            if self.no_fallback {
                return Err(Failure::new(Code::Failed, refused.clone()));
            }
            note(format_args!("{refused}; continuing without"));
        }
        Ok(session)
    }

    /// Measures until the time is up, the command exits, or a stop is requested. Returns the command.
    fn measure(
        &self,
        session: &mut Session,
        reporter: &mut Reporter<'_>,
        mut beside: Option<Companion>,
    ) -> Outcome<Option<Companion>> {
        let end = self.length().map(|length| clock::monotonic().saturating_add(nanos(length)));
        while !stop::requested() && beside.as_mut().is_none_or(Companion::runs) {
            let now = clock::monotonic();
            if end.is_some_and(|end| now >= end) {
                break;
            }
            let until = end.unwrap_or(u64::MAX).min(now + nanos(TICK));
            if let Some(event) = session.next(until) {
                reporter.take(event)?;
            }
            reporter.settle(Duration::ZERO)?;
            reporter.show.live(&reporter.account)?;
        }
        reporter.account.samples(session.observer());
        Ok(beside)
    }

    /// Starts the command to measure alongside, if there is one.
    fn start_command(&self, output_is_ours: bool) -> Outcome<Option<Companion>> {
        let Some((program, arguments)) = self.command.split_first() else { return Ok(None) };
        let started = Companion::start(program, arguments, self.cpu, output_is_ours, |words| note(words));
        started.map(Some).map_err(|e| {
            let program = program.to_string_lossy();
            Failure::new(Code::Failed, format!("cannot start {program}: {e}; give its path, or check PATH"))
        })
    }

    /// Starts this command as the control process, on other CPUs than the meter if that has its own.
    fn start_control(&self) -> Outcome<Control> {
        let failed =
            |e: std::io::Error| Failure::new(Code::Failed, format!("cannot start the control process: {e}"));
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        command.args(["hiccup", "--quiet", "--out", "-", "--interval", "100ms", "--duration", "90000h"]);
        command.args(["--meter", self.settings().kind.name(), "--spike", "1h"]);
        command.arg("--resolution").arg(format!("{}ns", self.resolution.as_nanos()));
        if let Some(priority) = self.fifo {
            command.args(["--fifo", &priority.to_string()]);
        }
        let others: Vec<usize> = match self.cpu {
            Some(own) => rt::affinity().into_iter().filter(|cpu| *cpu != own).collect(),
            None => Vec::new(),
        };
        Control::start(command, &others).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_run_has_short_steps_and_a_long_one_those_of_five_seconds() {
        let of = |ms| step(Some(Duration::from_millis(ms))).as_millis();
        assert_eq!(
            [300, 2_000, 8_000, 20_000, 60_000, 3_600_000].map(of),
            [100, 100, 500, 1_000, 5_000, 5_000]
        );
        assert_eq!(step(None), Duration::from_secs(5));
    }
}
