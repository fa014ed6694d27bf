//! `saltus log export`: convert the messages of a log to CSV or JSON.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use saltus_log::edit::{ExportError, Layout, Meanings, export};

use super::input::{Input, warn_of_damage};
use super::select::{Channels, Times, selection};
use crate::exit::{Code, Failure, Outcome, note, unwritable};
use crate::flags::output::Target;
use crate::flags::types;
use crate::flags::{Choices, Force, Quiet, TypeDirs, one_of};
use crate::stop;
use saltus_text::human::plural;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Export {
    /// Log to read (-: standard input)
    #[arg(value_name = "FILE")]
    log: PathBuf,

    /// File to write (-: standard output)
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    out: PathBuf,

    /// Format to write [default: by the ending of --out]
    #[arg(long, value_parser = one_of(LAYOUTS))]
    format: Option<Layout>,

    #[command(flatten)]
    channels: Channels,

    #[command(flatten)]
    times: Times,

    #[command(flatten)]
    dirs: TypeDirs,

    #[command(flatten)]
    force: Force,

    #[command(flatten)]
    quiet: Quiet,
}

/// The output formats.
const LAYOUTS: Choices<Layout> = &[
    ("csv", "A table, one row per message", Layout::Csv),
    ("json", "One JSON object per line", Layout::Json),
];

const EXAMPLES: &str = "\
Examples:
  saltus log export robot.mcap -e POSE -o pose.csv
  saltus log export lcmlog-2026-11-20.00 -I types -e 'ARM_.*' -o arm.jsonl
  saltus log export robot.mcap -e POSE --format csv | head";

/// Writes the selected messages whose types are known.
pub(crate) fn run(args: Export) -> Outcome {
    stop::on_signals()?;
    let selection = selection(&args.channels, &args.times)?;
    let meanings = Meanings::new(types::decoder(None, &args.dirs)?);
    let input = Input::open(&args.log)?;
    let (name, quiet) = (input.name.clone(), args.quiet.quiet);
    let layout = args.layout()?;
    let done = Target::new(&args.out, args.force.force)?.fill(|file| {
        let out = io::BufWriter::new(file);
        let done = input.read(
            quiet,
            |source, progress| export(source, selection, meanings, layout, out, progress),
            |error| failure(&args.out, error),
        )?;
        if stop::requested() {
            return Err(Failure::new(Code::Failed, "interrupted: no output was written"));
        }
        if done.rows == 0 && done.left_out > 0 {
            let words = "no message of known type: name the directory of the type files with -I";
            return Err(Failure::new(Code::Failed, words));
        }
        Ok(done)
    })?;
    warn_of_damage(&name, &done.damage);
    if done.left_out > 0 {
        let left_out = plural(done.left_out, "message");
        note(format_args!("left out {left_out}: unknown type, or damaged"));
    }
    if !quiet {
        note(format_args!("{} written", plural(done.rows, "message")));
    }
    Ok(())
}

impl Export {
    /// The format of `--format`, else by the ending of the output's name.
    fn layout(&self) -> Outcome<Layout> {
        let ending = self.out.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
        match (self.format, ending.as_deref()) {
            (Some(format), _) => Ok(format),
            (None, Some("csv")) => Ok(Layout::Csv),
            (None, Some("json" | "jsonl" | "ndjson")) => Ok(Layout::Json),
            _ => {
                let words = "expected a format: `-o` with a name that ends in .csv or .jsonl, or `--format`";
                Err(Failure::new(Code::Usage, words))
            }
        }
    }
}

fn failure(path: &Path, error: ExportError) -> Failure {
    match error {
        ExportError::Write(e) => unwritable(path, &e),
        ExportError::TwoTypes(one, other) => {
            let words = format!(
                "messages of two types, {one} and {other}, do not fit one table: select channels with -e; `saltus log info` lists their types"
            );
            Failure::new(Code::Usage, words)
        }
    }
}
