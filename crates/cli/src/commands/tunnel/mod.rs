//! `saltus tunnel`: join two networks over a lossy link.

mod join;
mod key;
mod status;

use clap::{Args, Subcommand};

use super::bench;
use crate::exit::Outcome;
use crate::flags::help;

/// The options of `tunnel`.
#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES]))]
pub(crate) struct Tunnel {
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

/// The commands below it.
#[derive(Subcommand)]
enum Command {
    /// Print a new key, for both ends
    ///
    /// Whoever has it can read and write what the tunnel carries: copy it to the other end by a safe way, and let
    /// nobody else read the file.
    Key(key::Key),

    /// Wait for the other end at an address
    ///
    /// Only what has the key is answered. 127.0.0.1 is this machine alone; 0.0.0.0 is every network of it.
    Listen(join::Listen),

    /// Call the other end
    ///
    /// It is called again and again until it answers, and when it is silent. Its address, or this one's, may change.
    Connect(join::Connect),

    /// Measure a tunnel over a lossy relay, beside TCP and plain UDP
    ///
    /// This is a program of its own, saltus-bench, which is found next to saltus or on PATH.
    Bench(bench::TunnelBench),
}

const EXAMPLES: &str = "\
Examples:
  saltus tunnel key > radio.key
  saltus tunnel listen 0.0.0.0:7710 --key radio.key
  saltus tunnel connect robot.local:7710 --key k -e 'pose|camera' --rate 2
  saltus tunnel bench --loss 0,10,30   how well it goes at 0, 10 and 30 % loss";

/// Does it.
pub(crate) fn run(all: clap::Command, url: Option<String>, tunnel: Tunnel) -> Outcome {
    match tunnel.command {
        Command::Key(args) => key::run(args),
        Command::Listen(args) => join::listen(url, args),
        Command::Connect(args) => join::connect(url, args),
        Command::Bench(args) => bench::tunnel(all, args),
    }
}
