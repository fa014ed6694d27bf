//! `saltus types`: check, show and compare types.

mod check;
mod diff;
mod show;

use clap::{Args, Subcommand};
use saltus_channel::Directory;

use crate::exit::Outcome;
use crate::flags::help;

#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES]))]
pub(crate) struct Types {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check type files
    ///
    /// It prints the errors and warnings of all files, with lines and remedies. It searches a directory
    /// recursively for .lcm files.
    Check(check::Check),

    /// Show the fields, comments, fingerprint and sizes of a type
    ///
    /// It searches for the struct or enum in the files and in the directories of -I, or, with --channel, among the types that
    /// publishers stored with a channel. With --channel and without TYPE it shows all of these.
    Show(show::Show),

    /// Compare two types, or all types of two files
    ///
    /// The exit code is 6 if a reader of one type cannot read messages of the other.
    Diff(diff::Diff),
}

const EXAMPLES: &str = "\
Examples:
  saltus types check types
  saltus types show robot.pose_t -I types
  saltus types diff old/pose.lcm new/pose.lcm
  saltus types show --help                      everything about one of them";

pub(crate) fn run(domain: impl FnOnce() -> Outcome<Directory>, types: Types) -> Outcome {
    match types.command {
        Command::Check(args) => check::run(args),
        Command::Show(args) => show::run(domain, args),
        Command::Diff(args) => diff::run(args),
    }
}
