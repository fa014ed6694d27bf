//! Whether two threads share a core.

use crate::{Check, Finding, Fix, Host};

pub const CHECK: Check = Check {
    id: "cpu.smt",
    title: "two threads a core",
    reads: &["/sys/devices/system/cpu/smt/active"],
    good: "off, or the sibling of a real-time processor has nothing to do",
    why: "Two hardware threads of a core share its units and its first caches: what runs on one slows the other down by half, and more where it \
          varies. Switch it off, or isolate both siblings and use one.",
    run,
};

const ACTIVE: &str = "/sys/devices/system/cpu/smt/active";

fn run(host: &Host) -> Finding {
    match (host.read(ACTIVE).as_deref(), host.is_virtual()) {
        (Some("1"), _) => Finding::warning(
            "cores run two threads each",
            Fix::typed(["echo off > /sys/devices/system/cpu/smt/control"]),
        ),
        (Some("0"), Some(true)) => Finding::cannot_tell(
            "this virtual machine shows one thread a core; what shares the host's cores is hidden",
        ),
        (Some("0"), _) => Finding::ok("cores run one thread each"),
        _ => Finding::cannot_tell(format!("{ACTIVE} is hidden")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn a_virtual_machine_may_share_what_it_does_not_see() {
        robot().with(ACTIVE, "1").finds(&CHECK, Warning, "echo off");
        robot().with("/proc/cpuinfo", "flags : hypervisor").finds(&CHECK, CannotTell, "the host's cores");
    }
}
