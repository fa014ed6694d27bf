//! `saltus demo`: runs the balancing robot, or one of its processes.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use saltus_robot::demo::{self, DemoOptions};

use crate::exit::{Code, Failure, Outcome, readable};
use crate::flags::{Json, RunTime};

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Demo {
    #[command(flatten)]
    time: RunTime,

    /// Kill and freeze processes at random, several per second
    #[arg(long)]
    chaos: bool,

    /// Start no controller: the robot falls, and the exit code is 1
    #[arg(long)]
    no_control: bool,

    /// Publish the laser scans of a CARMEN log
    #[arg(long, value_name = "FILE")]
    lidar: Option<PathBuf>,

    /// Playback speed
    #[arg(short, long, value_name = "N", default_value = "1")]
    speed: f64,

    /// Seed of the random numbers, from an earlier report
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Serve a page to browsers and print its URL
    #[arg(long)]
    web: bool,

    /// Address and port to listen on (requires --web)
    ///
    /// Browsers on other machines need the token in the URL.
    #[arg(long, value_name = "ADDR:PORT", requires = "web", default_value = "127.0.0.1:8760")]
    listen: SocketAddr,

    /// Print the full report
    #[arg(long)]
    report: bool,

    #[command(flatten)]
    json: Json,
}

/// The options with which the supervisor starts its child processes.
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
  saltus demo --chaos --duration 10m    ten minutes of kills and freezes
  saltus demo --no-control              watch it fall
  saltus demo --web --duration 10m      in a browser, with plots
  saltus demo --lidar scans.log.gz --speed 10
  saltus --domain shm://robot demo      watch: saltus --domain shm://robot stat";

/// Runs the robot in the given domain, or in a temporary one. The report has the reason of a failure.
pub(crate) fn run(domain: Option<String>, demo: Demo) -> Outcome {
    demo.lidar.iter().try_for_each(|log| readable(log))?;
    let options = DemoOptions {
        seconds: demo.time.duration.map(|time| time.as_secs_f64()),
        chaos: demo.chaos,
        seed: demo.seed,
        no_control: demo.no_control,
        lidar: demo.lidar,
        speed: demo.speed,
        json: demo.json.json,
        full: demo.report,
        page: demo
            .web
            .then(|| ["spy", "--web", "--listen", &demo.listen.to_string()].map(String::from).to_vec()),
        domain,
    };
    match demo::run(&options) {
        Ok(0) => Ok(()),
        Ok(_) => Err(Failure::Reported(Code::Failed)),
        Err(saltus_robot::Error::Channel(error)) => Err(error.into()),
        Err(error @ saltus_robot::Error::Usage(_)) => Err(Failure::new(Code::Usage, error.to_string())),
        Err(error) => Err(Failure::new(Code::Failed, error.to_string())),
    }
}

/// Runs one of the robot's processes, which prints its own errors.
pub(crate) fn process(process: DemoProcess) -> Outcome {
    match saltus_robot::role_main(&process.role, &process.arguments) {
        0 => Ok(()),
        2 => Err(Failure::Reported(Code::Usage)),
        _ => Err(Failure::Reported(Code::Failed)),
    }
}
