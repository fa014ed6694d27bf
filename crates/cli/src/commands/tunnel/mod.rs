//! `saltus tunnel`: join two networks over a lossy link.

mod join;
mod key;
mod status;

use clap::{Args, Subcommand};

use super::bench;
use crate::exit::Outcome;
use crate::flags::help;

#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES]))]
pub(crate) struct Tunnel {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print a new key for both ends
    ///
    /// Anyone with the key can read and write what the tunnel carries. Copy it to the other end safely, and protect the file.
    Key(key::Key),

    /// Wait for the other end
    ///
    /// Packets without the key are not answered. 127.0.0.1 is this machine only, 0.0.0.0 all its networks.
    Listen(join::Listen),

    /// Connect to the other end
    ///
    /// It tries again until the other end answers, and whenever it is silent. The addresses of both ends may change.
    Connect(join::Connect),

    /// Compare a tunnel with TCP and UDP over a lossy relay
    ///
    /// It runs the program saltus-bench, which is searched for next to saltus and in PATH.
    Bench(bench::TunnelBench),
}

const EXAMPLES: &str = "\
Examples:
  saltus tunnel key > radio.key
  saltus tunnel listen 0.0.0.0:7710 --key radio.key
  saltus tunnel connect robot.local:7710 --key k -e 'pose|camera'
  saltus tunnel bench --loss 0,10,30   measure at 0, 10 and 30 % loss";

pub(crate) fn run(all: clap::Command, url: Option<String>, tunnel: Tunnel) -> Outcome {
    match tunnel.command {
        Command::Key(args) => key::run(args),
        Command::Listen(args) => join::listen(url, args),
        Command::Connect(args) => join::connect(url, args),
        Command::Bench(args) => bench::tunnel(all, args),
    }
}
