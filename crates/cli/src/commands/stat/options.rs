//! The options of `stat`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::flags::help;
use crate::flags::time::at_least;
use crate::flags::{AnyNames, Count, Force, Json, RunTime};

#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES, help::PATTERNS]))]
pub(crate) struct Stat {
    #[command(flatten)]
    pub(super) names: AnyNames,

    /// Time that each report covers
    #[arg(short, long, value_name = "TIME", default_value = "500ms", value_parser = interval)]
    pub(super) interval: Duration,

    #[command(flatten)]
    pub(super) count: Count,

    /// Print the latency of each subscriber on exit
    ///
    /// The percentiles of the publish-to-receive times replace the table. This works in shared memory only.
    #[arg(long, conflicts_with = "count")]
    pub(super) latency: bool,

    #[command(flatten)]
    pub(super) time: RunTime,

    /// Write an HdrHistogram interval log (requires --latency)
    #[arg(short, long, value_name = "FILE", requires = "latency")]
    pub(super) out: Option<PathBuf>,

    #[command(flatten)]
    pub(super) force: Force,

    #[command(flatten)]
    pub(super) json: Json,
}

const EXAMPLES: &str = "\
Examples:
  saltus stat                           all channels, live
  saltus stat 'robot/*' -i 2s
  saltus stat imu -n 1 --json | jq .rate
  saltus stat --latency --duration 10s -o hops.hlog
  saltus stat --domain udpm:// -i 1s    by sender, with its losses";

/// Channels are read at most 30 times per second.
fn interval(text: &str) -> Result<Duration, String> {
    at_least(text, Duration::from_millis(34), "34ms")
}
