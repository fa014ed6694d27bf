//! The command line.

use crate::case::Scenario;
use crate::set::Set;
use clap::Parser;
use std::path::PathBuf;

/// Benchmarks: lower bounds of the machine, a reference, the kernel's mechanisms, peers and Saltus in one run.
#[derive(Debug, Parser)]
#[command(version, about)]
pub struct Args {
    /// The set of measurements.
    #[arg(value_enum, default_value_t = Set::Channel)]
    pub set: Set,
    /// Only these scenarios; all by default.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub scenario: Vec<Scenario>,
    /// Only these contenders, and the reference; all by default.
    #[arg(long, value_delimiter = ',')]
    pub contender: Vec<String>,
    /// Only cases whose name contains this, such as `2cores/default/poll/1w1r/64B`.
    #[arg(long, default_value = "")]
    pub case: String,
    /// Repetitions, at least one: by default ten, which the targets require; five for programs, three for papers.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "short")]
    pub reps: Option<u32>,
    /// Scales the time that each measurement takes.
    #[arg(long, default_value_t = 1.0)]
    pub scale: f64,
    /// Check in a minute that everything runs; the figures mean little.
    #[arg(long)]
    pub short: bool,
    /// With the set `all`: one repetition, short windows, less than a quarter of an hour.
    #[arg(long, conflicts_with_all = ["short", "reps", "scenario", "contender", "case"])]
    pub quick: bool,
    /// With the set `hiccup`: how long each case is measured.
    #[arg(long, value_enum, default_value_t = Form::Minutes, conflicts_with_all = ["short", "quick"])]
    pub form: Form,
    /// Directory for the JSON and the interval logs; `target/bench/SET` by default.
    #[arg(long)]
    pub out: Option<PathBuf>,
}

/// How long each case is measured. Parts of all cases alternate, so that slow changes of the machine affect all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// 5 s of each case.
    Short,
    /// Ten minutes of each.
    Minutes,
    /// 24 hours of each, in parts of an hour.
    Day,
}

impl Form {
    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Form::Short => "short",
            Form::Minutes => "10-minutes",
            Form::Day => "24-hours",
        }
    }
    /// Parts, and the seconds of each.
    pub fn parts(self) -> (u64, u64) {
        match self {
            Form::Short => (1, 5),
            Form::Minutes => (1, 600),
            Form::Day => (24, 3600),
        }
    }
}

impl Args {
    /// The requested scenarios.
    pub fn scenarios(&self) -> Vec<Scenario> {
        if self.scenario.is_empty() { self.set.scenarios().to_vec() } else { self.scenario.clone() }
    }

    /// Where the files go.
    pub fn out(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| PathBuf::from("target/bench").join(self.set.name()))
    }

    /// The requested number of repetitions.
    pub fn repetitions(&self) -> usize {
        self.reps.map_or(if self.short || self.quick { 1 } else { self.set.repetitions() }, |n| n as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_everything_ten_times() {
        let args = Args::parse_from(["bench"]);
        assert_eq!(args.scenarios(), Set::Channel.scenarios());
        assert_eq!(args.repetitions(), 10);
        assert_eq!(args.out(), PathBuf::from("target/bench/channel"));
        assert_eq!(Args::parse_from(["bench", "net"]).out(), PathBuf::from("target/bench/net"));
        assert_eq!(Args::parse_from(["bench", "--short"]).repetitions(), 1);
    }

    #[test]
    fn scenarios_may_be_listed_and_nonsense_is_refused() {
        let args = Args::parse_from(["bench", "--scenario", "paced,copy", "--reps", "3"]);
        assert_eq!(args.scenarios(), [Scenario::Paced, Scenario::Copy]);
        assert_eq!(args.repetitions(), 3);
        assert!(Args::try_parse_from(["bench", "--reps", "0"]).is_err());
        assert!(Args::try_parse_from(["bench", "--scenario", "speed"]).is_err());
    }
}
