//! What `stat` may be told.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::flags::help;
use crate::flags::{AnyNames, Count, Json};
use saltus_text::units;

/// The options of `stat`.
#[derive(Args)]
#[command(after_help = help::after(&[EXAMPLES, help::PATTERNS]))]
pub(crate) struct Stat {
    #[command(flatten)]
    pub(super) names: AnyNames,

    /// Time that each table covers, 34ms or more
    #[arg(short, long, value_name = "TIME", default_value = "500ms", value_parser = interval)]
    pub(super) interval: Duration,

    #[command(flatten)]
    pub(super) count: Count,

    /// Show each receiver's publish-to-receive times instead: percentiles, at the end (shared memory only)
    #[arg(long, conflicts_with = "count")]
    pub(super) latency: bool,

    /// With --latency: measure for so long, not until Ctrl-C
    #[arg(long, value_name = "TIME", requires = "latency", value_parser = units::duration)]
    pub(super) duration: Option<Duration>,

    /// With --latency: write an HdrHistogram interval log, with a tag for each receiver
    #[arg(long, value_name = "FILE", requires = "latency")]
    pub(super) hlog: Option<PathBuf>,

    #[command(flatten)]
    pub(super) json: Json,
}

const EXAMPLES: &str = "\
Examples:
  saltus stat                           all channels, live
  saltus stat 'robot/*' -i 2s
  saltus stat imu -n 1 --json | jq .rate
  saltus stat --latency --duration 10s --hlog hops.hlog
  saltus stat --domain udpm:// -i 1s    by sender, with what each one lost";

fn interval(text: &str) -> Result<Duration, String> {
    let interval = units::duration(text)?;
    let shortest = Duration::from_millis(34);
    if interval < shortest {
        return Err(format!(
            "{text} is too short: channels are looked at no more than 30 times a second, so 34ms or more"
        ));
    }
    Ok(interval)
}
