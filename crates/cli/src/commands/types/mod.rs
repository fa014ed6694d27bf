//! `saltus types`: check, show and compare types.

mod check;
mod declared;
mod diff;
mod enumeration;
mod show;

use clap::{Args, Subcommand};
use saltus_channel::Domain;

use crate::exit::Outcome;
use crate::flags::help;

/// The options of `types`.
#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES]))]
pub(crate) struct Types {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

/// The commands below it.
#[derive(Subcommand)]
enum Command {
    /// Check type files: all errors of all files at once
    ///
    /// Each is shown with its file, its line and what to do. Warnings are shown too, and end well. Of a directory all
    /// .lcm files are read, and those below it.
    Check(check::Check),

    /// Tell everything about a type: fields, dimensions, comments, fingerprint, sizes
    ///
    /// It is a struct or an enum, and is looked for in the files, in the directories given with -I, or among those that
    /// publishers have left with a channel. With --channel and no type, all that were left are listed.
    Show(show::Show),

    /// Tell how two types differ: what was added, removed, renamed, retyped
    ///
    /// A and B are each a FILE, FILE:TYPE, or a TYPE that is found with -I. Of two files with several types all are
    /// compared, by their names. Ends with exit code 6 when messages of the one cannot be read as the other.
    Diff(diff::Diff),
}

const EXAMPLES: &str = "\
Examples:
  saltus types check types
  saltus types show robot.pose_t -I types
  saltus types diff old/pose.lcm new/pose.lcm
  saltus types show --help                      everything about one of them";

/// Does it.
pub(crate) fn run(domain: impl FnOnce() -> Outcome<Domain>, types: Types) -> Outcome {
    match types.command {
        Command::Check(args) => check::run(args),
        Command::Show(args) => show::run(domain, args),
        Command::Diff(args) => diff::run(args),
    }
}
