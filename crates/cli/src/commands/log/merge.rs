//! `saltus log merge`: merge logs in the order of time.

use std::path::PathBuf;

use clap::Args;
use saltus_log::Log;
use saltus_log::edit::{MergeError, merge};

use super::input::open;
use super::output::{Writing, failed};
use crate::exit::{Code, Failure, Outcome, unreadable};
use crate::print::progress::Progress;
use crate::stop;
use saltus_text::escape::harmless;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Merge {
    /// Logs to merge
    #[arg(required = true, value_name = "FILE")]
    inputs: Vec<PathBuf>,

    #[command(flatten)]
    writing: Writing,
}

const EXAMPLES: &str = "\
Examples:
  saltus log merge robot.mcap base.lcmlog -o both.mcap
  saltus log merge lcmlog-2026-11-20.* -o day.mcap -I types";

pub(crate) fn run(args: Merge) -> Outcome {
    stop::on_signals()?;
    let quiet = args.writing.quiet();
    let interrupted = || Failure::new(Code::Failed, "interrupted: no output was written");
    let opened = args.inputs.iter().map(|path| open(path, quiet)).collect::<Outcome<Vec<Log>>>();
    let mut logs = opened.map_err(|failure| if stop::requested() { interrupted() } else { failure })?;
    let name = |i: usize| harmless(&args.inputs[i].display().to_string());
    args.writing.write(|out| {
        let mut bar = Progress::new(logs.iter().map(Log::len).sum(), quiet);
        let damages = merge(&mut logs, out, |done| {
            bar.draw(done);
            !stop::requested()
        });
        bar.clear();
        let damages = damages.map_err(|error| match error {
            MergeError::Read(i, saltus_log::Error::Io(_, e)) => unreadable(name(i), &e),
            MergeError::Read(i, e) => Failure::new(Code::Failed, format!("cannot read `{}`: {e}", name(i))),
            MergeError::Write(e) => failed(args.writing.path(), e),
        })?;
        Ok(damages.into_iter().enumerate().map(|(i, damage)| (name(i), damage)).collect())
    })
}
