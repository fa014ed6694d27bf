//! `saltus log filter`, `cut`, `convert` and `repair`: a log of the events of another.

use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;
use saltus_carmen::typed::SCHEMA;
use saltus_log::{Damage, Event, Format, Reader};

use super::input::Input;
use super::output::{Log, Writing};
use super::select::{Channels, Selection, Times};
use crate::commands::import::Converter;
use crate::failure::{Code, Failure, Outcome, say};
use crate::human::plural;
use crate::stop;

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
pub struct Filter {
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
  saltus log filter robot.lcmlog arm.lcmlog -c 'ARM_.*'
  saltus log filter robot.mcap small.mcap -c CAMERA -i";

/// The options of `log cut`.
#[derive(Args)]
#[command(after_help = CUT)]
pub struct Cut {
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
pub struct Convert {
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
pub struct Repair {
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
pub fn filter(args: Filter) -> Outcome {
    copy(args.files, &args.writing, Selection::new(&args.channels, args.times)?)
}

/// Copies a part.
pub fn cut(args: Cut) -> Outcome {
    let selection = Selection::new(&Channels::default(), args.times.some()?)?;
    copy(args.files, &args.writing, selection)
}

/// Copies all.
pub fn repair(args: Repair) -> Outcome {
    copy(args.files, &args.writing, Selection::new(&Channels::default(), Times::default())?)
}

/// Copies all, also of a CARMEN log.
pub fn convert(args: Convert) -> Outcome {
    let input = Input::open(&args.files.input)?;
    if input.is_carmen() {
        return args.writing.write(&args.files.output, |log| carmen(input, log));
    }
    repair(Repair { files: args.files, writing: args.writing })
}

fn copy(files: Files, writing: &Writing, mut selection: Selection) -> Outcome {
    let input = Input::open(&files.input)?;
    if input.format().is_none() {
        return Err(input.no_log());
    }
    let same = |path: &PathBuf| std::fs::canonicalize(path).ok();
    if same(&files.input).is_some_and(|path| same(&files.output) == Some(path)) {
        let words = "the log would be written over itself: name another file";
        return Err(Failure::new(Code::Usage, words));
    }
    let name = input.name.clone();
    writing.write(&files.output, |log| {
        let add = |event: &Event<'_>| {
            if selection.takes(event) {
                log.add(event)?;
            }
            Ok(true)
        };
        let (_, rest) = input.each(writing.quiet(), add)?;
        log.metadata(&rest.metadata)?;
        Ok(vec![(name, rest.damage)])
    })
}

fn carmen(input: Input, log: &mut Log<'_>) -> Outcome<Vec<(String, Damage)>> {
    let name = input.name.clone();
    let failed = |e: std::io::Error| Failure::new(Code::Failed, format!("cannot read {name}: {e}"));
    let mut carmen = saltus_carmen::Log::read(BufReader::new(input.into_bytes())).map_err(failed)?;
    for name in ["carmen.laser_t", "carmen.pose_t", "carmen.odometry_t"] {
        log.types().learn(name, SCHEMA);
    }
    // The importer makes a log of LCM, which is read again piece by piece.
    let (mut converter, mut reader, mut bytes) = (Converter::default(), Reader::new(Format::Lcm), Vec::new());
    while let Some(entry) = carmen.next_entry() {
        converter.add(entry, &mut bytes);
        reader.feed(&bytes);
        bytes.clear();
        while let Some(event) = reader.event() {
            log.add(&event)?;
        }
        if stop::requested() {
            break;
        }
    }
    let summary = converter.summary();
    if summary.events == 0 {
        return Err(Failure::new(
            Code::Failed,
            format!("{name} is no log: it has no event of LCM, MCAP or CARMEN"),
        ));
    }
    if summary.broken > 0 {
        let lines = plural(summary.broken, "line");
        say(format_args!("{name}: {lines} broken and left out; `saltus import carmen` tells which"));
    }
    Ok(Vec::new())
}
