//! `saltus-bench`: the program that `saltus bench` and `saltus tunnel bench` run. It measures by the harness of the repository's benchmarks.

mod channel;
mod out;
mod outcome;
mod tunnel;

use clap::{Parser, Subcommand};
use outcome::{Failure, say};
use std::process::ExitCode;

/// Measure what a message costs here, beside the machine's floors and the kernel's own means
///
/// Processes of their own send to each other over Saltus, over pipes, sockets, queues and descriptors, and over a ring that is as
/// small as can be: the reference, which every ratio is to. All take turns in every repetition, by a schedule that charges a late
/// sender. It takes some minutes, in which the machine should do nothing else. The default table shows, for each case,
/// percentiles, the longest, the count, the processor time of a message, and the ratio of the medians.
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
