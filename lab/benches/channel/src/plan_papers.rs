//! The cases of the sets of the papers: DALi's, Ach's and LCM's own measurements. See `PAPERS.md`.

use crate::case::{Case, Mode, Place, Policy, Scenario};
use crate::workload::{BANDWIDTH, MODULES, RATE};

/// DALi's message sizes, in bytes: those that the paper names.
pub const DALI_SIZES: [usize; 2] = [50, 1_500];
/// Sizes for curves against the size.
const SIZES: [usize; 6] = [50, 500, 1_500, 5_000, 15_000, 50_000];
/// The numbers of subscribers of those curves.
pub const DALI_READERS: [usize; 2] = [2, 10];
/// The number of subscribers to try.
const MANY: [usize; 2] = [1_000, 20];

/// Ach's rates, messages a second: 0.1 to 100 kHz.
pub const ACH_RATES: [u32; 6] = [100, 1_000, 8_000, 20_000, 50_000, 100_000];
/// The rates whose histograms are shown.
pub const ACH_HISTOGRAMS: [u32; 2] = [1_000, 8_000];
/// Lengths of the chain, in channels.
pub const ACH_HOPS: [usize; 4] = [1, 8, 64, 512];

/// LCM's echo test: bytes of a message, clients, and offered rates (10, 20 and 40 MB/s).
const ECHO_SIZE: usize = 800;
pub const ECHO_CLIENTS: [usize; 3] = [1, 2, 4];
pub const ECHO_RATES: [u32; 3] = [12_500, 25_000, 50_000];

/// Subscribers whose bytes on the link are counted.
pub const TRAFFIC_READERS: [usize; 4] = [1, 2, 4, 8];

/// The cases of one scenario of DALi's paper; `short` is a small part that still touches every kind.
pub fn dali_cases(scenario: Scenario, short: bool) -> Vec<Case> {
    let (case, anywhere) = started(scenario);
    match scenario {
        Scenario::Paced => dali(case, short),
        Scenario::Lossless => {
            let sizes = if short { &DALI_SIZES[..] } else { &SIZES };
            sizes.iter().map(|&size| Case { size, readers: DALI_READERS[0], ..case }).collect()
        }
        Scenario::Connections => {
            vec![Case { readers: MANY[usize::from(short)], size: DALI_SIZES[0], ..anywhere }]
        }
        Scenario::Cwalker => vec![Case { size: 0, readers: 1, ..anywhere }],
        _ => Vec::new(),
    }
}

/// The same of Ach's.
pub fn ach_cases(scenario: Scenario, short: bool) -> Vec<Case> {
    let (case, anywhere) = started(scenario);
    match scenario {
        Scenario::Paced => ach(case, short),
        Scenario::Hops => {
            let hops = if short { &ACH_HOPS[..2] } else { &ACH_HOPS };
            hops.iter().map(|&hops| Case { hops, rate: 1_000, ..anywhere }).collect()
        }
        _ => Vec::new(),
    }
}

/// The same of LCM's.
pub fn lcm_cases(scenario: Scenario, short: bool) -> Vec<Case> {
    let (case, anywhere) = started(scenario);
    match scenario {
        Scenario::Echo => {
            let (clients, rates) = if short {
                (&ECHO_CLIENTS[..2], &ECHO_RATES[1..2])
            } else {
                (&ECHO_CLIENTS[..], &ECHO_RATES[..])
            };
            let of = |readers| rates.iter().map(move |&rate| Case { readers, rate, size: ECHO_SIZE, ..case });
            clients.iter().flat_map(|&readers| of(readers)).collect()
        }
        Scenario::Traffic => {
            let readers = if short { &TRAFFIC_READERS[1..2] } else { &TRAFFIC_READERS[..] };
            readers.iter().map(|&readers| Case { readers, rate: 1_000, size: ECHO_SIZE, ..case }).collect()
        }
        Scenario::Urban => {
            vec![Case { size: (BANDWIDTH / RATE) as usize, writers: MODULES, readers: 4, ..anywhere }]
        }
        _ => Vec::new(),
    }
}

/// The conditions common to the cases of a scenario: blocking readers, on two cores or anywhere.
fn started(scenario: Scenario) -> (Case, Case) {
    let case = Case { mode: Mode::Sleep, ..Case::new(scenario) };
    (case, Case { place: Place::Anywhere, ..case })
}

/// Against subscribers at two sizes, and against size at two numbers of subscribers.
fn dali(case: Case, short: bool) -> Vec<Case> {
    if short {
        return [(50, 1), (50, 10), (1_500, 2)]
            .map(|(size, readers)| Case { size, readers, ..case })
            .to_vec();
    }
    let mut all: Vec<Case> = Vec::new();
    for size in DALI_SIZES {
        all.extend((1..=10).map(|readers| Case { size, readers, ..case }));
    }
    for readers in DALI_READERS {
        let sizes = SIZES.into_iter().filter(|size| !DALI_SIZES.contains(size));
        all.extend(sizes.map(|size| Case { size, readers, ..case }));
    }
    all
}

/// One and two receivers in both scheduling classes, and one against the rate.
fn ach(case: Case, short: bool) -> Vec<Case> {
    let mut all = Vec::new();
    let policies = if short { &[Policy::Default][..] } else { &[Policy::Default, Policy::Fifo] };
    for &policy in policies {
        all.extend([1, 2].map(|readers| Case { policy, readers, rate: 1_000, ..case }));
    }
    let rates = ACH_RATES.into_iter().filter(|rate| *rate != 1_000 && (!short || *rate == 8_000));
    all.extend(rates.map(|rate| Case { rate, ..case }));
    all
}

/// Contenders whose members all discover each other and connect, so that a long chain measures their discovery
/// instead.
const MESHED: [&str; 13] = [
    "zmq-ipc",
    "zmq-tcp",
    "zmq://",
    "nng-ipc",
    "nng-tcp",
    "tcpq://",
    "dds://",
    "cyclonedds",
    "fastdds",
    "roscpp",
    "zenoh://",
    "zenoh",
    "lcm-big",
];

/// Why a contender is left out of a case, if it is.
pub fn refuses(case: &Case, contender: &str) -> Option<&'static str> {
    match case.hops {
        9.. if MESHED.contains(&contender) => {
            Some("each process of a chain is a member that finds all others: up to 8 hops")
        }
        // `fs.mqueue.queues_max`.
        256.. if contender == "mqueue" => Some("a system has 256 queues: up to 64 hops"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Set;
    use std::collections::BTreeSet;

    #[test]
    fn no_case_is_measured_twice_and_every_scenario_has_some_in_both_forms() {
        for set in [Set::Dali, Set::Ach, Set::Lcm] {
            for &scenario in set.scenarios() {
                for short in [false, true] {
                    let all = set.cases(scenario, short);
                    let different: BTreeSet<Case> = all.iter().copied().collect();
                    assert!(!all.is_empty() && different.len() == all.len(), "{set:?} {scenario:?}");
                }
            }
        }
    }

    #[test]
    fn the_plans_hold_what_the_papers_measured() {
        let dali = dali_cases(Scenario::Paced, false);
        for readers in 1..=10 {
            assert!(
                DALI_SIZES.iter().all(|size| dali.iter().any(|c| (c.size, c.readers) == (*size, readers)))
            );
        }
        let ach = ach_cases(Scenario::Paced, false);
        assert!(ACH_RATES.iter().all(|rate| ach.iter().any(|c| (c.rate, c.readers) == (*rate, 1))));
        assert!(ach.iter().any(|c| (c.rate, c.readers) == (1_000, 2)));
        assert!(ach_cases(Scenario::Hops, false).iter().any(|c| c.hops == 512));
        let echo = lcm_cases(Scenario::Echo, false);
        assert!(
            ECHO_CLIENTS.iter().all(|clients| echo.iter().any(|c| (c.size, c.readers) == (800, *clients)))
        );
    }
}
