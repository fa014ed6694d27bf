//! Both sides of a schedule: the sender, and the times that a receiver records. The caller provides the time, so
//! that the counts can be tested with known numbers (`honest.rs`).

use crate::clock;
use crate::control::Window;
use crate::error::Fallible;
use crate::message::Head;
use crate::outcome::{Metric, Outcome, record};
use crate::schedule::Schedule;

/// The clock and sleep that a sender uses.
pub trait Time {
    /// The time, in ns.
    fn now(&self) -> u64;
    /// Returns when that time has come; immediately if it has passed.
    fn wait_until(&self, at: u64);
    /// Processor time used so far, in ns.
    fn cpu(&self) -> u64;
}

/// The machine's real clock.
pub struct Real {
    /// Whether it spins instead of sleeping. The processor time is then meaningless and is not reported.
    pub spins: bool,
}

impl Time for Real {
    fn now(&self) -> u64 {
        clock::now()
    }

    fn wait_until(&self, at: u64) {
        if self.spins { clock::spin_until(at) } else { clock::sleep_until(at) }
    }

    fn cpu(&self) -> u64 {
        if self.spins { 0 } else { clock::cpu_used() }
    }
}

/// Sends the messages due before the end of the window, each when it is due or as soon as possible after. Returns
/// the last head.
pub fn offer(
    time: &impl Time,
    schedule: &Schedule,
    window: &Window,
    outcome: &mut Outcome,
    mut send: impl FnMut(&Head) -> Fallible<()>,
) -> Fallible<Head> {
    let (mut head, mut cpu) = (Head::default(), None);
    for k in 0..schedule.count_before(window.end) {
        (head.due, head.number) = (schedule.due(k), k + 1);
        time.wait_until(head.due);
        head.sent = time.now();
        if window.has(head.due) {
            cpu.get_or_insert_with(|| time.cpu());
            outcome.sent += 1;
        }
        send(&head)?;
    }
    let used = time.cpu();
    outcome.cpu = used - cpu.unwrap_or(used);
    Ok(head)
}

/// Counts a message that arrived at `now` if it was due in the window, however late it arrives.
#[inline]
pub fn arrived(outcome: &mut Outcome, head: &Head, window: &Window, now: u64) {
    if window.has(head.due) {
        record(outcome.times(Metric::Response), now.saturating_sub(head.due));
        record(outcome.times(Metric::Service), now.saturating_sub(head.sent));
        outcome.received += 1;
    }
}
