//! Checks whether CPUs change their speed.

use std::collections::BTreeMap;

use crate::{Check, Finding, Fix, Host, cpus};

pub const CHECK: Check = Check {
    id: "cpu.governor",
    title: "CPU frequency",
    reads: &[
        "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
        "/sys/devices/system/cpu/cpu*/cpufreq/energy_performance_preference",
        "/sys/devices/system/cpu/cpufreq/boost",
    ],
    good: "performance",
    why: "Other governors lower the clock of a CPU that has little to do, and a control loop has little to do: it wakes up on a slow \
          CPU, which takes tens to thousands of microseconds to become fast. Boost makes times vary with the temperature.",
    run,
};

fn run(host: &Host) -> Finding {
    let Some(online) = host.online() else {
        return Finding::cannot_tell("/sys/devices/system/cpu is hidden");
    };
    let mut governors: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for &cpu in &online {
        let at = |file: &str| host.read(&format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/{file}"));
        let Some(governor) = at("scaling_governor") else { continue };
        let preference =
            at("energy_performance_preference").filter(|p| p != "performance" && governor != "performance");
        let name = preference.map_or(governor.clone(), |p| format!("{governor} ({p})"));
        governors.entry(name).or_default().push(cpu);
    }
    let known: usize = governors.values().map(Vec::len).sum();
    if known < online.len() {
        return Finding::cannot_tell(match known {
            0 => "no governor is shown: in a virtual machine the host decides".to_owned(),
            n => format!("governors of {} of {} CPUs are hidden", online.len() - n, online.len()),
        });
    }
    let all: Vec<String> = governors
        .iter()
        .map(|(name, cpus)| format!("{name} on {}", cpus::text(&cpus.iter().copied().collect())))
        .collect();
    let boost = match host.read("/sys/devices/system/cpu/cpufreq/boost").as_deref() {
        Some("1") => ", boost on",
        Some("0") => ", boost off",
        _ => "",
    };
    let found = format!("{}{boost}", all.join(", "));
    if governors.keys().all(|name| name == "performance") {
        return Finding::ok(found);
    }
    let command =
        "for f in /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; do echo performance > \"$f\"; done";
    Finding::warning(
        found,
        Fix::typed([command])
            .and("permanently: `cpupower frequency-set -g performance` in a service, or tuned"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn every_processor_counts() {
        robot().finds(&CHECK, Ok, "performance on 0-3");
        let file = |cpu, name| format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/{name}");
        let laptop = robot().with(&file(3, "scaling_governor"), "powersave\n");
        let laptop = laptop.with(&file(3, "energy_performance_preference"), "balance_power");
        let laptop = laptop.with("/sys/devices/system/cpu/cpufreq/boost", "1");
        laptop.finds(&CHECK, Warning, "performance on 0-2, powersave (balance_power) on 3, boost on");
        laptop.without(&file(1, "scaling_governor")).finds(&CHECK, CannotTell, "1 of 4");
    }
}
