//! Checks for a real-time kernel.

use crate::{Check, Finding, Fix, Host};

pub const CHECK: Check = Check {
    id: "rt.kernel",
    title: "real-time kernel",
    reads: &["/proc/sys/kernel/version", "/sys/kernel/realtime"],
    good: "PREEMPT_RT in the version, or 1 in /sys/kernel/realtime",
    why: "With PREEMPT_RT almost all of the kernel can be interrupted by a thread of higher priority, so that it runs within \
          tens of microseconds. Without it, a driver or a file system can delay every thread for milliseconds. It has been \
          part of Linux since 6.12 (x86-64, arm64, RISC-V).",
    run,
};

fn run(host: &Host) -> Finding {
    let Some(version) = host.read("/proc/sys/kernel/version") else {
        return Finding::cannot_tell("the kernel's version is hidden");
    };
    let release = host.read("/proc/sys/kernel/osrelease").unwrap_or_default();
    if is_realtime(host) {
        return Finding::ok(format!("PREEMPT_RT, {release}"));
    }
    let fix = "install a PREEMPT_RT kernel: Debian `apt install linux-image-rt-amd64` (or -rt-arm64), \
               Ubuntu `pro enable realtime-kernel`; others build 6.12 or newer with CONFIG_PREEMPT_RT";
    Finding::warning(format!("no PREEMPT_RT: {release} {version}"), Fix::words(fix))
}

/// Whether the kernel reports PREEMPT_RT. Older ones with patches report it only in a file.
pub fn is_realtime(host: &Host) -> bool {
    host.read("/proc/sys/kernel/version").is_some_and(|version| version.contains("PREEMPT_RT"))
        || host.read("/sys/kernel/realtime").is_some_and(|text| text == "1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn a_kernel_is_real_time_by_its_version_or_its_word() {
        let version = "/proc/sys/kernel/version";
        let old = robot().with(version, "#1 SMP PREEMPT RT 4.19");
        old.finds(&CHECK, Ok, "PREEMPT_RT");
        let laptop = old.without("/sys/kernel/realtime").with(version, "#1 SMP PREEMPT_DYNAMIC");
        laptop.finds(&CHECK, Warning, "linux-image-rt");
        laptop.without(version).finds(&CHECK, CannotTell, "hidden");
    }
}
