//! Clocks. Readings are nanoseconds in a `u64`; they do not block, allocate or (with a vDSO) call the kernel.

pub use crate::common::clock::*;
use std::sync::OnceLock;

/// Reads `clock`, in nanoseconds, relative to the machine's first time namespace.
#[inline]
pub fn now(clock: Clock) -> u64 {
    let raw = raw(clock as libc::clockid_t);
    match clock {
        Clock::Realtime => raw as u64,
        _ => (raw - offset(clock)).max(0) as u64,
    }
}

/// The boot clock in nanoseconds: the default clock of channels' timestamps.
#[inline]
pub fn boottime() -> u64 {
    now(Clock::Boottime)
}

/// The monotonic clock of this process's time namespace, in nanoseconds: the clock of deadlines.
#[inline]
pub fn monotonic() -> u64 {
    raw(libc::CLOCK_MONOTONIC) as u64
}

/// The data that a time service has set in the kernel. Calls the kernel; `None` if a sandbox forbids it.
pub fn discipline() -> Option<Discipline> {
    // SAFETY: all zeros requests no change; the call fills the structure.
    let (state, told) = unsafe {
        let mut told: libc::timex = std::mem::zeroed();
        (libc::adjtimex(&mut told), told)
    };
    (state >= 0).then(|| discipline_of(told.status, told.esterror.max(0) as u64, told.maxerror.max(0) as u64))
}

fn discipline_of(status: libc::c_int, estimated: u64, bound: u64) -> Discipline {
    Discipline {
        kept: status & libc::STA_UNSYNC == 0,
        estimated: (0 < estimated && estimated <= bound).then_some(estimated),
        bound,
    }
}

#[inline]
fn raw(id: libc::clockid_t) -> i64 {
    #[cfg(target_pointer_width = "32")]
    if id == libc::CLOCK_REALTIME {
        return wall();
    }
    let mut t = super::timespec(0);
    // SAFETY: the pointer is to a live timespec; the three clocks exist on every Linux that we build for.
    unsafe { libc::clock_gettime(id, &mut t) };
    #[allow(clippy::unnecessary_cast)] // both have 32 bits on some processors
    (t.tv_sec as i64 * 1_000_000_000 + t.tv_nsec as i64)
}

/// The wall clock of a 32-bit process, where the seconds of the C library end in 2038. The other clocks count from the start of the
/// machine. A system call.
#[cfg(target_pointer_width = "32")]
fn wall() -> i64 {
    /// `clock_gettime64`, the same number on every 32-bit processor, which the crate `libc` lacks.
    const CLOCK_GETTIME64: libc::c_long = 403;
    let mut t = super::Time64::new(0);
    // SAFETY: the pointer is to a live record of the size that this call fills.
    unsafe { libc::syscall(CLOCK_GETTIME64, libc::CLOCK_REALTIME, &mut t) };
    t.seconds * 1_000_000_000 + t.nanoseconds
}

/// The offset of this process's time namespace for `clock`, in ns. Read once: a process that enters another time namespace later, by
/// `unshare` and a fork without `exec`, keeps the offset of the first one.
#[inline]
fn offset(clock: Clock) -> i64 {
    static OFFSETS: OnceLock<(i64, i64)> = OnceLock::new();
    let (monotonic, boottime) = *OFFSETS.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/self/timens_offsets").unwrap_or_default();
        (offset_of(&text, "monotonic"), offset_of(&text, "boottime"))
    });
    if clock == Clock::Boottime { boottime } else { monotonic }
}

/// Finds `name  seconds  nanoseconds` in the kernel's table.
fn offset_of(table: &str, name: &str) -> i64 {
    let words = table.lines().map(|l| l.split_whitespace().collect::<Vec<_>>());
    words
        .filter(|w| w.len() == 3 && w[0] == name)
        .find_map(|w| {
            Some(w[1].parse::<i64>().ok()?.saturating_mul(1_000_000_000) + w[2].parse::<i64>().ok()?)
        })
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_namespace_offsets_are_read() {
        let table = "monotonic      100000         5\nboottime      -2         0\n";
        assert_eq!(offset_of(table, "monotonic"), 100_000_000_000_005);
        assert_eq!(offset_of(table, "boottime"), -2_000_000_000);
        assert_eq!(offset_of("", "boottime"), 0);
    }

    #[test]
    fn an_estimate_is_one_only_within_its_bound() {
        // chronyd; systemd-timesyncd; phc2sys, which keeps the kernel's 16 s; no service.
        for (told, estimated, kept) in [
            ((libc::STA_PLL, 12, 340), Some(12), true),
            ((libc::STA_PLL, 0, 500), None, true),
            ((0, 16_000_000, 500), None, true),
            ((libc::STA_UNSYNC, 16_000_000, 16_000_000), Some(16_000_000), false),
        ] {
            let (status, esterror, bound) = told;
            assert_eq!(discipline_of(status, esterror, bound), Discipline { kept, estimated, bound });
        }
    }

    #[test]
    fn clocks_advance() {
        for clock in [Clock::Boottime, Clock::Monotonic, Clock::Realtime] {
            let before = now(clock);
            assert!(before > 0 && now(clock) >= before, "{clock:?}");
            assert_eq!(Clock::from_id(clock as u32), Some(clock));
        }
        assert_eq!(Clock::from_id(99), None);
    }
}
