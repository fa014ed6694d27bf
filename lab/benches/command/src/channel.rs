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
    /// Less than a minute, which shows that everything runs; the figures mean little
    #[arg(long)]
    short: bool,

    /// Only this; may be given several times
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = PossibleValuesParser::new(own::scenarios()))]
    scenario: Vec<String>,

    /// Only this, beside the reference; may be given several times
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = PossibleValuesParser::new(own::contenders()))]
    contender: Vec<String>,

    /// How often everything is measured [default: 3; with --short 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    reps: Option<u32>,

    /// Write the data (JSON), an interval log for each scenario and a figure (SVG) into this directory, which is made
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
  saltus bench --short                       does it run here?
  saltus bench --scenario pingpong --contender saltus,pipe,unix-stream
  saltus bench --json | jq 'select(.metric == \"one-way\") | [.contender, .p50_ns, .p99_ns]'
  saltus report bench/paced.hlog --tag all   look closer, at what -o has left";

/// Measures, then prints and writes. What could not be measured is told; the rest is printed all the same.
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
