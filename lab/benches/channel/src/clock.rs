//! Time: one clock for everything, `CLOCK_MONOTONIC`, in nanoseconds; and processor time used.

/// `CLOCK_MONOTONIC`, through the vDSO. Its cost is printed in the header of every report.
pub use saltus_os::clock::monotonic as now;

/// Sleeps until a point of `CLOCK_MONOTONIC`; returns immediately when it has passed.
pub fn sleep_until(at: u64) {
    let t = libc::timespec { tv_sec: (at / 1_000_000_000) as _, tv_nsec: (at % 1_000_000_000) as _ };
    // SAFETY: reads one timespec; an interrupted sleep is resumed with the same absolute time.
    while unsafe {
        libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &t, std::ptr::null_mut())
    } == libc::EINTR
    {}
}

/// Waits for a point in time without leaving the processor and without a system call.
pub fn spin_until(at: u64) {
    while now() < at {}
}

/// Processor time of this process so far, user and system, in nanoseconds.
pub fn cpu_used() -> u64 {
    // SAFETY: all-zero is a valid rusage, and the call only writes to it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let ns = |t: libc::timeval| t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1_000;
    ns(usage.ru_utime) + ns(usage.ru_stime)
}
