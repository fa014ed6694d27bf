//! The `saltus` command: live with channels from a shell.

mod args;
mod commands;
mod exit;
mod facts;
mod flags;
mod print;
mod stop;
mod tally;

use std::process::ExitCode;

use args::{Cli, Command};
use clap::Parser;
use exit::{Code, Failure, Outcome};
// The paths by which the commands know them.
use exit as failure;
use flags::{domain as place, help, output as target, selection as channels, types as schemas};
use print::{latency, out, progress};
use saltus_text::{escape, glob, human, table, units};

fn main() -> ExitCode {
    failure::exit_code(Cli::try_parse().map_err(failure::usage).and_then(run))
}

/// What was given on the command line, or else in the environment. Empty is as good as nothing.
fn domain_url(given: Option<String>) -> Outcome<Option<String>> {
    let url = match given {
        Some(url) => url,
        None => std::env::var_os("SALTUS_DOMAIN").unwrap_or_default().into_string().map_err(|url| {
            Failure::new(Code::Usage, format!("SALTUS_DOMAIN is {url:?}, which is no text: write shm://NAME"))
        })?,
    };
    Ok(Some(url).filter(|url| !url.is_empty()))
}

fn run(cli: Cli) -> Outcome {
    let given = cli.domain.as_ref().is_some_and(|url| !url.is_empty());
    let url = domain_url(cli.domain)?;
    let place = url.as_deref();
    let shm = |command, instead| place::shm_only(place, command, instead);
    match cli.command {
        Command::Mk(args) => {
            commands::mk::run(&shm("mk", "a channel is there as soon as `saltus pub` publishes in it")?, args)
        }
        Command::Rm(args) => commands::rm::run(
            &shm("rm", "nothing stays there that could be removed; `saltus ls` lists what comes")?,
            args,
        ),
        Command::Ls(args) => commands::ls::run(place, args),
        Command::Info(args) => commands::info::run(
            &shm("info", "`saltus stat` measures what comes, `saltus echo` prints it")?,
            args,
        ),
        Command::Chmod(args) => commands::chmod::run(
            &shm("chmod", "who reaches it may read and write; `saltus tunnel` needs a key")?,
            args,
        ),
        Command::Pub(args) => commands::publish::run(place, args),
        Command::Echo(args) => commands::echo::run(place, args),
        Command::Stat(args) => commands::stat::run(place, args),
        Command::Bench(args) => commands::bench::run(args),
        Command::Hiccup(args) => commands::hiccup::run(args),
        Command::Doctor(args) => commands::doctor::run(place, args),
        Command::Report(args) => commands::report::run(args),
        Command::Types(args) => commands::types::run(
            || shm("types show --channel", "no types are left there; -I names their directory"),
            args,
        ),
        Command::Gen(args) => commands::generate::run(args),
        Command::Import(args) => commands::import::run(args),
        Command::Log(args) => commands::log::run(args),
        Command::Bridge(args) => commands::bridge::run(args),
        Command::Hub(args) => commands::hub::run(args),
        Command::Tunnel(args) => commands::tunnel::run(url, args),
        Command::Play(args) => commands::play::run(place, args),
        Command::Record(args) => commands::record::run(place, args),
        Command::Serve(args) => commands::serve::run(given, place, args),
        Command::Spy(args) => commands::spy::run(place, args),
        Command::Sweep(args) => {
            commands::sweep::run(&shm("sweep", "dead processes leave nothing behind there")?, args)
        }
        #[cfg(feature = "demo")]
        Command::Demo(args) => commands::demo::run(url, args),
        #[cfg(feature = "demo")]
        Command::DemoProcess(args) => commands::demo::process(args),
        Command::Completions(args) => commands::completions::run(args),
        Command::Man(args) => commands::man::run(args),
    }
}
