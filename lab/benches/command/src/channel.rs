//! `saltus bench`: what a message costs on this machine.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use saltus_bench_channel::own::{self, Options};

use crate::out::Out;
use crate::outcome::{Failure, Outcome, say};

/// The options of `bench`.
#[derive(Args)]
pub struct Bench {
    /// Check in a minute that everything runs
    #[arg(long)]
    short: bool,

    /// Measure only this (repeatable)
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = PossibleValuesParser::new(own::scenarios()))]
    scenario: Vec<String>,

    /// Include only this and the reference (repeatable)
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = PossibleValuesParser::new(own::contenders()))]
    contender: Vec<String>,

    /// Repetitions [default: 3; with --short 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    reps: Option<u32>,

    /// Write data, interval logs and a figure into DIR
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Below the help.
pub const EXAMPLES: &str = "\
Examples:
  saltus bench -o bench                      everything, with data, logs and a figure in ./bench
  saltus bench --short                       check that it runs here
  saltus bench --scenario pingpong --contender saltus,pipe,unix-stream
  saltus bench --json | jq 'select(.metric == \"one-way\") | [.contender, .p50_ns, .p99_ns]'
  saltus report bench/paced.hlog --tag all   look closer, at what -o has left";

/// Measures, then prints and writes. Failed measurements are reported; the others are printed.
pub fn run(args: Bench) -> Outcome {
    if let Some(out) = &args.out {
        // Told now, not after some minutes.
        std::fs::create_dir_all(out).map_err(|e| {
            Failure::new(format!("cannot make {}: {e}; name a directory you may write", out.display()))
        })?;
    }
    let options =
        Options { short: args.short, scenarios: args.scenario, contenders: args.contender, reps: args.reps };
    let run = own::run(&options).map_err(|e| Failure::new(e.to_string()))?;
    let mut out = Out::new();
    if args.json {
        run.lines().iter().try_for_each(|line| out.json(line))?;
    } else {
        out.text(&run.tables())?;
    }
    out.flush()?;
    if let Some(dir) = &args.out {
        run.write(dir).map_err(|e| Failure::new(format!("cannot write into {}: {e}", dir.display())))?;
        say(format_args!("data, interval logs and the figure are in {}", dir.display()));
    }
    if run.was_interrupted() {
        say("interrupted: this is what was measured until then");
        return Ok(());
    }
    let broken = run.failed();
    broken.iter().for_each(|why| say(format_args!("failed: {why}")));
    if broken.is_empty() { Ok(()) } else { Err(Failure::Printed) }
}
