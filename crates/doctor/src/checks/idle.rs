//! Checks how long a CPU takes to wake up.

use std::collections::BTreeSet;

use crate::{Check, Finding, Fix, Host, cpus};

pub const CHECK: Check = Check {
    id: "cpu.idle",
    title: "idle states",
    reads: &[
        "/sys/devices/system/cpu/cpu*/cpuidle/state*/latency",
        "/sys/devices/system/cpu/cpu*/power/pm_qos_resume_latency_us",
        "/dev/cpu_dma_latency",
    ],
    good: "no state that takes longer than 10 us, on the isolated CPUs, or on all if none is isolated",
    why: "An idle CPU sleeps, deeper with time, and needs 100 us or more to leave a deep state: \
          at every wake-up of a control loop. A program can forbid that while it runs, by holding /dev/cpu_dma_latency open with 0 \
          written to it; or you can set a limit per CPU.",
    run,
};

/// Longest acceptable time, in µs.
const SHORT: u64 = 10;

fn run(host: &Host) -> Finding {
    let (Some(online), Some(isolated)) = (host.online(), host.isolated()) else {
        return Finding::cannot_tell("/sys/devices/system/cpu is hidden");
    };
    let looked_at = if isolated.is_empty() { &online } else { &isolated };
    let everywhere = host.tried.wake_latency.and_then(|us| u64::try_from(us).ok()).unwrap_or(u64::MAX);
    let mut deep = BTreeSet::new();
    let mut longest: Option<(u64, String)> = None;
    for &cpu in looked_at {
        let bound = everywhere.min(own_bound(host, cpu));
        let Some(state) = deepest(host, cpu, bound) else {
            return Finding::cannot_tell("idle states are not shown: in a virtual machine the host decides");
        };
        if state.0 > SHORT {
            deep.insert(cpu);
        }
        longest = longest.max(Some(state));
    }
    let Some((us, name)) = longest else {
        return Finding::cannot_tell("no CPU is shown");
    };
    let found = format!("the deepest state of CPUs {} is {name}, {us} us to wake up", cpus::text(looked_at));
    if deep.is_empty() {
        let host_decides = host.is_virtual() == Some(true);
        return match host_decides {
            true => Finding::cannot_tell(format!(
                "{found}; below this virtual machine the host may let CPUs sleep deeper"
            )),
            false => Finding::ok(found),
        };
    }
    let bound =
        |cpu| format!("echo {SHORT} > /sys/devices/system/cpu/cpu{cpu}/power/pm_qos_resume_latency_us");
    let words = "or hold /dev/cpu_dma_latency open with 0 written to it, while the controller runs";
    Finding::warning(found, Fix::typed(deep.into_iter().map(bound)).and(words))
}

/// The limit for this CPU only, in µs: `0` means no limit, `n/a` means no idle states.
fn own_bound(host: &Host, cpu: usize) -> u64 {
    match host.read(&format!("/sys/devices/system/cpu/cpu{cpu}/power/pm_qos_resume_latency_us")).as_deref() {
        Some("n/a") => 0,
        Some(text) => text.parse().ok().filter(|us| *us > 0).unwrap_or(u64::MAX),
        None => u64::MAX,
    }
}

/// The deepest allowed state: its wake-up time, in µs, and its name.
fn deepest(host: &Host, cpu: usize, bound: u64) -> Option<(u64, String)> {
    let directory = format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle");
    let states = host.names(&directory).into_iter().filter(|name| name.starts_with("state"));
    let allowed = states.filter_map(|state| {
        let at = |file: &str| host.read(&format!("{directory}/{state}/{file}"));
        let latency: u64 = at("latency")?.parse().ok()?;
        let off = at("disable").is_some_and(|text| text != "0");
        (!off && latency <= bound).then(|| (latency, at("name").unwrap_or_else(|| state.clone())))
    });
    allowed.max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::{Made, robot};

    fn laptop() -> Made {
        let mut made = robot();
        for cpu in 0..4 {
            let state = format!("/sys/devices/system/cpu/cpu{cpu}/cpuidle/state2");
            made = made.with(&format!("{state}/latency"), "350").with(&format!("{state}/name"), "C10");
        }
        made
    }

    #[test]
    fn deep_states_count_on_the_processors_that_matter() {
        let finding = laptop().finds(&CHECK, Warning, "C10, 350 us");
        assert_eq!(finding.fix.commands.len(), 2, "only isolated CPUs: {finding:?}");
        let all = laptop().with("/sys/devices/system/cpu/isolated", "");
        assert_eq!(all.finds(&CHECK, Warning, "0-3").fix.commands.len(), 4);
    }

    #[test]
    fn bounds_are_believed() {
        laptop().tried(|tried| tried.wake_latency = Some(0)).finds(&CHECK, Ok, "POLL, 0 us");
        let mut bound = laptop();
        for (cpu, text) in [(2, "10"), (3, "n/a")] {
            bound =
                bound.with(&format!("/sys/devices/system/cpu/cpu{cpu}/power/pm_qos_resume_latency_us"), text);
        }
        bound.finds(&CHECK, Ok, "C1, 2 us");
        let off = laptop().with("/sys/devices/system/cpu/cpu2/cpuidle/state2/disable", "1");
        assert_eq!(off.finds(&CHECK, Warning, "C10").fix.commands.len(), 1);
    }

    #[test]
    fn a_virtual_machine_reports_unknown() {
        robot().with("/proc/cpuinfo", "flags : fpu hypervisor").finds(&CHECK, CannotTell, "the host may");
        robot().without("/sys/devices/system/cpu/isolated").finds(&CHECK, CannotTell, "hidden");
    }
}
