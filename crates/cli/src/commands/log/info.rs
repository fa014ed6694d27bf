//! `saltus log info`: show the contents of logs.

use std::path::PathBuf;

use clap::Args;
use saltus_printer::LogLine;

use super::input::open;
use crate::exit::{Code, Failure, Outcome, note};
use crate::flags::types;
use crate::flags::{Json, TypeDirs};
use crate::print::out::Out;
use crate::stop;
use saltus_text::human::plural;

/// The options of `log info`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Info {
    /// Logs to read
    #[arg(required = true, value_name = "FILE")]
    logs: Vec<PathBuf>,

    #[command(flatten)]
    dirs: TypeDirs,

    #[command(flatten)]
    json: Json,
}

const EXAMPLES: &str = "\
Examples:
  saltus log info robot.mcap
  saltus log info lcmlog-2026-11-20.00 -I types
  saltus log info robot.mcap --json | jq '.channels[].name'";

/// Prints the contents of each log.
pub(crate) fn run(args: Info) -> Outcome {
    stop::on_signals()?;
    let types = types::types(&args.dirs)?;
    let mut out = Out::new()?;
    let mut unknown = 0;
    for (i, path) in args.logs.iter().enumerate() {
        let mut log = open(path, args.json.json)?;
        let line = LogLine::of(path, &mut log, &types);
        let line = line.map_err(|e| Failure::new(Code::Failed, e.to_string()))?;
        unknown += line.unknown();
        if args.json.json {
            out.json(&line)?;
        } else {
            if i > 0 {
                out.line("")?;
            }
            line.words(&log).iter().try_for_each(|words| out.line(words))?;
        }
    }
    out.flush()?;
    if unknown > 0 && !args.json.json {
        let channels = plural(unknown, "channel");
        note(format_args!("unknown type on {channels} (?? above): {}", types::UNKNOWN));
    }
    Ok(())
}
