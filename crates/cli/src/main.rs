//! The `saltus` command: live with channels from a shell.

mod args;
mod commands;
mod exit;
mod facts;
mod flags;
mod print;
mod stop;

use std::process::ExitCode;

use args::{Cli, Command};
use clap::Parser;
use exit::Outcome;
// The paths by which the commands know them.
use exit as failure;
use flags::{domain as place, help, output as target, types as schemas};
use print::{latency, out, progress};
use saltus_text::{escape, human, table, units};

fn main() -> ExitCode {
    failure::exit_code(Cli::try_parse().map_err(failure::usage).and_then(run))
}

fn run(cli: Cli) -> Outcome {
    let domain = cli.domain.meant()?;
    let url = domain.url();
    match cli.command {
        Command::Mk(args) => commands::mk::run(&domain, args),
        Command::Rm(args) => commands::rm::run(&domain, args),
        Command::Ls(args) => commands::ls::run(&domain, args),
        Command::Info(args) => commands::info::run(&domain, args),
        Command::Chmod(args) => commands::chmod::run(&domain, args),
        Command::Pub(args) => commands::publish::run(&domain, args),
        Command::Echo(args) => commands::echo::run(&domain, args),
        Command::Stat(args) => commands::stat::run(url, args),
        Command::Bench(args) => commands::bench::run(args),
        Command::Hiccup(args) => commands::hiccup::run(args),
        Command::Doctor(args) => commands::doctor::run(url, args),
        Command::Report(args) => commands::report::run(args),
        Command::Types(args) => commands::types::run(
            || domain.shm_only("types show --channel", "no types are left there; -I names their directory"),
            args,
        ),
        Command::Gen(args) => commands::generate::run(args),
        Command::Import(args) => commands::import::run(args),
        Command::Log(args) => commands::log::run(args),
        Command::Bridge(args) => commands::bridge::run(args),
        Command::Hub(args) => commands::hub::run(args),
        Command::Tunnel(args) => commands::tunnel::run(url.map(str::to_owned), args),
        Command::Play(args) => commands::play::run(url, args),
        Command::Record(args) => commands::record::run(url, args),
        Command::Serve(args) => commands::serve::run(domain.is_typed(), url, args),
        Command::Spy(args) => commands::spy::run(url, args),
        Command::Sweep(args) => commands::sweep::run(&domain, args),
        #[cfg(feature = "demo")]
        Command::Demo(args) => commands::demo::run(url.map(str::to_owned), args),
        #[cfg(feature = "demo")]
        Command::DemoProcess(args) => commands::demo::process(args),
        Command::Completions(args) => commands::completions::run(args),
        Command::Man(args) => commands::man::run(args),
    }
}
