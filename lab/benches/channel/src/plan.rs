//! The cases of a run of the channel's set.

use crate::case::{Case, Mode, Place, Policy, Scenario};

/// The sizes of messages, in bytes.
pub const SIZES: [usize; 5] = [64, 1 << 10, 64 << 10, 1 << 20, 4 << 20];

/// The cases of one scenario; `short` is a small part that still touches every kind.
pub fn cases(scenario: Scenario, short: bool) -> Vec<Case> {
    let all = match scenario {
        Scenario::Pingpong => pingpong(),
        Scenario::Paced => paced(),
        Scenario::Publish => publish(),
        Scenario::Syscalls => syscalls(),
        Scenario::Throughput => throughput(),
        Scenario::Copy => {
            [64, 1 << 20].map(|size| Case { size, place: Place::OneCore, ..Case::new(scenario) }).to_vec()
        }
        _ => Vec::new(),
    };
    if short { all.into_iter().filter(in_short).collect() } else { all }
}

/// The cases of the short form: default scheduling, the shortest messages (in the ping-pong also those of 1 MB), one
/// and eight readers, one and two writers.
fn in_short(case: &Case) -> bool {
    let sizes: &[usize] = match case.scenario {
        Scenario::Pingpong | Scenario::Publish | Scenario::Copy => &[64, 1 << 20],
        _ => &[64],
    };
    let usual = case.policy == Policy::Default && sizes.contains(&case.size);
    usual
        && match case.scenario {
            Scenario::Publish => case.writers == 1 && case.readers != 2,
            Scenario::Throughput => {
                case.writers <= 2 && case.readers != 2 && case.writers * case.readers <= 8
            }
            _ => true,
        }
}

fn pingpong() -> Vec<Case> {
    let mut all = Vec::new();
    for policy in [Policy::Default, Policy::Fifo] {
        for (place, mode) in
            [(Place::TwoCores, Mode::Poll), (Place::OneCore, Mode::Sleep), (Place::TwoCores, Mode::Sleep)]
        {
            all.extend(SIZES.map(|size| Case { place, policy, mode, size, ..Case::new(Scenario::Pingpong) }));
        }
    }
    all
}

fn paced() -> Vec<Case> {
    let case = Case::new(Scenario::Paced);
    let mut all = Vec::new();
    for policy in [Policy::Default, Policy::Fifo] {
        for mode in [Mode::Poll, Mode::Sleep] {
            for readers in [1, 8] {
                // SCHED_FIFO readers that spin on a shared core starve each other, so there is nothing to measure.
                if (policy, mode, readers) != (Policy::Fifo, Mode::Poll, 8) {
                    all.push(Case { policy, mode, readers, ..case });
                }
            }
        }
    }
    all.push(Case { place: Place::OneCore, mode: Mode::Sleep, ..case });
    for mode in [Mode::Poll, Mode::Sleep] {
        all.extend([64 << 10, 1 << 20].map(|size| Case { mode, size, ..case }));
    }
    all
}

fn publish() -> Vec<Case> {
    let case = Case::new(Scenario::Publish);
    let mut all = vec![];
    for writers in [1, 2, 4] {
        all.push(Case { writers, readers: 0, mode: Mode::Stopped, ..case });
        for mode in [Mode::Stopped, Mode::Poll, Mode::Sleep] {
            for readers in [1, 2, 8, 64] {
                if writers == 1 || readers == 1 || readers == 8 {
                    all.push(Case { writers, readers, mode, ..case });
                }
            }
        }
    }
    all.extend(SIZES[1..].iter().map(|&size| Case { size, readers: 0, mode: Mode::Stopped, ..case }));
    for (mode, readers) in [(Mode::Stopped, 0), (Mode::Poll, 1), (Mode::Sleep, 1), (Mode::Sleep, 8)] {
        all.push(Case { policy: Policy::Fifo, mode, readers, ..case });
    }
    all
}

fn syscalls() -> Vec<Case> {
    let case = Case::new(Scenario::Syscalls);
    let states = [
        (Mode::Stopped, 0),
        (Mode::Stopped, 8),
        (Mode::Poll, 1),
        (Mode::Sleep, 1),
        (Mode::Sleep, 8),
        (Mode::Sleep, 64),
    ];
    states.map(|(mode, readers)| Case { mode, readers, ..case }).to_vec()
}

fn throughput() -> Vec<Case> {
    let case = Case::new(Scenario::Throughput);
    let mut all = Vec::new();
    for mode in [Mode::Poll, Mode::Sleep] {
        for writers in [1, 2, 4] {
            all.extend([1, 2, 8].map(|readers| Case { mode, writers, readers, ..case }));
        }
        for &size in &SIZES[1..] {
            all.extend([1, 8].map(|readers| Case { mode, size, readers, ..case }));
        }
        all.push(Case { mode, policy: Policy::Fifo, ..case });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Set;
    use std::collections::BTreeSet;

    #[test]
    fn no_case_is_measured_twice_and_the_short_form_is_a_part_of_the_full_one() {
        for &scenario in Set::Channel.scenarios() {
            let full = cases(scenario, false);
            let set: BTreeSet<Case> = full.iter().copied().collect();
            assert_eq!(set.len(), full.len(), "{scenario:?}");
            let short = cases(scenario, true);
            assert!(short.iter().all(|case| set.contains(case)), "{scenario:?}");
            assert!(scenario == Scenario::Floors || !short.is_empty(), "{scenario:?}");
        }
    }

    #[test]
    fn the_plan_holds_what_the_issue_asks_for() {
        let all: Vec<Case> = Set::Channel.scenarios().iter().flat_map(|s| cases(*s, false)).collect();
        let has = |wanted: &dyn Fn(&Case) -> bool| all.iter().any(wanted);
        assert!(SIZES.iter().all(|size| has(&|c| c.size == *size)));
        assert!([0, 1, 2, 8, 64].iter().all(|n| has(&|c| c.readers == *n)));
        assert!([1, 2, 4].iter().all(|n| has(&|c| c.writers == *n)));
        assert!([Mode::Poll, Mode::Sleep, Mode::Stopped].iter().all(|m| has(&|c| c.mode == *m)));
        assert!([Place::OneCore, Place::TwoCores].iter().all(|p| has(&|c| c.place == *p)));
        assert!([Policy::Default, Policy::Fifo].iter().all(|p| has(&|c| c.policy == *p)));
    }
}
