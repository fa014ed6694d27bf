//! The sets of measurements that the one harness runs.

use crate::aims::Aim;
use crate::case::{Case, Scenario};
use crate::contender::Contender;
use crate::results::Results;
use crate::{aims, aims_net, contenders, plan, plan_net, plan_own, plan_papers, plan_peers};
use saltus_domain::{Reach, Scheme};

/// A set: its contenders, its cases and its targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Set {
    /// The channel in shared memory.
    Channel,
    /// Domains over networks.
    Net,
    /// Recorder and player, which are programs: its cases are in `log`.
    Log,
    /// Publishers watched by spies: its cases are in `spies`.
    Spies,
    /// What DALi's paper measured, over the providers of domains.
    Dali,
    /// What Ach's paper measured.
    Ach,
    /// What LCM's paper measured.
    Lcm,
    /// Peers: the libraries of other projects, compared in one table.
    Peers,
    /// Scheduling delays of the machine: it has separate cases, in `hiccup`.
    Hiccup,
    /// The others one after the other, and one page with their results.
    All,
    /// The measurements of the shipped command: see `own`.
    #[value(skip)]
    Own,
}

impl Set {
    /// The name on the command line and of files.
    pub fn name(self) -> &'static str {
        match self {
            Set::Channel => "channel",
            Set::Net => "net",
            Set::Log => "log",
            Set::Spies => "spies",
            Set::Dali => "dali",
            Set::Ach => "ach",
            Set::Lcm => "lcm",
            Set::Peers => "peers",
            Set::Hiccup => "hiccup",
            Set::All => "all",
            Set::Own => "bench",
        }
    }

    /// The title of its report.
    pub fn title(self) -> &'static str {
        match self {
            Set::Channel => "Channel benchmark",
            Set::Net => "Network benchmark",
            Set::Log => "Log benchmark",
            Set::Spies => "Spies benchmark",
            Set::Dali => "What DALi's paper measured",
            Set::Ach => "What Ach's paper measured",
            Set::Lcm => "What LCM's paper measured",
            Set::Peers => "Peers",
            Set::Hiccup => "Scheduling delays of this machine",
            Set::All => "All benchmarks",
            Set::Own => "What a message costs on this machine",
        }
    }

    /// Its scenarios, in the order in which they run.
    pub fn scenarios(self) -> &'static [Scenario] {
        use Scenario::*;
        match self {
            Set::Channel => &[Floors, Pingpong, Paced, Publish, Syscalls, Throughput, Copy],
            Set::Net => &[Pingpong, Paced, Throughput, Rate, Copy, Instructions],
            Set::Dali => &[Paced, Lossless, Connections, Cwalker],
            Set::Ach => &[Paced, Hops],
            Set::Lcm => &[Echo, Traffic, Urban],
            Set::Own => &[Floors, Pingpong, Paced, Throughput, Copy],
            Set::Peers => &[Whole, Pingpong, Paced, Lossless],
            Set::Log | Set::Spies | Set::Hiccup | Set::All => &[],
        }
    }

    /// The cases of one of them; `short` is a small part that still touches every kind.
    pub fn cases(self, scenario: Scenario, short: bool) -> Vec<Case> {
        match self {
            Set::Channel => plan::cases(scenario, short),
            Set::Net => plan_net::cases(scenario, short),
            Set::Own => plan_own::cases(scenario, short),
            Set::Dali => plan_papers::dali_cases(scenario, short),
            Set::Ach => plan_papers::ach_cases(scenario, short),
            Set::Lcm => plan_papers::lcm_cases(scenario, short),
            Set::Peers => plan_peers::cases(scenario, short),
            Set::Log | Set::Spies | Set::Hiccup | Set::All => Vec::new(),
        }
    }

    /// Its contenders, the reference first.
    pub fn contenders(self) -> Vec<Box<dyn Contender>> {
        match self {
            Set::Channel => contenders::all(),
            Set::Net => contenders::net::all(),
            Set::Own => {
                let mut all = only(contenders::all(), |name| !name.starts_with("iceoryx2"));
                all.extend(providers());
                all
            }
            Set::Dali => providers(),
            Set::Ach => {
                let mut all = only(contenders::all(), |name| !NOT_IN_ACH.contains(&name));
                all.extend(only(contenders::net::all(), |name| ACH_NET.contains(&name)));
                all
            }
            Set::Lcm => {
                let mut all = only(contenders::net::all(), |name| !NOT_IN_LCM.contains(&name));
                all.push(Box::new(contenders::net::lcm::java::LcmJava));
                all
            }
            Set::Peers => contenders::net::peers(),
            Set::Log | Set::Spies | Set::Hiccup | Set::All => Vec::new(),
        }
    }

    /// The contender that every ratio is relative to.
    pub fn reference(self) -> &'static str {
        match self {
            Set::Channel => contenders::REFERENCE,
            Set::Net => contenders::net::REFERENCE,
            Set::Log => "lcm-logger",
            Set::Spies => "no spy",
            Set::Hiccup | Set::All => "",
            Set::Dali => "shm://",
            Set::Ach | Set::Own => contenders::REFERENCE,
            Set::Lcm | Set::Peers => contenders::net::REFERENCE,
        }
    }

    /// Its targets, with the results.
    pub fn judge(self, results: &Results) -> Vec<Aim> {
        match self {
            Set::Channel => aims::judge(results),
            Set::Net => aims_net::judge(results),
            _ => Vec::new(),
        }
    }

    /// Repetitions by default. The sets of papers and peers take long and have no targets that require ten.
    pub fn repetitions(self) -> usize {
        if self.is_of_a_paper() || matches!(self, Set::Own | Set::Peers) { 3 } else { 10 }
    }

    /// Whether it repeats a paper's measurements.
    pub fn is_of_a_paper(self) -> bool {
        matches!(self, Set::Dali | Set::Ach | Set::Lcm)
    }
}

/// The channel's contenders that are lower bounds or variants of another contender.
const NOT_IN_ACH: [&str; 5] = ["memcpy", "seqlock-timed", "saltus-loan", "saltus-bare", "iceoryx2-loan"];
/// The network's contenders that are added to them.
const ACH_NET: [&str; 10] = [
    "multicast",
    "lcm",
    "zmq-ipc",
    "nng-ipc",
    "cyclonedds",
    "fastdds",
    "roscpp",
    "zenoh",
    "udpm://",
    "shm://",
];
/// The contenders that LCM's measurements leave out: those without a network, and variants of another contender.
const NOT_IN_LCM: [&str; 3] = ["mem://", "saltus", "nng-tcp"];

fn only(all: Vec<Box<dyn Contender>>, keep: impl Fn(&str) -> bool) -> Vec<Box<dyn Contender>> {
    all.into_iter().filter(|contender| keep(contender.name())).collect()
}

/// The providers of domains, both those in this build and those that it lists as missing.
fn providers() -> Vec<Box<dyn Contender>> {
    let leaves_the_process = |name: &str| Scheme::of(name).is_ok_and(|s| s.traits.reach != Reach::Process);
    only(contenders::net::all(), leaves_the_process)
}
