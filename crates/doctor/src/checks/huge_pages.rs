//! Checks settings that move pages.

use crate::{Check, Finding, Fix, Host};

pub const CHECK: Check = Check {
    id: "mem.thp",
    title: "moving of pages",
    reads: &[
        "/sys/kernel/mm/transparent_hugepage/enabled",
        "/sys/kernel/mm/ksm/run",
        "/proc/sys/kernel/numa_balancing",
    ],
    good: "huge pages on request (madvise) or never; no merging; no balancing",
    why: "Transparent huge pages, the merging of equal pages (KSM) and the balancing between memory nodes move pages while programs run. A thread that \
          touches such a page waits, for up to milliseconds.",
    run,
};

const ENABLED: &str = "/sys/kernel/mm/transparent_hugepage/enabled";

fn run(host: &Host) -> Finding {
    let enabled =
        host.read(ENABLED).and_then(|text| Some(text.split_once('[')?.1.split_once(']')?.0.to_owned()));
    let Some(enabled) = enabled else {
        return Finding::cannot_tell(format!("{ENABLED} is hidden, or the kernel has no huge pages"));
    };
    let (mut found, mut commands) = (vec![format!("huge pages: {enabled}")], Vec::new());
    if enabled == "always" {
        commands.push(format!("echo madvise > {ENABLED}"));
    }
    // The other files are absent if the kernel was built without the feature.
    if host.number("/sys/kernel/mm/ksm/run") == Some(1) {
        found.push("equal pages are merged".into());
        commands.push("echo 0 > /sys/kernel/mm/ksm/run".into());
    }
    if host.number("/proc/sys/kernel/numa_balancing").is_some_and(|on| on > 0) {
        found.push("pages are balanced between nodes".into());
        commands.push("sysctl -w kernel.numa_balancing=0".into());
    }
    let found = found.join("; ");
    match commands.is_empty() {
        true => Finding::ok(found),
        false => Finding::warning(found, Fix::typed(commands).and("permanently: transparent_hugepage=madvise on the boot command line, the others in /etc/sysctl.d or a service")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn each_that_moves_pages_is_named() {
        robot().finds(&CHECK, Ok, "madvise");
        robot().with(ENABLED, "[always] madvise never").finds(&CHECK, Warning, "echo madvise");
        robot().with("/sys/kernel/mm/ksm/run", "1").finds(&CHECK, Warning, "merged");
        robot().with("/proc/sys/kernel/numa_balancing", "1").finds(&CHECK, Warning, "numa_balancing=0");
        robot().with(ENABLED, "?").finds(&CHECK, CannotTell, ENABLED);
    }
}
