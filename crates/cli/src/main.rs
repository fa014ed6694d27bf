//! The `saltus` command: live with channels from a shell.

mod commands;
mod exit;
mod flags;
mod print;
mod stop;

use std::process::ExitCode;

use clap::Parser;
use commands::Cli;

fn main() -> ExitCode {
    // Whatever cannot be raised stays as it is: what does not fit is told of where it matters.
    let _ = saltus_os::limits::raise_open_files();
    let _ = saltus_os::limits::report_file_size();
    let done = Cli::try_parse().map_err(exit::usage).and_then(|cli| cli.command.run(&cli.domain.meant()?));
    exit::exit_code(done)
}
