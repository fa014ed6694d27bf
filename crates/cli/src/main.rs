//! The `saltus` command: live with channels from a shell.

mod args;
mod channels;
mod commands;
mod dictionary;
mod encode;
mod escape;
mod facts;
mod failure;
mod flags;
mod glob;
mod help;
mod human;
mod latency;
mod lines;
mod meaning;
mod out;
mod pace;
mod print;
mod schemas;
mod stop;
mod table;
mod units;

use std::process::ExitCode;

use clap::Parser;
use saltus_channel::Domain;

use args::{Cli, Command};
use failure::Outcome;

fn main() -> ExitCode {
    failure::exit_code(Cli::try_parse().map_err(failure::usage).and_then(run))
}

fn run(cli: Cli) -> Outcome {
    // An empty variable is as good as none.
    let url = cli.domain.filter(|url| !url.is_empty());
    let domain = || Domain::open(url.as_deref().unwrap_or("shm://"));
    match cli.command {
        Command::Mk(args) => commands::mk::run(&domain()?, args),
        Command::Rm(args) => commands::rm::run(&domain()?, args),
        Command::Ls(args) => commands::ls::run(&domain()?, args),
        Command::Info(args) => commands::info::run(&domain()?, args),
        Command::Chmod(args) => commands::chmod::run(&domain()?, args),
        Command::Pub(args) => commands::publish::run(&domain()?, args),
        Command::Echo(args) => commands::echo::run(&domain()?, args),
        Command::Stat(args) => commands::stat::run(&domain()?, args),
        Command::Types(args) => commands::types::run(domain, args),
        Command::Gen(args) => commands::generate::run(args),
        Command::Import(args) => commands::import::run(args),
        Command::Sweep(args) => commands::sweep::run(&domain()?, args),
        Command::Demo(args) => commands::demo::run(url, args),
        Command::DemoProcess(args) => commands::demo::process(args),
        Command::Completions(args) => commands::completions::run(args),
        Command::Man(args) => commands::man::run(args),
    }
}
