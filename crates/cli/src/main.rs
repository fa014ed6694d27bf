//! The `saltus` command: live with channels from a shell.

mod commands;
mod exit;
mod flags;
mod print;
mod stop;

use std::process::ExitCode;

use clap::Parser;
use commands::Cli;
// The paths by which the commands know them.
use exit as failure;
use flags::{domain as place, help, output as target, types as schemas};
use print::{out, progress};
use saltus_text::{escape, human, table, units};

fn main() -> ExitCode {
    let done = Cli::try_parse().map_err(exit::usage).and_then(|cli| cli.command.run(&cli.domain.meant()?));
    exit::exit_code(done)
}
