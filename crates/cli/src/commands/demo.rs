//! `saltus demo`: the balancing robot, and the processes that it is made of.

use std::path::PathBuf;

use clap::Args;
use saltus_robot::demo::{self, DemoOptions};

use crate::exit::{Code, Failure, Outcome};
use crate::flags::Json;

/// The options of `demo`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Demo {
    /// How long, in seconds [default: 20; with --lidar as long as the log]
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,

    /// Kill and freeze processes at random, several a second
    #[arg(long)]
    chaos: bool,

    /// Start no balance controller: the robot falls, and the exit code is 1
    #[arg(long)]
    no_control: bool,

    /// Publish the scans of a CARMEN log, plain or gzip, instead of a simulated room
    #[arg(long, value_name = "FILE")]
    lidar: Option<PathBuf>,

    /// How much faster than recorded the log is played
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    speed: f64,

    /// Which random numbers; the report tells those of a run without it
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Print the full report
    #[arg(long)]
    report: bool,

    #[command(flatten)]
    json: Json,
}

/// What the supervisor starts its children with.
#[derive(Args)]
pub(crate) struct DemoProcess {
    /// Which of the robot's programs
    role: String,

    /// Its arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  saltus demo                           twenty seconds
  saltus demo --chaos --seconds 600     ten minutes of kills and freezes
  saltus demo --no-control              see it fall
  saltus demo --lidar scans.log.gz --speed 10
  saltus --domain shm://robot demo      watch: saltus --domain shm://robot stat";

/// Runs the robot in the domain that was asked for, or in one of its own. The report tells why it failed, if it did.
pub(crate) fn run(domain: Option<String>, demo: Demo) -> Outcome {
    let options = DemoOptions {
        seconds: demo.seconds,
        chaos: demo.chaos,
        seed: demo.seed,
        no_control: demo.no_control,
        lidar: demo.lidar,
        speed: demo.speed,
        json: demo.json.json,
        full: demo.report,
        domain,
    };
    match demo::run(&options) {
        Ok(0) => Ok(()),
        Ok(_) => Err(Failure::Known(Code::Failed)),
        Err(saltus_robot::Error::Channel(error)) => Err(error.into()),
        Err(error @ saltus_robot::Error::Usage(_)) => Err(Failure::new(Code::Usage, error.to_string())),
        Err(error) => Err(Failure::new(Code::Failed, error.to_string())),
    }
}

/// Is one of the robot's processes, which tells its own errors.
pub(crate) fn process(process: DemoProcess) -> Outcome {
    match saltus_robot::role_main(&process.role, &process.arguments) {
        0 => Ok(()),
        2 => Err(Failure::Known(Code::Usage)),
        _ => Err(Failure::Known(Code::Failed)),
    }
}
