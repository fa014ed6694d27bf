//! `saltus-bench`: the program that `saltus bench` and `saltus tunnel bench` run. It measures by the harness of the repository's benchmarks.

mod channel;
mod out;
mod outcome;
mod tunnel;

use clap::{Parser, Subcommand};
use outcome::{Failure, say};
use std::process::ExitCode;

/// Measure what a message costs on this machine
///
/// Separate processes send messages through Saltus, through pipes, sockets, queues and descriptors, and through the smallest
/// possible ring: the reference for every ratio. All are interleaved in every repetition, and a sender that is behind its schedule
/// is charged for it. The measurement takes some minutes, in which the machine should do nothing else. The table shows for each
/// case percentiles, maximum, count, CPU time per message, and the ratio of the medians.
#[derive(Parser)]
#[command(name = "saltus-bench", bin_name = "saltus bench", version, after_help = channel::EXAMPLES, max_term_width = 100)]
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    channel: channel::Bench,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Measure a tunnel over a lossy relay, beside TCP and plain UDP
    ///
    /// The relay carries the packets between two network namespaces, and loses, delays and limits them as asked, each
    /// packet of every protocol; that needs root. Otherwise it is a relay of UDP over loopback, and TCP is not measured.
    /// AGE of a message is the time from when it was due to be sent to being delivered, INFORMATION is how old the newest delivered
    /// message is, looked at each millisecond.
    #[command(hide = true, bin_name = "saltus tunnel bench")]
    Tunnel(tunnel::Bench),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = match cli.command {
        None => channel::run(cli.channel),
        Some(Command::Tunnel(args)) => tunnel::run(args),
    };
    match outcome {
        Ok(()) | Err(Failure::Quiet) => ExitCode::SUCCESS,
        Err(Failure::Printed) => ExitCode::FAILURE,
        Err(Failure::Failed(words)) => {
            say(words);
            ExitCode::FAILURE
        }
    }
}
