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
    let build = Build::valgrind("valgrind");
    for (name, ..) in examples::over_channels() {
        let domain = TestDomain::new();
        let mut program = build.program(&format!("examples/c/{name}.c"));
        let output = output(program.env("SALTUS_DOMAIN", domain.url()));
        let (printed, report) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{name}: {}\n{printed}\n{report}", output.status);
        assert!(report.contains("no leaks are possible"), "{name}: {report}");
        assert!(!report.contains("/dev/shm/"), "{name} left a descriptor open: {report}");
        assert!(!printed.is_empty());
    }
    examples::signal_cancel(&build);
}
