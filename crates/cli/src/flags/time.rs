//! How many, how often, how long.

use std::time::Duration;

use clap::Args;
use saltus_text::units;

/// How many, then it ends.
#[derive(Args)]
pub(crate) struct Count {
    /// End after so many
    #[arg(short = 'n', long, value_name = "N", value_parser = units::count)]
    pub(crate) count: Option<u64>,
}

/// How often.
#[derive(Args)]
pub(crate) struct Rate {
    /// So many a second; 0 is as fast as it goes
    #[arg(short, long, value_name = "HZ", value_parser = units::rate)]
    pub(crate) rate: Option<f64>,
}

/// How long to wait for what does not come.
#[derive(Args)]
pub(crate) struct Timeout {
    /// End with exit code 4 when nothing came for so long, such as 250ms, 1.5s or 2m
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(crate) timeout: Option<Duration>,
}
