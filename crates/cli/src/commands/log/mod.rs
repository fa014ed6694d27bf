//! `saltus log`: look into logs, and make others of them.

mod cat;
mod copy;
mod export;
mod info;
mod input;
mod merge;
mod output;
mod select;

pub(crate) use input::open;

use clap::{Args, Subcommand};

use crate::exit::Outcome;
use crate::flags::help;

/// The options of `log`.
#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES]))]
pub(crate) struct Log {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

/// The commands.
#[derive(Subcommand)]
enum Command {
    /// Tell what is in a log: channels, types, counts, rates, damage
    ///
    /// For a log of 16 MiB or more an index is left beside it, as NAME.saltus-index, so that the next look is quick; it
    /// may be removed at any time.
    Info(info::Info),

    /// Print the messages of a log, as echo does
    Cat(cat::Cat),

    /// Copy some messages of a log: by channel, by time
    ///
    /// Events stay in the order of the file.
    Filter(copy::Filter),

    /// Copy a part of a log: from a time, to a time
    Cut(copy::Cut),

    /// Put several logs together, in the order of time
    Merge(merge::Merge),

    /// Write a log in another format
    ///
    /// Formats are told by the names: .mcap is MCAP; .lcmlog, .lcm, .log, and a name without an ending are LCM's log. What is
    /// read is told by its first bytes; it may also be a CARMEN log, plain or gzip.
    Convert(copy::Convert),

    /// Copy all that can be read of a damaged log
    ///
    /// What could not be read is told. An MCAP file whose writer was killed gets its summary. The exit code is 0 whatever was
    /// lost.
    Repair(copy::Repair),

    /// Write the messages of a log as a table or as JSON
    ///
    /// CSV has a line for each message: time, channel, and each field. Fields of structs are columns of their own
    /// (`pose.x`), so are elements of arrays of fixed size (`x[0]`); an array of variable size is JSON in one cell. All
    /// messages must be of one type: -c takes a channel. JSON has an object a line, as `log cat --json` prints it.
    Export(export::Export),
}

const EXAMPLES: &str = "\
Examples:
  saltus log info robot.mcap
  saltus log convert lcmlog-2026-11-20.00 robot.mcap -I types
  saltus log cut robot.mcap crash.mcap --from 12m --to 13m
  saltus log cat --help                         everything about one of them";

/// Does it.
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
