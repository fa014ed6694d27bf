//! Timeouts, in a channel's clock.

use crate::border::Result;
use crate::errors::refused;
use crate::status::{ACH_FAILED_SYSCALL, ACH_O_RELTIME};
use libc::{clockid_t, timespec};
use saltus_channel::{Attributes, Until, clock};
use std::ffi::c_int;

const SECOND: i128 = 1_000_000_000;
/// How long a wait by a clock that may jump sleeps before it reads that clock again, in ns.
const SLICE: u64 = 100_000_000;

/// The clock of a channel's timeouts. Ach has two; a channel that another program of Saltus made has the default one.
pub(crate) fn clock_of(attributes: &Attributes) -> clockid_t {
    match attributes.get_clock() {
        clock::Clock::Realtime => libc::CLOCK_REALTIME,
        _ => libc::CLOCK_MONOTONIC,
    }
}

/// When a wait ends.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    clock: clockid_t,
    /// In ns of the clock; `None` is never.
    at: Option<u64>,
}

impl Limit {
    /// The limit that a program gives by `timeout`, which is NULL for none.
    pub unsafe fn new(timeout: *const timespec, options: c_int, clock: clockid_t) -> Result<Limit> {
        // SAFETY: NULL or a time, as the header demands.
        let Some(time) = (unsafe { timeout.as_ref() }) else { return Ok(Limit { clock, at: None }) };
        if !(0..SECOND).contains(&(time.tv_nsec as i128)) {
            let text = format_args!("a timeout with {} ns: expected 0 to 999999999", time.tv_nsec);
            return Err(refused(ACH_FAILED_SYSCALL, libc::EINVAL, text));
        }
        let time = time.tv_sec as i128 * SECOND + time.tv_nsec as i128;
        let from = if options & ACH_O_RELTIME == 0 { 0 } else { now(clock) };
        let at = (time + from as i128).clamp(0, u64::MAX as i128) as u64;
        Ok(Limit { clock, at: Some(at) })
    }

    /// The time in ns, or all that there is.
    pub fn ns(&self) -> u64 {
        self.at.unwrap_or(u64::MAX)
    }

    /// Whether it has passed.
    pub fn is_over(&self) -> bool {
        self.at.is_some_and(|at| now(self.clock) >= at)
    }

    /// How long to sleep before [`Limit::is_over`] is asked again.
    pub fn until(&self) -> Until {
        match self.at {
            None => Until::Forever,
            Some(at) if self.clock == libc::CLOCK_MONOTONIC => Until::At(at),
            Some(at) => {
                let left = at.saturating_sub(now(self.clock)).min(SLICE);
                Until::At(clock::monotonic().saturating_add(left))
            }
        }
    }
}

/// Reads a clock, in ns.
fn now(clock: clockid_t) -> u64 {
    match clock {
        libc::CLOCK_REALTIME => clock::now(clock::Clock::Realtime),
        _ => clock::monotonic(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr::null;

    fn limit(seconds: i64, nanoseconds: i64, options: c_int, clock: clockid_t) -> Result<Limit> {
        let time = timespec { tv_sec: seconds as _, tv_nsec: nanoseconds as _ };
        // SAFETY: a time that lives across the call.
        unsafe { Limit::new(&time, options, clock) }
    }

    #[test]
    fn limits_are_times_of_either_clock_or_from_now() {
        // SAFETY: NULL is allowed: it means no limit.
        let never = unsafe { Limit::new(null(), 0, libc::CLOCK_MONOTONIC) }.unwrap();
        assert!(!never.is_over() && never.until() == Until::Forever);
        for clock in [libc::CLOCK_MONOTONIC, libc::CLOCK_REALTIME] {
            assert!(limit(0, 0, 0, clock).unwrap().is_over());
            assert!(limit(-5, 0, 0, clock).unwrap().is_over());
            assert!(limit(-5, 0, ACH_O_RELTIME, clock).unwrap().is_over());
            assert!(limit(0, 0, ACH_O_RELTIME, clock).unwrap().is_over());
            assert!(!limit(1000, 0, ACH_O_RELTIME, clock).unwrap().is_over());
            assert!(!limit(i64::MAX, 999_999_999, ACH_O_RELTIME, clock).unwrap().is_over());
            for wrong in [-1, 1_000_000_000] {
                assert_eq!(limit(1, wrong, 0, clock).err(), Some(ACH_FAILED_SYSCALL));
            }
        }
        let jumping = limit(1000, 0, ACH_O_RELTIME, libc::CLOCK_REALTIME).unwrap().until();
        let Until::At(at) = jumping else { panic!("{jumping:?}") };
        assert!(at <= clock::monotonic() + SLICE, "the clock is read again before");
    }
}
