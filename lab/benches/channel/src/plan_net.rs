//! The cases of a run of the network's set. All readers block: a network is never polled.

use crate::case::{Case, Mode, Place, Scenario};

/// Rates of small messages, per second.
pub const RATES: [u32; 4] = [10_000, 25_000, 50_000, 100_000];
/// The rate of large messages: a camera's.
pub const CAMERA: u32 = 30;
const LARGE: [usize; 2] = [250_000, 1 << 20];
const READERS: [usize; 4] = [1, 2, 4, 10];

/// The cases of one scenario; `short` is a small part that still touches every kind.
pub fn cases(scenario: Scenario, short: bool) -> Vec<Case> {
    let case = Case { mode: Mode::Sleep, ..Case::new(scenario) };
    let all = match scenario {
        Scenario::Pingpong => pingpong(case),
        Scenario::Paced => READERS.map(|readers| Case { readers, ..case }).to_vec(),
        Scenario::Throughput => throughput(case),
        Scenario::Rate => rate(case),
        Scenario::Copy | Scenario::Instructions => {
            vec![Case { place: Place::OneCore, mode: Mode::Poll, ..case }]
        }
        _ => Vec::new(),
    };
    if short { all.into_iter().filter(in_short).collect() } else { all }
}

/// The cases of the short form.
fn in_short(case: &Case) -> bool {
    match case.scenario {
        Scenario::Pingpong => case.size == 64 && case.place == Place::OneCore,
        Scenario::Rate => [50_000, CAMERA].contains(&case.rate) && case.size != LARGE[0] && !case.stock,
        Scenario::Paced => case.readers == 10,
        _ => case.size == 64 && case.readers == 1,
    }
}

fn pingpong(case: Case) -> Vec<Case> {
    let one_core = Case { place: Place::OneCore, ..case };
    let mut all = Vec::new();
    for one_group in [false, true] {
        all.extend([64, 1 << 10].map(|size| Case { size, one_group, ..one_core }));
        all.extend([64, 1 << 10].map(|size| Case { size, one_group, ..case }));
    }
    all.extend([64 << 10, 1 << 20].map(|size| Case { size, ..one_core }));
    all
}

fn throughput(case: Case) -> Vec<Case> {
    let mut all = READERS.map(|readers| Case { readers, ..case }).to_vec();
    all.extend([1 << 10, 1 << 20].map(|size| Case { size, ..case }));
    all.push(Case { place: Place::Anywhere, ..case });
    all
}

fn rate(case: Case) -> Vec<Case> {
    let mut all = RATES.map(|rate| Case { rate, ..case }).to_vec();
    all.extend(LARGE.map(|size| Case { rate: CAMERA, size, ..case }));
    all.push(Case { rate: 50_000, stock: true, ..case });
    all.extend(LARGE.map(|size| Case { rate: CAMERA, size, stock: true, ..case }));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Set;
    use std::collections::BTreeSet;

    #[test]
    fn no_case_is_measured_twice_and_every_scenario_has_some_in_both_forms() {
        for &scenario in Set::Net.scenarios() {
            let full = cases(scenario, false);
            let set: BTreeSet<Case> = full.iter().copied().collect();
            assert_eq!(set.len(), full.len(), "{scenario:?}");
            let short = cases(scenario, true);
            assert!(!short.is_empty() && short.iter().all(|case| set.contains(case)), "{scenario:?}");
        }
    }

    #[test]
    fn the_plan_holds_what_the_aims_ask_for() {
        let rates = cases(Scenario::Rate, false);
        for (rate, size) in [(50_000, 64), (CAMERA, 1 << 20)] {
            for stock in [false, true] {
                assert!(rates.iter().any(|c| (c.rate, c.size, c.stock) == (rate, size, stock)));
            }
        }
        assert!(cases(Scenario::Paced, false).iter().any(|c| c.readers == 10));
    }
}
