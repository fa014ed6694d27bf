//! `saltus log filter`, `cut`, `convert` and `repair`: copy events of a log to a new one.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::Args;
use saltus_log::Damage;
use saltus_log::edit::{Selection, copy};

use super::input::Input;
use super::output::{Log, Writing, failed};
use super::select::{Channels, Times, selection};
use crate::exit::{Code, Failure, Outcome, note, unreadable};
use crate::stop;
use saltus_text::human::plural;

/// The log to read.
#[derive(Args)]
struct From {
    /// Log to read (-: standard input)
    #[arg(value_name = "FILE")]
    input: PathBuf,
}

#[derive(Args)]
#[command(after_help = FILTER)]
pub(crate) struct Filter {
    #[command(flatten)]
    from: From,
    #[command(flatten)]
    channels: Channels,
    #[command(flatten)]
    times: Times,
    #[command(flatten)]
    writing: Writing,
}

const FILTER: &str = "\
Examples:
  saltus log filter robot.lcmlog -o arm.lcmlog -e 'ARM_.*'
  saltus log filter robot.mcap -o small.mcap -v -e CAMERA";

#[derive(Args)]
#[command(after_help = CUT)]
pub(crate) struct Cut {
    #[command(flatten)]
    from: From,
    #[command(flatten)]
    times: Times,
    #[command(flatten)]
    writing: Writing,
}

const CUT: &str = "\
Examples:
  saltus log cut robot.mcap -o minute.mcap --from 2m --to 3m
  saltus log cut robot.mcap -o rest.mcap --from @1700000000";

#[derive(Args)]
#[command(after_help = CONVERT)]
pub(crate) struct Convert {
    #[command(flatten)]
    from: From,
    #[command(flatten)]
    writing: Writing,
}

const CONVERT: &str = "\
Examples:
  saltus log convert robot.lcmlog -o robot.mcap -I types
  saltus log convert robot.mcap -o robot.lcmlog
  saltus log convert intel.log.gz -o intel.mcap";

#[derive(Args)]
#[command(after_help = REPAIR)]
pub(crate) struct Repair {
    #[command(flatten)]
    from: From,
    #[command(flatten)]
    writing: Writing,
}

const REPAIR: &str = "\
Examples:
  saltus log repair broken.mcap -o whole.mcap
  saltus log repair broken.lcmlog -o whole.lcmlog";

/// Copies the selected messages.
pub(crate) fn filter(args: Filter) -> Outcome {
    copy_log(&args.from, &args.writing, selection(&args.channels, &args.times)?)
}

/// Copies a part.
pub(crate) fn cut(args: Cut) -> Outcome {
    args.times.some()?;
    copy_log(&args.from, &args.writing, selection(&Channels::default(), &args.times)?)
}

/// Copies all.
pub(crate) fn repair(args: Repair) -> Outcome {
    copy_log(&args.from, &args.writing, Selection::all())
}

/// Copies all messages, also those of a CARMEN log.
pub(crate) fn convert(args: Convert) -> Outcome {
    let input = Input::open(&args.from.input)?;
    if input.source.format().is_none() && saltus_carmen::Log::looks_like(input.source.beginning()) {
        return args.writing.write(|log| carmen(input, args.writing.path(), log));
    }
    copy_log(&args.from, &args.writing, Selection::all())
}

fn copy_log(from: &From, writing: &Writing, selection: Selection<'_>) -> Outcome {
    let input = Input::open(&from.input)?;
    input.check()?;
    let same = |path: &Path| std::fs::canonicalize(path).ok();
    if same(&from.input).is_some_and(|path| same(writing.path()) == Some(path)) {
        let words = "cannot write a log over itself: name another file with -o";
        return Err(Failure::new(Code::Usage, words));
    }
    let name = input.name.clone();
    writing.write(|log| {
        let damage = input.read(
            writing.quiet(),
            |source, progress| copy(source, selection, log, progress),
            |error| failed(writing.path(), error),
        )?;
        Ok(vec![(name, damage)])
    })
}

fn carmen(input: Input, path: &Path, log: &mut Log<'_>) -> Outcome<Vec<(String, Damage)>> {
    let name = input.name;
    let bytes = BufReader::new(input.source.into_bytes());
    let mut carmen = saltus_carmen::Log::read(bytes).map_err(|e| unreadable(&name, &e))?;
    let summary = saltus_carmen::events(&mut carmen, |event| {
        log.add(event).map_err(|e| failed(path, e))?;
        Ok::<_, Failure>(!stop::requested())
    })?;
    if summary.events == 0 {
        let words = format!("`{name}` is not a log: expected one of LCM, MCAP or CARMEN");
        return Err(Failure::new(Code::Failed, words));
    }
    if summary.broken > 0 {
        let lines = plural(summary.broken, "malformed line");
        note(format_args!("{name}: left out {lines}; `saltus import carmen` lists them"));
    }
    Ok(Vec::new())
}
