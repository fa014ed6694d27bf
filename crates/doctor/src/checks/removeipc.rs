//! Checks whether logging out removes shared memory.

use crate::{Check, Finding, Fix, Host};

pub const CHECK: Check = Check {
    id: "ipc.removeipc",
    title: "shared memory after logging out",
    reads: &[
        "/etc/systemd/logind.conf and logind.conf.d",
        "/etc/passwd",
        "/var/lib/systemd/linger",
        "/proc/*/comm (systemd-logind)",
    ],
    good: "RemoveIPC=no, a system user, or a lingering user",
    why: "When the last session of an ordinary user ends, systemd-logind removes that user's files in /dev/shm, including channels, unless RemoveIPC=no: \
          programs that continue without a session lose them.",
    run,
};

/// The lowest user ID of ordinary users.
const ORDINARY: u32 = 1000;

fn run(host: &Host) -> Finding {
    match host.runs(&["systemd-logind"]) {
        None => return Finding::cannot_tell("whether systemd-logind runs is hidden"),
        Some(false) => return Finding::ok("systemd-logind does not run here"),
        Some(true) => {}
    }
    if !removes(host) {
        return Finding::ok("RemoveIPC=no");
    }
    let user = host.tried.user;
    if user < ORDINARY {
        return Finding::ok(format!("logind keeps files of system users, such as {user}"));
    }
    let name = name(host, user);
    if name.as_ref().is_some_and(|name| host.has(&format!("/var/lib/systemd/linger/{name}"))) {
        return Finding::ok(format!("user {user} lingers"));
    }
    let command = "mkdir -p /etc/systemd/logind.conf.d && printf '[Login]\\nRemoveIPC=no\\n' > /etc/systemd/logind.conf.d/saltus.conf";
    let found = format!("logind removes the files of user {user} in /dev/shm when the last session ends");
    Finding::warning(
        found,
        Fix::typed([command, "systemctl restart systemd-logind"])
            .and("or for one user only: `loginctl enable-linger USER`"),
    )
}

/// The setting in the files. The last one wins; the default is yes.
fn removes(host: &Host) -> bool {
    let mut files: Vec<(String, String)> = Vec::new();
    for dir in ["/usr/lib/systemd/logind.conf.d", "/run/systemd/logind.conf.d", "/etc/systemd/logind.conf.d"]
    {
        for name in host.names(dir).into_iter().filter(|name| name.ends_with(".conf")) {
            // A file with the same name in a later directory replaces it.
            files.retain(|(known, _)| *known != name);
            files.push((name.clone(), format!("{dir}/{name}")));
        }
    }
    files.sort();
    let paths =
        std::iter::once("/etc/systemd/logind.conf".to_owned()).chain(files.into_iter().map(|(_, path)| path));
    let texts: Vec<String> = paths.filter_map(|path| host.read(&path)).collect();
    let mut said =
        texts.iter().flat_map(|text| text.lines()).filter_map(|line| line.trim().strip_prefix("RemoveIPC="));
    said.next_back().is_none_or(|word| !["no", "false", "off", "0"].contains(&word.trim()))
}

fn name(host: &Host, user: u32) -> Option<String> {
    let table = host.read("/etc/passwd")?;
    let mut users = table.lines().map(|line| line.split(':').collect::<Vec<_>>());
    users
        .find(|parts| parts.get(2).and_then(|id| id.parse().ok()) == Some(user))
        .map(|parts| parts[0].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::State::*;
    use crate::made::robot;

    #[test]
    fn it_is_removed_unless_one_of_several_things_prevents_it() {
        robot().finds(&CHECK, Ok, "RemoveIPC=no");
        let laptop = || robot().with("/etc/systemd/logind.conf", "[Login]\n#RemoveIPC=no\n");
        laptop().finds(&CHECK, Warning, "logind.conf.d/saltus.conf");
        laptop().tried(|tried| tried.user = 999).finds(&CHECK, Ok, "999");
        laptop().with("/var/lib/systemd/linger/anna", "").finds(&CHECK, Ok, "lingers");
        laptop().without("/proc/300/comm").finds(&CHECK, Ok, "does not run");
        laptop().without("/proc/1/comm").finds(&CHECK, CannotTell, "hidden");
        let drop_in = |dir: &str, name: &str, word: &str| {
            laptop()
                .with(&format!("{dir}/systemd/logind.conf.d/{name}"), &format!("[Login]\nRemoveIPC={word}\n"))
        };
        drop_in("/usr/lib", "a.conf", "no").finds(&CHECK, Ok, "RemoveIPC=no");
        drop_in("/usr/lib", "a.conf", "yes").finds(&CHECK, Warning, "removes");
        let masked =
            drop_in("/usr/lib", "a.conf", "yes").with("/etc/systemd/logind.conf.d/a.conf", "RemoveIPC=no");
        masked.finds(&CHECK, Ok, "RemoveIPC=no");
    }
}
