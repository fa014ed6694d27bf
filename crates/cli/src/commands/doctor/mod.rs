//! `saltus doctor`: find causes of latency on this machine, and suggest fixes.

mod clean;
mod show;

use std::time::Duration;

use clap::Args;
use saltus_doctor::checks::{self, ALL};
use saltus_doctor::{Check, Host, Looked, State, script};
use saltus_domain::{Error, Scheme};
use saltus_measure::lateness::{self, Lateness};

use crate::exit::{Code, Failure, Outcome};
use crate::flags::domain;
use crate::flags::{Json, RunTime};
use crate::print::out::Out;
use crate::stop;

/// The options of `doctor`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Doctor {
    /// Explain the check ID and show its result
    #[arg(long, value_name = "ID", conflicts_with_all = ["fix_script", "clean"])]
    explain: Option<String>,

    /// Print a shell script that fixes what it can
    ///
    /// Read it before you run it as root. doctor does not measure then.
    #[arg(long, conflicts_with_all = ["json", "clean"])]
    fix_script: bool,

    /// Remove channels that no living process uses, after asking
    #[arg(long, conflicts_with = "json")]
    clean: bool,

    /// Do not ask (requires --clean)
    #[arg(long, requires = "clean")]
    yes: bool,

    /// Skip the measurement
    #[arg(long)]
    no_meter: bool,

    #[command(flatten)]
    time: RunTime,

    #[command(flatten)]
    json: Json,
}

/// Duration of the measurement, unless --duration is given.
const METER: Duration = Duration::from_secs(10);

const EXAMPLES: &str = "\
Examples:
  saltus doctor                       check, then measure for ten seconds
  saltus doctor --no-meter --json | jq '.checks[] | select(.state != \"ok\")'
  saltus doctor --explain mem.shm
  saltus doctor --fix-script > fix.sh   read it, then sudo sh fix.sh
  saltus doctor --clean               remove unused channels, after asking";

/// Checks, prints, and measures.
pub(crate) fn run(url: Option<&str>, args: Doctor) -> Outcome {
    if args.clean {
        return clean::run(
            &domain::shm_only(url, "doctor --clean", "it keeps no channels to remove")?,
            args.yes,
        );
    }
    // Domains of other kinds have nothing to check; the machine is the same.
    let shm = url.filter(|url| match Scheme::of(url) {
        Ok(scheme) => scheme.traits.shared_memory,
        Err(e) => matches!(e, Error::Invalid { .. }),
    });
    let domain = domain::shm_only(shm, "doctor", "")?;
    let wanted: Vec<&'static Check> = match &args.explain {
        Some(id) => vec![checks::find(id).ok_or_else(|| unknown(id))?],
        None => ALL.iter().collect(),
    };
    stop::on_signals()?;
    stop::when_output_closes();
    let host = Host::here(&domain);
    let looked: Vec<Looked> = wanted.into_iter().map(|check| (check, check.run(&host))).collect();
    let mut out = Out::new()?;
    if args.fix_script {
        out.bytes(script(looked.iter().map(|(check, finding)| (*check, finding))).as_bytes())?;
        return out.flush();
    }
    let measure = !args.no_meter && args.explain.is_none();
    let fifo = realtime(&looked);
    if args.json.json {
        let measured = measure.then(|| lateness(args.time.duration.unwrap_or(METER), fifo)).transpose()?;
        show::json(&mut out, &domain, &looked, measured)?;
    } else if args.explain.is_some() {
        looked.iter().flat_map(saltus_doctor::explained).try_for_each(|line| out.line(line))?;
    } else {
        saltus_doctor::table(&looked).iter().try_for_each(|line| out.line(line))?;
        out.flush()?;
        if measure {
            let measured = lateness(args.time.duration.unwrap_or(METER), fifo)?;
            out.line(measured.words())?;
        }
    }
    out.flush()?;
    outcome(&looked)
}

/// Measures how late a thread wakes.
fn lateness(time: Duration, fifo: bool) -> Outcome<Lateness> {
    lateness::measure(time, fifo)
        .map_err(|e| Failure::new(Code::Failed, format!("cannot start the meter: {e}")))
}

/// A problem has its own exit code.
fn outcome(looked: &[Looked]) -> Outcome {
    match looked.iter().any(|(_, finding)| finding.state == State::Problem) {
        true => Err(Failure::Reported(Code::Unfit)),
        false => Ok(()),
    }
}

/// Whether this user may run real-time threads with locked memory.
fn realtime(looked: &[Looked]) -> bool {
    looked.iter().any(|(check, finding)| check.id == "rt.limits" && finding.state == State::Ok)
}

fn unknown(id: &str) -> Failure {
    let all: Vec<&str> = ALL.iter().map(|check| check.id).collect();
    Failure::new(Code::Usage, format!("no check `{id}`: expected one of {}", all.join(", ")))
}
