//! Clocks. Readings are nanoseconds in a `u64`; they do not block, allocate or (with a vDSO) call the kernel.

use std::sync::OnceLock;

/// A clock to stamp messages with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum Clock {
    /// Time since boot, suspend included; the same in every time namespace. The default.
    #[default]
    Boottime = 7,
    /// Time since boot without suspend; the same in every time namespace.
    Monotonic = 1,
    /// Wall time since 1970. It may jump, and with it the order between publishers.
    Realtime = 0,
}

impl Clock {
    /// The clock of this number, if it is one that Saltus stamps with.
    pub fn from_id(id: u32) -> Option<Clock> {
        [Clock::Boottime, Clock::Monotonic, Clock::Realtime].into_iter().find(|c| *c as u32 == id)
    }
}

/// Reads `clock`, in nanoseconds, as the machine's first time namespace has it.
#[inline]
pub fn now(clock: Clock) -> u64 {
    let raw = raw(clock as libc::clockid_t);
    match clock {
        Clock::Realtime => raw as u64,
        _ => (raw - offset(clock)).max(0) as u64,
    }
}

/// The boot clock in nanoseconds: what channels stamp with by default.
#[inline]
pub fn boottime() -> u64 {
    now(Clock::Boottime)
}

/// The monotonic clock of this process's time namespace, in nanoseconds: what deadlines are told in.
#[inline]
pub fn monotonic() -> u64 {
    raw(libc::CLOCK_MONOTONIC) as u64
}

#[inline]
fn raw(id: libc::clockid_t) -> i64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live timespec; the three clocks exist on every Linux that we build for.
    unsafe { libc::clock_gettime(id, &mut t) };
    t.tv_sec * 1_000_000_000 + t.tv_nsec
}

/// How far this process's time namespace shifts `clock`, in ns. Read once: a process that enters another time namespace
/// later, by `unshare` and a fork without `exec`, stamps by the first one's clock.
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
    fn clocks_advance() {
        for clock in [Clock::Boottime, Clock::Monotonic, Clock::Realtime] {
            let before = now(clock);
            assert!(before > 0 && now(clock) >= before, "{clock:?}");
            assert_eq!(Clock::from_id(clock as u32), Some(clock));
        }
        assert_eq!(Clock::from_id(99), None);
    }
}
