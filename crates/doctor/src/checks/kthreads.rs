//! Checks the kernel's own work on CPUs that are set aside.

use crate::{Check, Finding, Fix, Host, cpus};

pub const CHECK: Check = Check {
    id: "kthreads",
    title: "the kernel's own work",
    reads: &[
        "/sys/devices/virtual/workqueue/cpumask",
        "/proc/sys/kernel/watchdog",
        "/proc/sys/kernel/watchdog_cpumask",
        "/proc/sys/kernel/timer_migration",
        "/proc/sys/vm/stat_interval",
    ],
    good: "housekeeping CPUs only; statistics every 10 s or less often",
    why: "Work queues, the lockup watchdog and the memory statistics run on every CPU by default, each for some \
          microseconds, the statistics every second. With timer_migration, timers of other CPUs may fire there.",
    run,
};

const QUEUES: &str = "/sys/devices/virtual/workqueue/cpumask";

fn run(host: &Host) -> Finding {
    let (Some(isolated), Some(online)) = (host.isolated(), host.online()) else {
        return Finding::cannot_tell("/sys/devices/system/cpu is hidden");
    };
    if isolated.is_empty() {
        return Finding::ok("no CPU is set aside");
    }
    let Some(queues) = host.read(QUEUES).and_then(|text| cpus::mask(&text)) else {
        return Finding::cannot_tell(format!("{QUEUES} is hidden"));
    };
    let (mut found, mut commands) = (Vec::new(), Vec::new());
    if !queues.is_disjoint(&isolated) {
        let mask: u128 = online.difference(&isolated).filter(|cpu| **cpu < 128).map(|cpu| 1 << cpu).sum();
        found.push(format!("work queues run on CPUs {}", cpus::text(&queues)));
        commands.push(format!("echo {} > {QUEUES}", hexadecimal(mask)));
    }
    let watched = host.read("/proc/sys/kernel/watchdog_cpumask").and_then(|text| cpus::list(&text));
    let watches = host.number("/proc/sys/kernel/watchdog").is_some_and(|on| on != 0);
    if watches && watched.is_none_or(|set| !set.is_disjoint(&isolated)) {
        found.push("the lockup watchdog runs there".into());
        commands.push("sysctl -w kernel.watchdog=0".into());
    }
    if host.number("/proc/sys/kernel/timer_migration").is_some_and(|on| on != 0) {
        found.push("timers of other CPUs may fire there".into());
        commands.push("sysctl -w kernel.timer_migration=0".into());
    }
    if let Some(interval) = host.number("/proc/sys/vm/stat_interval").filter(|seconds| *seconds < 10) {
        found.push(format!("memory statistics are gathered every {interval} s"));
        commands.push("sysctl -w vm.stat_interval=10".into());
    }
    match found.is_empty() {
        true => Finding::ok(format!("work queues run on CPUs {}", cpus::text(&queues))),
        false => Finding::warning(found.join("; "), Fix::typed(commands)),
    }
}

/// A mask in the kernel's format: words of 32 bits with commas.
fn hexadecimal(mask: u128) -> String {
    let words = (0..4).rev().map(|n| (mask >> (32 * n)) as u32).skip_while(|word| *word == 0);
    let words: Vec<String> =
        words.enumerate().map(|(n, w)| if n == 0 { format!("{w:x}") } else { format!("{w:08x}") }).collect();
    words.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn each_is_named_with_what_to_type() {
        robot().with(QUEUES, "f").finds(&CHECK, Warning, "echo 3 > /sys/devices/virtual/workqueue/cpumask");
        let watched = robot().with("/proc/sys/kernel/watchdog", "1");
        watched.finds(&CHECK, Warning, "kernel.watchdog=0");
        watched.with("/proc/sys/kernel/watchdog_cpumask", "0-1").finds(&CHECK, Ok, "0-1");
        robot().with("/proc/sys/vm/stat_interval", "1").finds(&CHECK, Warning, "every 1 s");
        robot().with("/proc/sys/kernel/timer_migration", "1").finds(&CHECK, Warning, "timer_migration=0");
        robot().without(QUEUES).finds(&CHECK, CannotTell, QUEUES);
        robot().with("/sys/devices/system/cpu/isolated", "").finds(&CHECK, Ok, "no CPU is set aside");
    }

    #[test]
    fn masks_are_written_as_the_kernel_reads_them() {
        assert_eq!(hexadecimal(0x3), "3");
        assert_eq!(hexadecimal(0x1_0000_0003), "1,00000003");
    }
}
