//! `saltus log`: inspect, filter, merge, convert and repair logs.

mod cat;
mod copy;
mod export;
mod info;
mod input;
mod merge;
mod output;
mod select;

pub(crate) use input::open;
pub(crate) use output::failed;
pub(crate) use select::Times;

use clap::{Args, Subcommand};

use crate::exit::Outcome;
use crate::flags::help;

#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES]))]
pub(crate) struct Log {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show channels, types, counts, rates and damage of logs
    ///
    /// For a log of 16 MiB or more it writes an index next to the log, as NAME.saltus-index, which speeds up the next opening. You
    /// can remove it at any time.
    Info(info::Info),

    /// Print the messages of a log
    Cat(cat::Cat),

    /// Copy messages of a log by channel and time
    ///
    /// Messages keep the order of the file.
    Filter(copy::Filter),

    /// Copy a part of a log by time
    Cut(copy::Cut),

    /// Merge logs in the order of time
    Merge(merge::Merge),

    /// Convert a log to another format
    ///
    /// The name of the output selects its format: .mcap is MCAP; .lcmlog, .lcm, .log and names without an ending are LCM's.
    /// The input may also be a CARMEN log, plain or gzip.
    Convert(copy::Convert),

    /// Copy everything readable of a damaged log
    ///
    /// It reports damage, and completes an MCAP file whose writer was killed. The exit code is 0 even if messages were lost.
    Repair(copy::Repair),

    /// Convert a log to CSV or JSON
    ///
    /// CSV has a row for each message: time, channel, and each field. Each field of a struct has a
    /// column (`pose.x`), and so has each element of an array of fixed size (`x[0]`). An array of variable size is JSON in
    /// one cell. All messages must have one type: select channels with -e. JSON has one object per line, as `log cat --json`
    /// prints it.
    Export(export::Export),
}

const EXAMPLES: &str = "\
Examples:
  saltus log info robot.mcap
  saltus log convert lcmlog-2026-11-20.00 -o robot.mcap -I types
  saltus log cut robot.mcap -o crash.mcap --from 12m --to 13m
  saltus log cat --help                         everything about one command";

pub(crate) fn run(log: Log) -> Outcome {
    match log.command {
        Command::Info(args) => info::run(args),
        Command::Cat(args) => cat::run(args),
        Command::Filter(args) => copy::filter(args),
        Command::Cut(args) => copy::cut(args),
        Command::Merge(args) => merge::run(args),
        Command::Convert(args) => copy::convert(args),
        Command::Repair(args) => copy::repair(args),
        Command::Export(args) => export::run(args),
    }
}
