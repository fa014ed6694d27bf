//! Options of campaigns, their definition, and their environment.

use crate::report::{Failure, Report};
use clap::Parser;
use std::path::Path;
use std::time::Duration;

/// Kill, freeze, exhaust and attack the processes of a channel, and check its promises
///
/// Needs /dev/shm. Checks that the system does not allow (other users, namespaces, SCHED_FIFO) are skipped, with
/// the reason.
#[derive(Clone, Debug, Parser)]
#[command(name = "saltus-campaigns", version)]
pub struct Options {
    /// Campaign to run; `all` runs them all, `list` lists them
    pub verb: String,
    /// Run all campaigns in about two minutes (the default)
    #[arg(long, conflicts_with = "full")]
    pub short: bool,
    /// Run the full form: every instruction, millions of checks
    #[arg(long)]
    pub full: bool,
    /// Duration of campaigns without a natural end, in seconds
    #[arg(long, value_name = "N")]
    pub seconds: Option<u64>,
    /// Seed of all random numbers; printed, to repeat a run
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// A campaign.
pub struct Campaign {
    pub name: &'static str,
    pub about: &'static str,
    pub run: fn(&Context) -> Result<(), Failure>,
    /// A campaign that takes longer hangs.
    pub short_limit: Duration,
    pub full_limit: Duration,
}

/// The environment of a campaign.
pub struct Context<'a> {
    pub report: &'a Report,
    pub options: &'a Options,
    /// A directory for its own directories.
    pub root: &'a Path,
    /// The process that cleans up.
    pub guardian: u32,
}

impl Context<'_> {
    /// How long to run without `--seconds`: `short` or `full`.
    pub fn time(&self, short: u64, full: u64) -> Duration {
        let default = if self.options.full { full } else { short };
        Duration::from_secs(self.options.seconds.unwrap_or(default))
    }

    pub fn seed(&self) -> u64 {
        self.options.seed.unwrap_or(1)
    }
}
