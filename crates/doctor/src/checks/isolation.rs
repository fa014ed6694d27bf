//! Checks whether CPUs are set aside for real-time threads.

use std::collections::BTreeSet;

use crate::{Check, Finding, Fix, Host, cpus};

pub const CHECK: Check = Check {
    id: "cpu.isolation",
    title: "CPUs set aside",
    reads: &[
        "/sys/devices/system/cpu/isolated",
        "/sys/devices/system/cpu/nohz_full",
        "/sys/fs/cgroup/cpuset.cpus.isolated",
        "/proc/cmdline",
    ],
    good: "real-time CPUs are isolated, without a periodic tick, RCU callbacks and interrupts",
    why: "On a CPU that is set aside, only threads bound to it run. isolcpus (or an isolated partition of control groups) keeps \
          other programs away, nohz_full the timer tick, rcu_nocbs the kernel's deferred work, irqaffinity the interrupts. Without \
          that even a real-time thread shares caches and kernel locks with other programs. Bind the control loop there, \
          for example with `taskset -c`.",
    run,
};

fn run(host: &Host) -> Finding {
    let (Some(isolated), Some(online)) = (host.isolated(), host.online()) else {
        return Finding::cannot_tell("/sys/devices/system/cpu is hidden");
    };
    if isolated.is_empty() {
        return match proposal(&online) {
            Some(line) => Finding::warning(
                format!("none of the CPUs {} is isolated", cpus::text(&online)),
                Fix::words(format!("add to the boot command line: {line}")),
            ),
            None => Finding::warning(
                "there is one CPU, and none to set aside",
                Fix::words("a machine with several CPUs"),
            ),
        };
    }
    let set = cpus::text(&isolated);
    let Some(line) = host.read("/proc/cmdline") else {
        return Finding::cannot_tell(format!("CPUs {set} are isolated, but the boot command line is hidden"));
    };
    let tickless =
        host.read("/sys/devices/system/cpu/nohz_full").and_then(|text| cpus::list(&text)).unwrap_or_default();
    let mut missing = Vec::new();
    if !isolated.is_subset(&tickless) {
        missing.push(format!("nohz_full={set}"));
    }
    // nohz_full implies rcu_nocbs.
    let deferred = host
        .boot("rcu_nocbs")
        .and_then(|text| if text == "all" { Some(isolated.clone()) } else { cpus::list(&text) });
    if !isolated.is_subset(&tickless.union(&deferred.unwrap_or_default()).copied().collect()) {
        missing.push(format!("rcu_nocbs={set}"));
    }
    if !line.contains("irqaffinity=") {
        let rest: BTreeSet<usize> = online.difference(&isolated).copied().collect();
        missing.push(format!("irqaffinity={}", cpus::text(&rest)));
    }
    match missing.is_empty() {
        true => Finding::ok(format!("CPUs {set} are isolated, without tick, RCU callbacks and interrupts")),
        false => Finding::warning(
            format!("CPUs {set} are isolated, but not from everything"),
            Fix::words(format!("add to the boot command line: {}", missing.join(" "))),
        ),
    }
}

/// The upper half for real-time threads.
fn proposal(online: &BTreeSet<usize>) -> Option<String> {
    let all: Vec<usize> = online.iter().copied().collect();
    let (keep, apart) = all.split_at(all.len().div_ceil(2));
    let [keep, apart] = [keep, apart].map(|half| cpus::text(&half.iter().copied().collect()));
    (!apart.is_empty()).then(|| {
        format!("isolcpus=managed_irq,domain,{apart} nohz_full={apart} rcu_nocbs={apart} irqaffinity={keep}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    const ISOLATED: &str = "/sys/devices/system/cpu/isolated";

    #[test]
    fn the_boot_command_line_is_worked_out() {
        let laptop = robot().with(ISOLATED, "\n");
        laptop.finds(
            &CHECK,
            Warning,
            "isolcpus=managed_irq,domain,2-3 nohz_full=2-3 rcu_nocbs=2-3 irqaffinity=0-1",
        );
        let five = laptop.with("/sys/devices/system/cpu/online", "0-4");
        five.finds(&CHECK, Warning, "irqaffinity=0-2");
        five.with("/sys/devices/system/cpu/online", "0").finds(&CHECK, Warning, "one CPU");
    }

    #[test]
    fn missing_settings_are_named() {
        let half =
            robot().with("/proc/cmdline", "isolcpus=2-3").with("/sys/devices/system/cpu/nohz_full", "(null)");
        half.finds(&CHECK, Warning, "line: nohz_full=2-3 rcu_nocbs=2-3 irqaffinity=0-1");
        half.without("/proc/cmdline").finds(&CHECK, CannotTell, "hidden");
        let partition = robot().with(ISOLATED, "").with("/sys/fs/cgroup/cpuset.cpus.isolated", "3");
        partition.finds(&CHECK, Ok, "CPUs 3 are");
    }
}
