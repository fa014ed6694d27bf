//! The cases of the set of peers: few, so that all of them are interleaved in a short time. All readers block,
//! except to check that polling works.

use crate::case::{Case, Mode, Place, Scenario};

/// Bytes of a long message.
pub const LARGE: usize = 1 << 20;
/// The rates that are compared, messages per second: for short and for long messages.
const COMPARED: [u32; 2] = [200, 20];

/// The cases of one scenario; `short` is a small part that still touches every kind.
pub fn cases(scenario: Scenario, short: bool) -> Vec<Case> {
    let case = Case { mode: Mode::Sleep, ..Case::new(scenario) };
    match scenario {
        Scenario::Whole => {
            let [rate, long] = COMPARED;
            let case = Case { place: Place::Anywhere, rate, ..case };
            let large = Case { size: LARGE, rate: long, ..case };
            let others = [Case { mode: Mode::Poll, ..case }, Case { size: 1_500, ..case }];
            if short { vec![case, large] } else { [&[case, large], &others[..]].concat() }
        }
        Scenario::Pingpong if short => vec![one_core(case)],
        Scenario::Pingpong => vec![one_core(case), case],
        Scenario::Paced => vec![case],
        Scenario::Lossless => vec![Case { size: LARGE, ..case }],
        _ => Vec::new(),
    }
}

fn one_core(case: Case) -> Case {
    Case { place: Place::OneCore, ..case }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set::Set;
    use std::collections::BTreeSet;

    #[test]
    fn no_case_is_measured_twice_and_every_scenario_has_some_in_both_forms() {
        for &scenario in Set::Peers.scenarios() {
            let full: BTreeSet<Case> = cases(scenario, false).into_iter().collect();
            assert_eq!(full.len(), cases(scenario, false).len(), "{scenario:?}");
            let short = cases(scenario, true);
            assert!(!short.is_empty() && short.iter().all(|case| full.contains(case)), "{scenario:?}");
        }
    }
}
