//! No leak, no wild access, no use of what was not initialised, as valgrind sees it.

mod support;

use std::process::Command;
use support::*;

#[test]
fn the_examples_are_clean_under_valgrind() {
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: valgrind is not installed");
        return;
    }
    // Older versions of valgrind do not know the call that sleeps on several words; Saltus then goes without it.
    for name in ["hello", "loan", "wait_any", "epoll"] {
        let into = scratch(&format!("valgrind-{name}"));
        let program = compile(&repository().join(format!("examples/c/{name}.c")), &into);
        let domain = TestDomain::new();
        let mut valgrind = Command::new("valgrind");
        valgrind.args([
            "--error-exitcode=99",
            "--leak-check=full",
            "--show-leak-kinds=all",
            "--track-fds=yes",
        ]);
        let output = output(valgrind.arg(&program).env("SALTUS_DOMAIN", domain.url()));
        let (said, report) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{name}: {}\n{said}\n{report}", output.status);
        assert!(report.contains("no leaks are possible"), "{name}: {report}");
        assert!(!report.contains("/dev/shm/"), "{name} left a descriptor open: {report}");
        assert!(!said.is_empty());
    }
}
