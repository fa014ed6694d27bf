//! What campaigns are asked for, what each of them is, and what it is given.

use crate::report::{Failure, Report};
use clap::Parser;
use std::path::Path;
use std::time::Duration;

/// Kill, freeze, starve and deceive the processes of a channel, and look whether its promises hold.
///
/// Needs /dev/shm. What the system does not allow (other users, namespaces, SCHED_FIFO) is skipped, with the reason.
#[derive(Clone, Debug, Parser)]
#[command(name = "saltus-campaigns", version)]
pub struct Options {
    /// Which campaign; `all` runs them all, `list` says what there is.
    pub verb: String,
    /// The form for every day: all campaigns in about two minutes (the default).
    #[arg(long, conflicts_with = "full")]
    pub short: bool,
    /// The form for the record: every instruction, millions of checks.
    #[arg(long)]
    pub full: bool,
    /// How long the campaigns that go on until they are told to stop go on.
    #[arg(long, value_name = "N")]
    pub seconds: Option<u64>,
    /// The seed of everything random; printed, so that a run can be repeated.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

/// A campaign.
pub struct Campaign {
    pub name: &'static str,
    pub about: &'static str,
    pub run: fn(&Context) -> Result<(), Failure>,
    /// After this time something hangs.
    pub short_limit: Duration,
    pub full_limit: Duration,
}

/// What a campaign is given.
pub struct Context<'a> {
    pub report: &'a Report,
    pub options: &'a Options,
    /// Where it may make directories.
    pub root: &'a Path,
    /// The process that cleans up.
    pub guardian: u32,
}

impl Context<'_> {
    /// How long to go on, in the absence of `--seconds`: `short` or `full`.
    pub fn time(&self, short: u64, full: u64) -> Duration {
        let default = if self.options.full { full } else { short };
        Duration::from_secs(self.options.seconds.unwrap_or(default))
    }

    pub fn seed(&self) -> u64 {
        self.options.seed.unwrap_or(1)
    }
}
