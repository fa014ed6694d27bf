//! The checks, one file each.

mod app;
mod buffers;
mod clock;
mod files;
mod found;
mod governor;
mod huge_pages;
mod idle;
mod interrupts;
mod isolation;
mod kernel;
mod kthreads;
mod limits;
mod multicast;
mod owners;
mod preempt;
mod removeipc;
mod shm;
mod smi;
mod smt;
mod swap;
mod throttle;
mod virt;

use crate::Check;

/// All checks, in the order in which they are shown.
pub static ALL: [Check; 22] = [
    kernel::CHECK,
    preempt::CHECK,
    throttle::CHECK,
    limits::CHECK,
    isolation::CHECK,
    governor::CHECK,
    idle::CHECK,
    smt::CHECK,
    smi::CHECK,
    interrupts::CHECK,
    kthreads::CHECK,
    huge_pages::CHECK,
    swap::CHECK,
    shm::CHECK,
    owners::CHECK,
    removeipc::CHECK,
    clock::CHECK,
    virt::CHECK,
    buffers::CHECK,
    multicast::CHECK,
    files::CHECK,
    app::CHECK,
];

/// The check with this name.
pub fn find(id: &str) -> Option<&'static Check> {
    ALL.iter().find(|check| check.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State;
    use crate::made::{Made, robot};
    use std::collections::BTreeSet;

    #[test]
    fn a_machine_set_up_for_control_has_no_findings() {
        let robot = robot();
        for check in &ALL {
            let finding = check.run(robot.host());
            assert_eq!(finding.state, State::Ok, "{}: {finding:?}", check.id);
            assert!(!finding.found.is_empty() && finding.fix == crate::Fix::default(), "{finding:?}");
        }
    }

    #[test]
    fn a_machine_that_hides_everything_is_never_guessed_at() {
        let hidden = Made::hidden();
        for check in &ALL {
            check_hidden(check, &hidden);
        }
    }

    #[track_caller]
    fn check_hidden(check: &Check, hidden: &Made) {
        let finding = check.run(hidden.host());
        assert_eq!(finding.state, State::CannotTell, "{}: {finding:?}", check.id);
        assert!(finding.fix.commands.is_empty(), "no commands for an unknown state: {finding:?}");
    }

    #[test]
    fn each_has_a_unique_name_and_complete_facts() {
        let ids: BTreeSet<&str> = ALL.iter().map(|check| check.id).collect();
        assert_eq!(ids.len(), ALL.len());
        for check in &ALL {
            assert!(find(check.id).is_some_and(|found| std::ptr::eq(found, check)));
            for words in [check.title, check.good, check.why] {
                assert!(!words.is_empty(), "{}", check.id);
            }
            assert!(!check.reads.is_empty(), "{}", check.id);
        }
        assert!(find("nonsense").is_none());
    }
}
