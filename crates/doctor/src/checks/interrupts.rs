//! Which processors interrupts go to.

use std::collections::BTreeMap;

use crate::{Check, Finding, Fix, Host, cpus};

pub const CHECK: Check = Check {
    id: "irq.affinity",
    title: "interrupts",
    reads: &[
        "/proc/irq/*/effective_affinity_list",
        "/proc/irq/*/smp_affinity_list",
        "/proc/*/comm (irqbalance)",
    ],
    good: "none goes to an isolated processor",
    why: "An interrupt of a disk or a network card stops what runs on its processor, a real-time thread too. Interrupts are to go to the \
          processors that are not set aside. irqbalance moves them about, but leaves processors alone that are isolated.",
    run,
};

fn run(host: &Host) -> Finding {
    let (Some(isolated), Some(online)) = (host.isolated(), host.online()) else {
        return Finding::cannot_tell("/sys/devices/system/cpu is hidden");
    };
    let mut targets = BTreeMap::new();
    for irq in host.names("/proc/irq").into_iter().filter_map(|name| name.parse::<u32>().ok()) {
        let list = |file: &str| {
            cpus::list(&host.read(&format!("/proc/irq/{irq}/{file}"))?).filter(|set| !set.is_empty())
        };
        if let Some(set) = list("effective_affinity_list").or_else(|| list("smp_affinity_list")) {
            targets.insert(irq, set);
        }
    }
    if targets.is_empty() {
        return Finding::cannot_tell("/proc/irq is hidden");
    }
    let balancer = match host.runs(&["irqbalance"]) {
        Some(true) => "; irqbalance runs",
        Some(false) => "; irqbalance does not run",
        None => "",
    };
    if isolated.is_empty() {
        return Finding::ok(format!("no processor is set aside that interrupts should keep off{balancer}"));
    }
    let wrong = targets.into_iter().filter(|(_, set)| !set.is_disjoint(&isolated));
    let wrong: Vec<u32> = wrong.map(|(irq, _)| irq).collect();
    let set = cpus::text(&isolated);
    if wrong.is_empty() {
        return Finding::ok(format!("none goes to processors {set}{balancer}"));
    }
    let rest = cpus::text(&online.difference(&isolated).copied().collect());
    let command = |irq: &u32| format!("echo {rest} > /proc/irq/{irq}/smp_affinity_list");
    let words = "some interrupts belong to a processor and cannot be moved; at boot: irqaffinity";
    let named = wrong.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    Finding::warning(
        format!("interrupts {named} go to processors of {set}{balancer}"),
        Fix::typed(wrong.iter().map(command)).and(words),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn interrupts_keep_off_what_is_set_aside() {
        robot().finds(&CHECK, Ok, "none goes to processors 2-3; irqbalance does not run");
        let one = robot().with("/proc/irq/31/smp_affinity_list", "0-3").with("/proc/77/comm", "irqbalance");
        one.finds(&CHECK, Warning, "echo 0-1 > /proc/irq/31/smp_affinity_list");
        let one = one.with("/proc/irq/31/effective_affinity_list", "1");
        one.finds(&CHECK, Ok, "irqbalance runs");
        one.with("/sys/devices/system/cpu/isolated", "").finds(&CHECK, Ok, "no processor is set aside");
        let bare =
            robot().without("/proc/irq/24/smp_affinity_list").without("/proc/irq/24/effective_affinity_list");
        bare.finds(&CHECK, CannotTell, "/proc/irq");
    }
}
