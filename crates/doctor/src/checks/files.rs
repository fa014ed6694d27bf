//! Checks the limits on open files and mappings.

use super::limits::soft;
use crate::{Check, Finding, Fix, Host};

pub const CHECK: Check = Check {
    id: "limits.files",
    title: "open files and mappings",
    reads: &["/proc/self/limits", "/proc/sys/vm/max_map_count", "/proc/sys/fs/mqueue/msg_max, queues_max"],
    good: "at least 1024 files, at least 65530 mappings",
    why: "A process has a few files and mappings open for each channel that it uses. A recorder or a spy that has all channels of a large robot needs \
          many. Beyond the limit, opening a channel fails.",
    run,
};

fn run(host: &Host) -> Finding {
    let files = soft(host, "Max open files")
        .and_then(|text| if text == "unlimited" { Some(u64::MAX) } else { text.parse().ok() });
    let (Some(files), Some(maps)) = (files, host.number("/proc/sys/vm/max_map_count")) else {
        return Finding::cannot_tell("/proc/self/limits or /proc/sys/vm/max_map_count is hidden");
    };
    let shown = if files == u64::MAX { "any number of".to_owned() } else { files.to_string() };
    let queue = |name: &str| host.number(&format!("/proc/sys/fs/mqueue/{name}"));
    // Saltus uses none; other programs of a robot may.
    let queues = match (queue("queues_max"), queue("msg_max")) {
        (Some(queues), Some(messages)) => format!(", {queues} POSIX message queues of {messages} messages"),
        _ => String::new(),
    };
    let found = format!("{shown} files, {maps} mappings{queues}");
    let mut commands = Vec::new();
    if maps < 65530 {
        commands.push("sysctl -w vm.max_map_count=65530");
    }
    let fix = Fix::typed(commands);
    let fix = if files < 1024 {
        fix.and("`ulimit -n 4096`, LimitNOFILE= of a service, Docker --ulimit nofile=4096")
    } else {
        fix
    };
    match files {
        ..64 => Finding::problem(found, fix),
        64..1024 => Finding::warning(found, fix),
        _ if maps < 65530 => Finding::warning(found, fix),
        _ => Finding::ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn few_file_descriptors_are_reported() {
        let limits = |n: &str| {
            format!("Limit   Soft Limit   Hard Limit   Units\nMax open files            {n}   4096   files\n")
        };
        let with = |n| robot().with("/proc/self/limits", &limits(n));
        with("unlimited").finds(&CHECK, Ok, "any number of files");
        with("256").finds(&CHECK, Warning, "ulimit -n");
        with("32").finds(&CHECK, Problem, "32 files");
        let queues = robot().with("/proc/sys/fs/mqueue/queues_max", "256");
        queues.with("/proc/sys/fs/mqueue/msg_max", "10").finds(&CHECK, Ok, "256 POSIX message queues of 10");
        robot().with("/proc/sys/vm/max_map_count", "1000").finds(&CHECK, Warning, "max_map_count=65530");
        with("many").finds(&CHECK, CannotTell, "hidden");
    }
}
