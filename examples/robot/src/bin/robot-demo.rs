//! `robot-demo`: the demo without the `saltus` command, with the same options.

use std::process::ExitCode;

use saltus_robot::demo::{self, DemoOptions};
use saltus_robot::{Error, role_main};

const USAGE: &str = "usage: robot-demo [--seconds N] [--chaos] [--seed N] [--no-control] [--lidar FILE] \
                     [--speed X] [--domain URL] [--json] [--report]";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let rest: Vec<String> = match args.next() {
        Some(first) if first == "demo-process" => {
            let role = args.next().unwrap_or_default();
            let args: Vec<String> = args.collect();
            return ExitCode::from(role_main(&role, &args) as u8);
        }
        first => first.into_iter().chain(args).collect(),
    };
    match options(rest.into_iter()).ok_or_else(|| Error::Usage(USAGE.into())).and_then(|o| demo::run(&o)) {
        Ok(code) => ExitCode::from(code),
        Err(e) => {
            eprintln!("robot-demo: {e}");
            ExitCode::from(if matches!(e, Error::Usage(_)) { 2 } else { 1 })
        }
    }
}

/// Reads the options; `None` if they cannot be read.
fn options(mut args: impl Iterator<Item = String>) -> Option<DemoOptions> {
    let mut options = DemoOptions::default();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--chaos" => options.chaos = true,
            "--no-control" => options.no_control = true,
            "--report" => options.full = true,
            "--json" => options.json = true,
            "--seconds" => options.seconds = Some(args.next()?.parse().ok()?),
            "--seed" => options.seed = Some(args.next()?.parse().ok()?),
            "--speed" => options.speed = args.next()?.parse().ok()?,
            "--lidar" => options.lidar = Some(args.next()?.into()),
            "--domain" => options.domain = Some(args.next()?),
            _ => return None,
        }
    }
    Some(options)
}
