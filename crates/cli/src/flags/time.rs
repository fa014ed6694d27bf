//! Options for counts, rates and times.

use std::time::Duration;

use clap::Args;
use saltus_text::units;

/// The option `--count`.
#[derive(Args)]
pub(crate) struct Count {
    /// Stop after N messages (stat: N reports)
    #[arg(short = 'n', long, value_name = "N", value_parser = units::count)]
    pub(crate) count: Option<u64>,
}

/// The option `--rate`.
#[derive(Args)]
pub(crate) struct Rate {
    /// Publish HZ messages per second (0: no limit)
    #[arg(short, long, value_name = "HZ", value_parser = units::rate)]
    pub(crate) rate: Option<f64>,
}

/// The option `--timeout`.
#[derive(Args)]
pub(crate) struct Timeout {
    /// Exit with code 4 if nothing arrives within TIME
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(crate) timeout: Option<Duration>,
}

/// The option `--duration`.
#[derive(Args)]
pub(crate) struct RunTime {
    /// Stop after TIME
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub(crate) duration: Option<Duration>,
}

/// The options `--stat` and `--interval`.
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
    /// The interval, if `--stat` is given.
    pub(crate) fn every(&self) -> Option<Duration> {
        self.stat.then_some(self.interval)
    }
}

fn interval(text: &str) -> Result<Duration, String> {
    at_least(text, Duration::from_millis(10), "10ms")
}

/// A time of at least `least`; `shown` is that in words, for the error.
pub(crate) fn at_least(text: &str, least: Duration, shown: &str) -> Result<Duration, String> {
    match units::duration(text)? {
        time if time >= least => Ok(time),
        _ => Err(format!("expected {shown} or more")),
    }
}
