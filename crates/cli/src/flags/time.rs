//! How many, how often, how long.

use std::time::Duration;

use clap::Args;
use saltus_text::units;

/// How many, then it ends.
#[derive(Args)]
pub(crate) struct Count {
    /// Stop after N messages
    #[arg(short = 'n', long, value_name = "N", value_parser = units::count)]
    pub(crate) count: Option<u64>,
}

/// How often.
#[derive(Args)]
pub(crate) struct Rate {
    /// Publish HZ messages per second (0: no limit)
    #[arg(short, long, value_name = "HZ", value_parser = units::rate)]
    pub(crate) rate: Option<f64>,
}

/// How long to wait for what does not come.
#[derive(Args)]
pub(crate) struct Timeout {
    /// Exit with code 4 if nothing arrives within TIME
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(crate) timeout: Option<Duration>,
}

/// How long the command runs.
#[derive(Args)]
pub(crate) struct RunTime {
    /// Stop after TIME
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(crate) duration: Option<Duration>,
}

/// How often a report is printed, if at all.
#[derive(Args)]
pub(crate) struct Reports {
    /// Print statistics every --interval
    #[arg(long)]
    stat: bool,

    /// Time that each report covers (requires --stat)
    #[arg(short, long, value_name = "TIME", default_value = "1s", requires = "stat")]
    #[arg(value_parser = interval)]
    interval: Duration,
}

impl Reports {
    /// How often, if it was asked for.
    pub(crate) fn every(&self) -> Option<Duration> {
        self.stat.then_some(self.interval)
    }
}

fn interval(text: &str) -> Result<Duration, String> {
    at_least(text, Duration::from_millis(10), "10ms")
}

/// A time that is not shorter than `least`, whose words are `shown`.
pub(crate) fn at_least(text: &str, least: Duration, shown: &str) -> Result<Duration, String> {
    match units::duration(text)? {
        time if time >= least => Ok(time),
        _ => Err(format!("expected {shown} or more")),
    }
}
