//! `saltus types`: check, show and compare types.

mod check;
mod diff;
mod show;

use clap::{Args, Subcommand};
use saltus_channel::Domain;

use crate::failure::Outcome;
use crate::help;

/// The options of `types`.
#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES]))]
pub struct Types {
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
    /// It is looked for in the files, in the directories given with -I, or among those that publishers have left with a
    /// channel.
    Show(show::Show),

    /// Tell how two types differ: what was added, removed, renamed, retyped
    ///
    /// A and B are each FILE:TYPE, or a FILE that has one type, or a TYPE that is found with -I. Ends with exit code 6
    /// when messages of the one cannot be read as the other.
    Diff(diff::Diff),
}

const EXAMPLES: &str = "\
Examples:
  saltus types check types
  saltus types show robot.pose_t -I types
  saltus types diff old/pose.lcm new/pose.lcm
  saltus types show --help                      everything about one of them";

/// Does it.
pub fn run(domain: impl FnOnce() -> saltus_channel::Result<Domain>, types: Types) -> Outcome {
    match types.command {
        Command::Check(args) => check::run(args),
        Command::Show(args) => show::run(domain, args),
        Command::Diff(args) => diff::run(args),
    }
}
