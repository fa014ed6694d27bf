//! The core and the scheduling class of a process.

use crate::case::{Case, Place, Policy};
use crate::error::{Fallible, check};
use saltus_os::rt;

/// Priority of the `SCHED_FIFO` cases.
pub const FIFO_PRIORITY: i32 = 50;

/// A process's core and class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The core it is pinned to; `None`: the scheduler chooses.
    pub core: Option<usize>,
    /// The class it gets.
    pub policy: Policy,
}

impl Seat {
    /// Writer `index`: the first is on the first core, further ones on the next, round-robin.
    pub fn writer(case: &Case, cores: &[usize], index: usize) -> Seat {
        let core = match case.place {
            Place::OneCore => Some(cores[0]),
            Place::TwoCores => Some(cores[index % cores.len()]),
            Place::Anywhere => None,
        };
        Seat { core, policy: case.policy }
    }

    /// Reader `index`: on two cores never the first writer's, otherwise spread over all that are left.
    pub fn reader(case: &Case, cores: &[usize], index: usize) -> Seat {
        let core = match (case.place, &cores[1..]) {
            (Place::Anywhere, _) => None,
            (Place::OneCore, _) | (_, []) => Some(cores[0]),
            (Place::TwoCores, others) => Some(others[index % others.len()]),
        };
        Seat { core, policy: case.policy }
    }

    /// Applies the seat to the calling process. Timers are set to be exact, which they are not for the default
    /// class.
    pub fn take(&self) -> Fallible<()> {
        if let Some(core) = self.core {
            rt::set_affinity(&[core])?;
        }
        // SAFETY: sets a number of this process; touches no memory.
        check("prctl(PR_SET_TIMERSLACK)", unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0) })?;
        if self.policy == Policy::Fifo {
            rt::set_fifo(FIFO_PRIORITY)?;
        }
        Ok(())
    }
}

/// Whether the system lets us have `SCHED_FIFO`: a forked child tries.
pub fn fifo_allowed() -> bool {
    // SAFETY: the harness has one thread; the child makes one system call and leaves.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let code = if rt::set_fifo(FIFO_PRIORITY).is_ok() { 0 } else { 1 };
        // SAFETY: leaves without running anything of the parent's.
        unsafe { libc::_exit(code) };
    }
    let mut status = 1;
    // SAFETY: waits for our own child.
    child > 0 && unsafe { libc::waitpid(child, &mut status, 0) } == child && status == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Scenario;

    #[test]
    fn readers_never_sit_on_the_first_writers_core_when_there_are_two() {
        let case = Case::new(Scenario::Throughput);
        for index in 0..8 {
            assert_eq!(Seat::reader(&case, &[3, 7], index).core, Some(7));
        }
        assert_eq!(Seat::reader(&case, &[0, 1, 2], 1).core, Some(2));
        assert_eq!(Seat::writer(&case, &[3, 7], 0).core, Some(3));
        assert_eq!(Seat::writer(&case, &[3, 7], 1).core, Some(7));
    }

    #[test]
    fn one_core_is_one_core_even_when_there_are_more() {
        let case = Case { place: Place::OneCore, ..Case::new(Scenario::Pingpong) };
        assert_eq!(Seat::reader(&case, &[2, 3], 5).core, Some(2));
        assert_eq!(Seat::writer(&case, &[2, 3], 5).core, Some(2));
    }
}
