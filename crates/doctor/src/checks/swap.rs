//! Checks for swap and memory pressure.

use crate::{Check, Finding, Fix, Host};

pub const CHECK: Check = Check {
    id: "mem.swap",
    title: "swapping",
    reads: &["/proc/swaps", "/proc/sys/vm/swappiness", "/proc/pressure/memory"],
    good: "no swap, or none in use and swappiness of at most 10; no waits for memory",
    why: "A program that touches a swapped-out page waits for a disk. A control loop locks its memory, but programs that it calls may wait; messages in \
          shared memory can also be swapped out, unless their channel was created with --mlock.",
    run,
};

fn run(host: &Host) -> Finding {
    let Some(swaps) = host.read("/proc/swaps") else {
        return Finding::cannot_tell("/proc/swaps is hidden");
    };
    let used: Vec<u64> =
        swaps.lines().skip(1).filter_map(|line| line.split_whitespace().nth(3)?.parse().ok()).collect();
    let waits = pressure(host).filter(|percent| *percent >= 1.0);
    let waits =
        waits.map(|percent| format!("; in the last 10 s tasks waited for memory {percent} % of the time"));
    let pressed = waits.is_some();
    let waits = waits.unwrap_or_default();
    let fix = || {
        Fix::typed(["sysctl -w vm.swappiness=10"]).and(
            "or without swap at all: `swapoff -a` if memory suffices; permanently in /etc/sysctl.d and /etc/fstab",
        )
    };
    let in_use: u64 = used.iter().sum();
    if used.is_empty() {
        let found = format!("no swap{waits}");
        return match pressed {
            true => Finding::warning(found, Fix::words("run fewer programs, or add memory")),
            false => Finding::ok(found),
        };
    }
    let Some(swappiness) = host.number("/proc/sys/vm/swappiness") else {
        return Finding::cannot_tell("there is swap, and /proc/sys/vm/swappiness is hidden");
    };
    let found = format!("{in_use} KiB of swap in use, swappiness {swappiness}{waits}");
    match in_use == 0 && swappiness <= 10 && !pressed {
        true => Finding::ok(found),
        false => Finding::warning(found, fix()),
    }
}

/// Percentage of the last ten seconds in which a task waited for memory.
fn pressure(host: &Host) -> Option<f64> {
    let text = host.read("/proc/pressure/memory")?;
    let line = text.lines().find_map(|line| line.strip_prefix("some avg10="))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn swap_counts_when_it_is_used_or_will_be() {
        let swaps =
            |used| format!("Filename Type Size Used Priority\n/dev/dm-1 partition 999996 {used} -2\n");
        robot().finds(&CHECK, Ok, "no swap");
        let laptop = robot().with("/proc/swaps", &swaps(0));
        laptop.finds(&CHECK, Warning, "0 KiB of swap in use, swappiness 60");
        let calm = laptop.with("/proc/sys/vm/swappiness", "5");
        calm.finds(&CHECK, Ok, "swappiness 5");
        let used = calm.with("/proc/swaps", &swaps(12));
        used.finds(&CHECK, Warning, "12 KiB");
        used.without("/proc/sys/vm/swappiness").finds(&CHECK, CannotTell, "hidden");
        robot().with("/proc/pressure/memory", "some avg10=12.50 avg60=0").finds(&CHECK, Warning, "12.5 %");
    }
}
