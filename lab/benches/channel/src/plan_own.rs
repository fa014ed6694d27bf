//! The cases of a run of the shipped command: few enough for some minutes, and the same as in the other sets.

use crate::case::{Case, Mode, Place, Policy, Scenario};

/// The sizes, in bytes: a command, a scan, an image.
pub const SIZES: [usize; 3] = [64, 4 << 10, 1 << 20];

/// The cases of one scenario; `short` is a small part that still touches every kind.
pub fn cases(scenario: Scenario, short: bool) -> Vec<Case> {
    let case = Case { mode: Mode::Sleep, ..Case::new(scenario) };
    let one_core = Case { place: Place::OneCore, ..case };
    let sizes = if short { &SIZES[..1] } else { &SIZES[..] };
    let by_size = |case: Case| sizes.iter().map(move |&size| Case { size, ..case });
    let mut all: Vec<Case> = match scenario {
        Scenario::Pingpong => {
            let more = [case, Case { mode: Mode::Poll, ..case }, Case { policy: Policy::Fifo, ..one_core }];
            by_size(one_core).chain(more).collect()
        }
        Scenario::Paced => [1, 8].map(|readers| Case { readers, ..case }).to_vec(),
        Scenario::Throughput => by_size(case).collect(),
        Scenario::Copy => by_size(Case { mode: Mode::Poll, ..one_core }).collect(),
        _ => Vec::new(),
    };
    if short {
        all.retain(|case| case.policy == Policy::Default);
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
        for &scenario in Set::Own.scenarios().iter().filter(|s| **s != Scenario::Floors) {
            let full: BTreeSet<Case> = cases(scenario, false).into_iter().collect();
            let short = cases(scenario, true);
            assert_eq!(full.len(), cases(scenario, false).len(), "{scenario:?}");
            assert!(!short.is_empty() && short.iter().all(|case| full.contains(case)), "{scenario:?}");
        }
    }
}
