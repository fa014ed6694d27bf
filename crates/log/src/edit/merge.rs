//! `saltus log merge`: several logs as one, in the order of time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::PathBuf;

use clap::Args;
use saltus_log::{Error, Log};

use super::open;
use super::output::Writing;
use crate::escape::harmless;
use crate::failure::{Code, Failure, Outcome};
use crate::progress::Progress;
use crate::stop;

/// The options of `log merge`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Merge {
    /// The logs
    #[arg(required = true)]
    inputs: Vec<PathBuf>,

    /// Where to write; its ending tells the format
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,

    #[command(flatten)]
    writing: Writing,
}

const EXAMPLES: &str = "\
Examples:
  saltus log merge robot.mcap base.lcmlog -o both.mcap
  saltus log merge lcmlog-2026-11-20.* -o day.mcap -I types";

/// Puts them together.
pub fn run(args: Merge) -> Outcome {
    stop::on_signals()?;
    let quiet = args.writing.quiet();
    let interrupted = || Failure::new(Code::Failed, "interrupted: nothing was kept of it");
    let opened = args.inputs.iter().map(|path| open(path, quiet)).collect::<Outcome<Vec<Log>>>();
    let mut logs = opened.map_err(|failure| if stop::requested() { interrupted() } else { failure })?;
    let name = |i: usize| harmless(&args.inputs[i].display().to_string());
    args.writing.write(&args.out, |out| {
        let total: u64 = logs.iter().map(Log::len).sum();
        let mut progress = Progress::new(total, quiet);
        let mut heap = BinaryHeap::new();
        for (i, log) in logs.iter_mut().enumerate() {
            heap.extend(log.mark(0).map_err(|e| broken(&name(i), &e))?.map(|mark| Reverse((mark.time, i))));
        }
        let mut damages: Vec<_> = logs.iter().enumerate().map(|(i, log)| (name(i), log.damage())).collect();
        let mut done = 0;
        while let Some(Reverse((_, i))) = heap.pop() {
            if stop::requested() {
                break;
            }
            let log = &mut logs[i];
            match log.next() {
                Ok(Some(event)) => out.add(&event)?,
                Ok(None) => {}
                Err(Error::Undecodable { .. }) => damages[i].1.undecodable += 1,
                Err(error) => return Err(broken(&name(i), &error)),
            }
            let next = log.mark(log.position()).map_err(|e| broken(&name(i), &e))?;
            heap.extend(next.map(|mark| Reverse((mark.time, i))));
            done += 1;
            progress.draw(done);
        }
        progress.clear();
        for log in &logs {
            out.metadata(&log.summary().metadata)?;
        }
        Ok(damages)
    })
}

fn broken(name: &str, error: &Error) -> Failure {
    Failure::new(Code::Failed, format!("cannot read {name}: {error}"))
}
