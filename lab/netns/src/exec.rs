//! Runs one test again in a separate program, with the right to create namespaces or inside one.

use std::io;
use std::process::Command;
use std::thread;

/// Set in the restarted test program.
const AGAIN: &str = "SALTUS_NETNS_AGAIN";

/// Whether this is the restarted test program.
pub(crate) fn is_again() -> bool {
    std::env::var_os(AGAIN).is_some()
}

/// Restarts this test program as root of a user namespace, only for this thread's test, and fails as it does.
pub(crate) fn this_test_again(why: &io::Error) {
    assert!(!is_again(), "no network namespaces, also not with `unshare`: {why}; {HELP}");
    in_a_network(&["--user", "--map-root-user", "--net"]);
}

const HELP: &str = "run as root, or allow `sysctl kernel.unprivileged_userns_clone=1` \
                    (Ubuntu: `sysctl kernel.apparmor_restrict_unprivileged_userns=0`)";

/// Restarts this test program with `unshare`, only for this thread's test, and fails as it does.
pub(crate) fn in_a_network(namespaces: &[&str]) {
    let thread = thread::current();
    let test = thread.name().filter(|name| *name != "main");
    let test = test.expect("the thread has the test's name: run with more than one test thread, or as root");
    let program = std::env::current_exe().expect("the test program has a path");
    let output = Command::new("unshare")
        .args(namespaces)
        .arg(program)
        .args(["--exact", test, "--nocapture"])
        .env(AGAIN, "1")
        .output()
        .unwrap_or_else(|e| panic!("cannot run `unshare` (package util-linux): {e}"));
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let passed = output.status.success() && said.contains("1 passed");
    assert!(passed, "the test failed under `unshare` ({}; {HELP})\n{said}\n{errors}", output.status);
}
