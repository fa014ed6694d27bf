//! Checks for a hypervisor, and for throttling by control groups.

use saltus_os::cgroup;

use crate::{Check, Finding, Fix, Host};

pub const CHECK: Check = Check {
    id: "virt",
    title: "virtual machine, CPU share",
    reads: &["/proc/cpuinfo", "/proc/stat", "cpu.stat of the control group and of those above it"],
    good: "a physical machine; never throttled",
    why: "In a virtual machine the host decides when its CPUs run, and nothing inside can prevent a pause. Time that the host took is counted \
          as stolen, as far as the host reports it. A container with a share of the CPUs (cpu.max) is stopped for the rest of each \
          period once the share is used up.",
    run,
};

fn run(host: &Host) -> Finding {
    let throttled = throttled(host);
    let Some(is_virtual) = host.is_virtual() else {
        return match throttled {
            Some(n) if n > 0 => Finding::warning(throttled_words(n), fix()),
            _ => Finding::cannot_tell("this CPU does not report whether it is virtual"),
        };
    };
    let mut found = Vec::new();
    if is_virtual {
        found.push(match stolen(host) {
            Some(percent) => format!("a virtual machine; the host took {percent:.2} % of the time since boot, as far as it reports it"),
            None => "a virtual machine; how much time the host took is hidden".into(),
        });
    }
    match throttled {
        Some(0) => {}
        Some(n) => found.push(throttled_words(n)),
        None if is_virtual => {}
        None => {
            return Finding::cannot_tell(
                "no hypervisor is seen, but whether a control group is throttled is hidden",
            );
        }
    }
    match found.is_empty() {
        true => Finding::ok("no hypervisor is seen, and this control group was never throttled"),
        false if is_virtual => Finding::warning(
            found.join("; "),
            fix().and("measure on the robot's machine; in a virtual one: dedicated CPUs of the host"),
        ),
        false => Finding::warning(found.join("; "), fix()),
    }
}

fn throttled_words(n: u64) -> String {
    format!("a control group was throttled {n} times")
}

fn fix() -> Fix {
    Fix::words("lift the share of the CPUs (cpu.max; Docker --cpus, systemd CPUQuota=)")
}

/// Number of times that this process's groups were throttled; `None` if hidden. Groups without a limit do not count it.
fn throttled(host: &Host) -> Option<u64> {
    let table = host.read("/proc/self/cgroup")?;
    let files = cgroup::files_in(&table, "cpu", "cpu.stat");
    let counts = files.iter().filter_map(|file| {
        let text = host.read(file.to_str()?)?;
        text.lines().find_map(|line| line.strip_prefix("nr_throttled ")?.trim().parse::<u64>().ok())
    });
    counts.max().or_else(|| (!host.names("/sys/fs/cgroup").is_empty()).then_some(0))
}

/// Stolen time, in percent.
fn stolen(host: &Host) -> Option<f64> {
    let text = host.read("/proc/stat")?;
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let times: Vec<f64> = line.split_whitespace().take(8).map_while(|word| word.parse().ok()).collect();
    let all: f64 = times.iter().sum();
    Some(100.0 * times.get(7)? / all).filter(|percent| percent.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn delayed_virtual_cpus_are_reported() {
        let virtual_one = || robot().with("/proc/cpuinfo", "flags\t: fpu hypervisor lm");
        virtual_one().with("/proc/stat", "cpu  50 0 0 40 0 0 0 10 0 0").finds(&CHECK, Warning, "10.00 %");
        virtual_one().without("/proc/stat").finds(&CHECK, Warning, "hidden");
        let group = "/sys/fs/cgroup/cpu.stat";
        robot().with(group, "nr_throttled 7\n").finds(&CHECK, Warning, "throttled 7 times");
        let plain = robot().without("/sys/fs/cgroup/robot/cpu.stat");
        plain.finds(&CHECK, Ok, "never throttled");
        robot().without("/proc/self/cgroup").finds(&CHECK, CannotTell, "hidden");
        let arm = robot().with("/proc/cpuinfo", "Features : fp asimd");
        arm.finds(&CHECK, CannotTell, "does not report");
        arm.with(group, "nr_throttled 7\n").finds(&CHECK, Warning, "--cpus");
    }
}
