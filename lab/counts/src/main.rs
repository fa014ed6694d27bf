//! Counts the instructions of a message's way, and compares them with a committed record: see README.md.

#[cfg(target_arch = "x86_64")]
mod operation;
#[cfg(target_arch = "x86_64")]
mod operations;
#[cfg(target_arch = "x86_64")]
mod outcome;
#[cfg(target_arch = "x86_64")]
mod record;
#[cfg(target_arch = "x86_64")]
mod stepper;

use std::process::ExitCode;

#[cfg(target_arch = "x86_64")]
fn main() -> ExitCode {
    match record::run(&clap::Parser::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("saltus-counts: {why}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn main() -> ExitCode {
    eprintln!("saltus-counts: single steps are written for x86-64 only");
    ExitCode::FAILURE
}
