//! The `saltus` command: live with channels from a shell.

mod commands;
mod exit;
mod flags;
mod print;
mod stop;

use std::process::ExitCode;

fn main() -> ExitCode {
    exit::exit_code(commands::run(std::env::args_os().collect()))
}
