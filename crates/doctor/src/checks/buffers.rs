//! Checks the kernel's buffers for network packets.

use crate::{Check, Finding, Fix, Host};

pub const CHECK: Check = Check {
    id: "net.buffers",
    title: "network buffers",
    reads: &[
        "/proc/sys/net/core/rmem_max",
        "/proc/sys/net/core/rmem_default",
        "/proc/sys/net/core/netdev_max_backlog",
    ],
    good: "rmem_max of at least 2 MiB, a backlog of at least 1000",
    why: "Datagrams that arrive while a receiver does not run are kept in its buffer, and those that do not fit are lost. The usual limit of 208 KiB is less than \
          one camera image. It matters for udpm:// and other networks, not for shared memory.",
    run,
};

const LEAST: i64 = 2 << 20;
const BACKLOG: i64 = 1000;

fn run(host: &Host) -> Finding {
    let at = |name: &str| host.number(&format!("/proc/sys/net/core/{name}"));
    let Some(most) = at("rmem_max") else {
        return Finding::cannot_tell("/proc/sys/net/core/rmem_max is hidden");
    };
    let mut found = vec![format!("rmem_max {most}")];
    found.extend(at("rmem_default").map(|n| format!("rmem_default {n}")));
    let backlog = at("netdev_max_backlog"); // not shown in a network namespace
    found.extend(backlog.map(|n| format!("netdev_max_backlog {n}")));
    let mut settings = Vec::new();
    if most < LEAST {
        settings.push("net.core.rmem_max=8388608");
    }
    if backlog.is_some_and(|n| n < BACKLOG) {
        settings.push("net.core.netdev_max_backlog=5000");
    }
    let found = found.join(", ");
    match settings.is_empty() {
        true => Finding::ok(found),
        false => {
            let fix = Fix::typed([format!("sysctl -w {}", settings.join(" "))]);
            Finding::warning(found, fix.and("permanently: the same settings in a file in /etc/sysctl.d"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn small_buffers_are_reported() {
        let most = "/proc/sys/net/core/rmem_max";
        robot().with(most, "212992").finds(&CHECK, Warning, "sysctl -w net.core.rmem_max=8388608");
        let backlog = robot().with("/proc/sys/net/core/netdev_max_backlog", "300");
        backlog.finds(&CHECK, Warning, "netdev_max_backlog=5000");
        backlog.without("/proc/sys/net/core/netdev_max_backlog").finds(&CHECK, Ok, "rmem_max 8388608");
        robot().without(most).finds(&CHECK, CannotTell, most);
    }
}
