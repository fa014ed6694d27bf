//! Checks whether two hardware threads share a core.

use std::collections::BTreeSet;

use crate::{Check, Finding, Fix, Host, cpus};

pub const CHECK: Check = Check {
    id: "cpu.smt",
    title: "two threads per core",
    reads: &[
        "/sys/devices/system/cpu/smt/active",
        "/sys/devices/system/cpu/cpu*/topology/thread_siblings_list, of isolated CPUs",
    ],
    good: "off, or the sibling of a real-time CPU has nothing to do",
    why: "Two hardware threads of a core share its units and its first caches: each slows the other down by up to half, and its speed \
          varies. Switch SMT off, or isolate both siblings and use one.",
    run,
};

const ACTIVE: &str = "/sys/devices/system/cpu/smt/active";

fn run(host: &Host) -> Finding {
    match (host.read(ACTIVE).as_deref(), host.is_virtual()) {
        (Some("1"), _) => {
            let isolated = host.isolated().unwrap_or_default();
            let found = match partners(host, &isolated) {
                Some(shared) if shared.is_empty() => {
                    return Finding::ok(format!(
                        "cores run two threads each; of CPUs {} both are isolated: use one of each core",
                        cpus::text(&isolated)
                    ));
                }
                Some(shared) => {
                    format!(
                        "cores run two threads each; isolated ones share theirs with {}",
                        cpus::text(&shared)
                    )
                }
                None => "cores run two threads each".to_owned(),
            };
            Finding::warning(
                found,
                Fix::typed(["echo off > /sys/devices/system/cpu/smt/control"])
                    .and("or isolate both threads of a core, and use one"),
            )
        }
        (Some("0"), Some(true)) => Finding::cannot_tell(
            "this virtual machine shows one thread per core; what shares the host's cores is hidden",
        ),
        (Some("0"), _) => Finding::ok("cores run one thread each"),
        _ => Finding::cannot_tell(format!("{ACTIVE} is hidden")),
    }
}

/// CPUs that share a core with an isolated one and are not isolated; `None` if no CPU is isolated, or if that is hidden.
fn partners(host: &Host, isolated: &BTreeSet<usize>) -> Option<BTreeSet<usize>> {
    let mut all = BTreeSet::new();
    for cpu in isolated {
        let list = host.read(&format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"));
        all.extend(cpus::list(&list?)?);
    }
    (!isolated.is_empty()).then(|| all.difference(isolated).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn a_virtual_machine_may_share_what_it_does_not_see() {
        robot().with(ACTIVE, "1").finds(&CHECK, Warning, "echo off");
        let siblings = |cpu| format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        let both = robot().with(ACTIVE, "1").with(&siblings(2), "2-3").with(&siblings(3), "2-3");
        both.finds(&CHECK, Ok, "both are isolated");
        both.with(&siblings(3), "1,3").finds(&CHECK, Warning, "share theirs with 1");
        robot().with("/proc/cpuinfo", "flags : hypervisor").finds(&CHECK, CannotTell, "the host's cores");
    }
}
