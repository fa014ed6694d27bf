//! Checks which CPUs handle interrupts.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Check, Finding, Fix, Host, cpus};

pub const CHECK: Check = Check {
    id: "irq.affinity",
    title: "interrupts",
    reads: &[
        "/proc/irq/*/effective_affinity_list",
        "/proc/irq/*/smp_affinity_list",
        "/proc/irq/*/ (names of handlers)",
        "/proc/interrupts, twice",
        "/proc/*/comm (irqbalance)",
    ],
    good: "no interrupt goes to an isolated CPU, and no device interrupt arrived there during the check",
    why: "An interrupt of a disk or a network card interrupts any thread on its CPU, even a real-time one. Send interrupts to the \
          CPUs that are not set aside. irqbalance moves them, but avoids isolated CPUs. A CPU's own \
          interrupts (its timer, its event counters, calls from other CPUs) are reported, but do not count.",
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
        return Finding::ok(format!("no CPU is set aside{balancer}"));
    }
    let wrong = targets.into_iter().filter(|(_, set)| !set.is_disjoint(&isolated));
    let own = |irq: &u32| host.names(&format!("/proc/irq/{irq}")).iter().any(|handler| is_own(handler));
    let wrong: Vec<u32> = wrong.map(|(irq, _)| irq).filter(|irq| !own(irq)).collect();
    let set = cpus::text(&isolated);
    let grown = host.tried.interrupts.as_ref();
    let grown = grown.and_then(|[before, after]| growth(before, after, &isolated));
    let devices = grown.as_ref().map(|grown| grown.iter().any(|(line, _)| line.device));
    let came: Vec<String> =
        grown.into_iter().flatten().map(|(line, count)| format!("{} × {count}", line.name)).collect();
    let came = if came.is_empty() {
        String::new()
    } else {
        format!("; during the check arrived: {}", came.join(", "))
    };
    if wrong.is_empty() {
        return match devices {
            None => Finding::cannot_tell(format!(
                "/proc/interrupts is hidden: interrupts of CPUs {set} are unknown"
            )),
            Some(false) => Finding::ok(format!("none goes to CPUs {set}{came}{balancer}")),
            Some(true) => Finding::warning(
                format!(
                    "no interrupt is assigned to CPUs {set}, and yet{}{balancer}",
                    came.trim_start_matches(';')
                ),
                Fix::words(
                    "an interrupt that belongs to a CPU: unbind the device's queue there, or choose other CPUs",
                ),
            ),
        };
    }
    let rest = cpus::text(&online.difference(&isolated).copied().collect());
    let command = |irq: &u32| format!("echo {rest} > /proc/irq/{irq}/smp_affinity_list");
    let words = "some interrupts belong to a CPU and cannot be moved; at boot: irqaffinity";
    let named = wrong.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    Finding::warning(
        format!("interrupts {named} go to CPUs of {set}{came}{balancer}"),
        Fix::typed(wrong.iter().map(command)).and(words),
    )
}

/// Whether the handler with this name serves the CPU itself: its timer, its event counters, calls from other CPUs. ARM, RISC-V and Xen
/// number these like device interrupts.
fn is_own(handler: &str) -> bool {
    const OTHERS: [&str; 11] = [
        "MCT",
        "callfunc",
        "callfuncsingle",
        "debug",
        "events",
        "hpet",
        "irqwork",
        "mct_tick",
        "resched",
        "spinlock",
        "twd",
    ];
    // If each CPU has a line, its number is at the end.
    let kind = handler.trim_end_matches(|c: char| c.is_ascii_digit());
    kind.ends_with("timer") || kind.ends_with("pmu") || OTHERS.contains(&kind)
}

/// A line of the table.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    /// `eth0 (24)` for a device, else the description, such as `Local timer interrupts`.
    name: String,
    device: bool,
}

/// The increase of each line for these CPUs, if any; `None` if a table lacks them.
fn growth(before: &str, after: &str, processors: &BTreeSet<usize>) -> Option<Vec<(Line, u64)>> {
    let (before, after) = (counts(before, processors)?, counts(after, processors)?);
    let grown = after.into_iter().map(|(line, count)| {
        let grown = count.saturating_sub(before.get(&line).copied().unwrap_or(0));
        (line, grown)
    });
    Some(grown.filter(|(_, count)| *count > 0).collect())
}

/// The sum of each line over these CPUs; `None` if the table lacks them, as an empty one does.
fn counts(table: &str, processors: &BTreeSet<usize>) -> Option<BTreeMap<Line, u64>> {
    let mut lines = table.lines();
    let columns = lines.next()?.split_whitespace();
    let is_wanted = |name: &str| {
        let cpu: usize = name.strip_prefix("CPU")?.parse().ok()?;
        Some(processors.contains(&cpu))
    };
    let columns: Vec<bool> = columns.map(|name| is_wanted(name) == Some(true)).collect();
    let row = |text: &str| {
        let (label, rest) = text.split_once(':')?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        // Counts of all CPUs together have a single number.
        let (counts, what) = words.split_at_checked(columns.len())?;
        let wanted = columns.iter().zip(counts).filter(|(wanted, _)| **wanted);
        let sum = wanted.filter_map(|(_, n)| n.parse::<u64>().ok()).fold(0, u64::saturating_add);
        Some((line(label.trim(), what), sum))
    };
    columns.contains(&true).then(|| lines.filter_map(row).collect())
}

fn line(label: &str, what: &[&str]) -> Line {
    let numbered = label.bytes().all(|b| b.is_ascii_digit());
    let name = match what {
        [] => label.to_owned(),
        [.., handler] if numbered => format!("{handler} ({label})"),
        words => words.join(" "),
    };
    Line { name, device: numbered && !what.last().is_some_and(|handler| is_own(handler)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::{Made, robot};

    #[test]
    fn measured_interrupts_outweigh_configured_ones() {
        let table = |disk: u64, timer: u64| {
            format!(
                "       CPU0  CPU2  CPU3\n 24:  {}  0  {disk}  IO-APIC 5-edge disk\nLOC:  9  {timer}  1  Local timer\nERR:  7\n",
                disk + 5
            )
        };
        let with = |after: String| robot().tried(|tried| tried.interrupts = Some([table(1, 1), after]));
        with(table(1, 1)).finds(&CHECK, Ok, "none goes to CPUs 2-3; irqbalance");
        with(table(1, 51)).finds(&CHECK, Ok, "during the check arrived: Local timer × 50;");
        with(table(4, 1)).finds(&CHECK, Warning, "and yet during the check arrived: disk (24) × 3");
    }

    #[test]
    fn what_is_hidden_is_not_told_and_takes_nothing_from_what_is_not() {
        let bound = |made: Made| made.with("/proc/irq/31/smp_affinity_list", "2");
        for hidden in [None, Some(["", ""]), Some(["CPU0 CPU1\n", "CPU0 CPU1\n"])] {
            let hides =
                || robot().tried(|tried| tried.interrupts = hidden.map(|tables| tables.map(str::to_owned)));
            hides().finds(&CHECK, CannotTell, "/proc/interrupts is hidden");
            bound(hides()).finds(&CHECK, Warning, "echo 0-1 > /proc/irq/31/smp_affinity_list");
        }
    }

    #[test]
    fn a_processors_own_are_no_devices_where_they_are_numbered_too() {
        let table = |ticks: u64, disk: u64| {
            format!(
                "           CPU0       CPU1       CPU2       CPU3\n\
                 2:          9          9      {ticks}      {ticks}     GICv3  30 Level     arch_timer\n\
                 4:          0          0      {ticks}          0  GICv3-23   0 Level     arm-pmu\n\
                 5:          0          0      {ticks}          0       KVM   1 Level     kvm guest vtimer\n\
                 6:          0          0      {ticks}          0  RISC-V INTC   5 Edge      riscv-timer\n\
                 48:          0          0      {ticks}          0  xen-percpu    -virq      timer2\n\
                 49:          0          0      {ticks}          0  xen-percpu    -ipi       callfuncsingle2\n\
                 52:          0          0          0      {disk}     GICv3  51 Level     e66d8000.i2c\n\
                 IPI0:        64         67      {ticks}          0  Rescheduling interrupts\n"
            )
        };
        let with = |after: String| robot().tried(|tried| tried.interrupts = Some([table(1000, 7), after]));
        let own = with(table(1125, 7)).with("/proc/irq/2/smp_affinity_list", "0-3");
        own.finds(&CHECK, Warning, "echo 0-1 > /proc/irq/2/smp_affinity_list");
        let own = own.with("/proc/irq/2/arch_timer/x", "");
        let found = own.finds(&CHECK, Ok, "arch_timer (2) × 250, ").found;
        assert!(found.contains("Rescheduling interrupts × 125"), "{found}");
        with(table(1125, 9)).finds(&CHECK, Warning, "e66d8000.i2c (52) × 2");
    }

    #[test]
    fn interrupts_avoid_isolated_cpus() {
        robot().finds(&CHECK, Ok, "none goes to CPUs 2-3; irqbalance does not run");
        let one = robot().with("/proc/irq/31/smp_affinity_list", "0-3").with("/proc/77/comm", "irqbalance");
        one.finds(&CHECK, Warning, "echo 0-1 > /proc/irq/31/smp_affinity_list");
        let one = one.with("/proc/irq/31/effective_affinity_list", "1");
        one.finds(&CHECK, Ok, "irqbalance runs");
        one.with("/sys/devices/system/cpu/isolated", "").finds(&CHECK, Ok, "no CPU is set aside");
        let bare =
            robot().without("/proc/irq/24/smp_affinity_list").without("/proc/irq/24/effective_affinity_list");
        bare.finds(&CHECK, CannotTell, "/proc/irq");
    }
}
