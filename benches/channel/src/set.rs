//! The sets of measurements that the one harness runs.

use crate::aims::Aim;
use crate::case::{Case, Scenario};
use crate::contender::Contender;
use crate::results::Results;
use crate::{aims, aims_net, contenders, plan, plan_net};

/// A set: its contenders, its cases, and its aims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Set {
    /// The channel in shared memory.
    Channel,
    /// Domains over networks.
    Net,
    /// Recorder and player, which are programs: it has cases of its own, in `log`.
    Log,
    /// Publishers under the eyes of spies: it has cases of its own, in `spies`.
    Spies,
}

impl Set {
    /// The name on the command line and of files.
    pub fn name(self) -> &'static str {
        match self {
            Set::Channel => "channel",
            Set::Net => "net",
            Set::Log => "log",
            Set::Spies => "spies",
        }
    }

    /// The title of its report.
    pub fn title(self) -> &'static str {
        match self {
            Set::Channel => "Channel benchmark",
            Set::Net => "Network benchmark",
            Set::Log => "Log benchmark",
            Set::Spies => "Spies benchmark",
        }
    }

    /// Its scenarios, in the order in which they run.
    pub fn scenarios(self) -> &'static [Scenario] {
        use Scenario::*;
        match self {
            Set::Channel => &[Floors, Pingpong, Paced, Publish, Syscalls, Throughput, Copy],
            Set::Net => &[Pingpong, Paced, Throughput, Rate, Copy, Instructions],
            Set::Log | Set::Spies => &[],
        }
    }

    /// The cases of one of them; `short` is a small part that still touches every kind.
    pub fn cases(self, scenario: Scenario, short: bool) -> Vec<Case> {
        match self {
            Set::Channel => plan::cases(scenario, short),
            Set::Net => plan_net::cases(scenario, short),
            Set::Log | Set::Spies => Vec::new(),
        }
    }

    /// Its contenders, the reference first.
    pub fn contenders(self) -> Vec<Box<dyn Contender>> {
        match self {
            Set::Channel => contenders::all(),
            Set::Net => contenders::net::all(),
            Set::Log | Set::Spies => Vec::new(),
        }
    }

    /// The contender that every ratio is to.
    pub fn reference(self) -> &'static str {
        match self {
            Set::Channel => contenders::REFERENCE,
            Set::Net => contenders::net::REFERENCE,
            Set::Log => "lcm-logger",
            Set::Spies => "no spy",
        }
    }

    /// Its aims, each with what was reached.
    pub fn judge(self, results: &Results) -> Vec<Aim> {
        match self {
            Set::Channel => aims::judge(results),
            Set::Net => aims_net::judge(results),
            Set::Log | Set::Spies => Vec::new(),
        }
    }
}
