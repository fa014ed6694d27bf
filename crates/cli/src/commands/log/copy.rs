//! `saltus log filter`, `cut`, `convert` and `repair`: a log of the events of another.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::Args;
use saltus_carmen::typed::SCHEMA;
use saltus_log::Damage;
use saltus_log::edit::{Selection, copy};

use super::input::Input;
use super::output::{Log, Writing, unwritable};
use super::select::{Channels, Times, selection};
use crate::exit::{Code, Failure, Outcome, say};
use crate::stop;
use saltus_text::human::plural;

/// From where to where.
#[derive(Args)]
struct Files {
    /// The log; - is standard input
    input: PathBuf,

    /// Where to write; its ending tells the format; - is standard output, as a log of LCM
    output: PathBuf,
}

/// The options of `log filter`.
#[derive(Args)]
#[command(after_help = FILTER)]
pub(crate) struct Filter {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    channels: Channels,
    #[command(flatten)]
    times: Times,
    #[command(flatten)]
    writing: Writing,
}

const FILTER: &str = "\
Examples:
  saltus log filter robot.lcmlog arm.lcmlog -e 'ARM_.*'
  saltus log filter robot.mcap small.mcap -v -e CAMERA";

/// The options of `log cut`.
#[derive(Args)]
#[command(after_help = CUT)]
pub(crate) struct Cut {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    times: Times,
    #[command(flatten)]
    writing: Writing,
}

const CUT: &str = "\
Examples:
  saltus log cut robot.mcap minute.mcap --from 2m --to 3m
  saltus log cut robot.mcap rest.mcap --from @1700000000";

/// The options of `log convert`.
#[derive(Args)]
#[command(after_help = CONVERT)]
pub(crate) struct Convert {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    writing: Writing,
}

const CONVERT: &str = "\
Examples:
  saltus log convert robot.lcmlog robot.mcap -I types
  saltus log convert robot.mcap robot.lcmlog
  saltus log convert intel.log.gz intel.mcap";

/// The options of `log repair`.
#[derive(Args)]
#[command(after_help = REPAIR)]
pub(crate) struct Repair {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    writing: Writing,
}

const REPAIR: &str = "\
Examples:
  saltus log repair broken.mcap whole.mcap
  saltus log repair broken.lcmlog whole.lcmlog";

/// Copies what is chosen.
pub(crate) fn filter(args: Filter) -> Outcome {
    copy_log(args.files, &args.writing, selection(&args.channels, &args.times)?)
}

/// Copies a part.
pub(crate) fn cut(args: Cut) -> Outcome {
    args.times.some()?;
    copy_log(args.files, &args.writing, selection(&Channels::default(), &args.times)?)
}

/// Copies all.
pub(crate) fn repair(args: Repair) -> Outcome {
    copy_log(args.files, &args.writing, Selection::all())
}

/// Copies all, also of a CARMEN log.
pub(crate) fn convert(args: Convert) -> Outcome {
    let input = Input::open(&args.files.input)?;
    if input.source.format().is_none() && saltus_carmen::Log::looks_like(input.source.beginning()) {
        return args.writing.write(&args.files.output, |log| carmen(input, &args.files.output, log));
    }
    repair(Repair { files: args.files, writing: args.writing })
}

fn copy_log(files: Files, writing: &Writing, selection: Selection<'_>) -> Outcome {
    let input = Input::open(&files.input)?;
    input.check()?;
    let same = |path: &PathBuf| std::fs::canonicalize(path).ok();
    if same(&files.input).is_some_and(|path| same(&files.output) == Some(path)) {
        let words = "the log would be written over itself: name another file";
        return Err(Failure::new(Code::Usage, words));
    }
    let name = input.name.clone();
    writing.write(&files.output, |log| {
        let damage = input.read(
            writing.quiet(),
            |source, progress| copy(source, selection, log, progress),
            |error| unwritable(&files.output, error),
        )?;
        Ok(vec![(name, damage)])
    })
}

fn carmen(input: Input, path: &Path, log: &mut Log<'_>) -> Outcome<Vec<(String, Damage)>> {
    let name = input.name;
    let failed = |e: std::io::Error| Failure::new(Code::Failed, format!("cannot read {name}: {e}"));
    let bytes = BufReader::new(input.source.into_bytes());
    let mut carmen = saltus_carmen::Log::read(bytes).map_err(failed)?;
    for name in ["carmen.laser_t", "carmen.pose_t", "carmen.odometry_t"] {
        log.types().learn(name, SCHEMA);
    }
    let summary = saltus_carmen::events(&mut carmen, |event| {
        log.add(event).map_err(|e| unwritable(path, e))?;
        Ok::<_, Failure>(!stop::requested())
    })?;
    if summary.events == 0 {
        let words = format!("{name} is no log: it has no event of LCM, MCAP or CARMEN");
        return Err(Failure::new(Code::Failed, words));
    }
    if summary.broken > 0 {
        let lines = plural(summary.broken, "line");
        say(format_args!("{name}: {lines} broken and left out; `saltus import carmen` tells which"));
    }
    Ok(Vec::new())
}
