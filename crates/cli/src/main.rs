//! The `saltus` command: publish, inspect, record and measure channels from a shell.

mod commands;
mod exit;
mod flags;
mod lcm;
mod print;
mod stop;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    // If the limit cannot be raised, the calls that need it report an error.
    let _ = saltus_os::limits::raise_open_files();
    let _ = saltus_os::limits::report_file_size();
    exit::exit_code(run(std::env::args_os().collect()))
}

/// Runs the command line, or those that it stands for if the program was started by the name of another tool.
fn run(arguments: Vec<OsString>) -> exit::Outcome {
    match lcm::translated(&arguments)? {
        Some(lines) => lines.into_iter().try_for_each(commands::run),
        None => commands::run(arguments),
    }
}
