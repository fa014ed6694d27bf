//! The `saltus` command: publish, inspect, record and measure channels from a shell.

mod commands;
mod exit;
mod flags;
mod print;
mod stop;

use std::process::ExitCode;

fn main() -> ExitCode {
    // If the limit cannot be raised, the calls that need it report an error.
    let _ = saltus_os::limits::raise_open_files();
    let _ = saltus_os::limits::report_file_size();
    exit::exit_code(commands::run(std::env::args_os().collect()))
}
