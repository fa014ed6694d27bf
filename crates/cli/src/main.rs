//! The `saltus` command: live with channels from a shell.

mod commands;
mod exit;
mod flags;
mod print;
mod stop;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Whatever cannot be raised stays as it is: what does not fit is told of where it matters.
    let _ = saltus_os::limits::raise_open_files();
    let _ = saltus_os::limits::report_file_size();
    exit::exit_code(commands::run(std::env::args_os().collect()))
}
