//! Installed, the library is found by pkg-config as Ach's is, and nothing is left when it is removed.

mod support;

use std::path::Path;
use std::process::Command;
use support::*;

#[test]
fn installed_it_is_found_as_ach_and_removed_without_a_trace() {
    let (prefix, built) = (scratch("installed"), scratch("built"));
    // As the tests have them: another build would replace the libraries that other tests link.
    for file in [library("libach.a"), library("libach.so"), env!("CARGO_BIN_EXE_ach").into()] {
        std::fs::copy(&file, built.join(file.file_name().expect("a name"))).unwrap();
    }
    let script = || {
        let mut script = Command::new(package().join("install.sh"));
        script.env("BUILT", &built);
        script
    };
    run(script().arg(&prefix));
    let words = |arguments: &[&str]| -> Vec<String> {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(arguments).arg("ach");
        run(&mut command).split_whitespace().map(String::from).collect()
    };
    assert_eq!(words(&["--modversion"]), ["2.0.0"]);
    let cc = |name: &str, source: &str, more: &[&str]| {
        let program = prefix.join(name);
        let mut cc = Command::new("cc");
        cc.arg("-std=gnu11").arg(package().join(source)).arg("-o").arg(&program);
        run(cc.args(words(&["--cflags", "--libs"])).args(more).arg("-pthread"));
        program
    };
    let lib = prefix.join("lib");
    let runs = |program: &Path| {
        let domain = TestDomain::new();
        let mut command = Command::new(program);
        run(command.env("SALTUS_DOMAIN", domain.url()).env("LD_LIBRARY_PATH", &lib))
    };
    assert_eq!(runs(&cc("semantics", "tests/c/semantics.c", &[])), "done\n");
    // A program that was linked with Ach's second library finds it under its name.
    let events = cc("events", "tests/c/events.c", &["-Wl,--no-as-needed", "-lach-experimental"]);
    assert_eq!(runs(&events), "done\n");
    assert!(run(Command::new(prefix.join("bin/ach")).arg("-V")).starts_with("ach of Saltus"));

    for program in ["semantics", "events"] {
        std::fs::remove_file(prefix.join(program)).unwrap();
    }
    run(script().arg("--uninstall").arg(&prefix));
    assert_eq!(std::fs::read_dir(&prefix).unwrap().count(), 0);
    assert_eq!(output(script().arg("--uninstall").arg(&prefix)).status.code(), Some(1));
    for wrong in [&[][..], &["relative"], &["/a", "/b"]] {
        assert_eq!(output(script().args(wrong)).status.code(), Some(2));
    }

    // Ach's own library is neither replaced nor, later, removed.
    std::fs::create_dir(prefix.join("lib")).unwrap();
    std::fs::write(prefix.join("lib/libach.so.4"), "Ach's").unwrap();
    let refused = output(script().arg(&prefix));
    assert!(refused.status.code() == Some(1) && text(&refused.stderr).contains("another libach.so.4"));
    assert_eq!(below(&prefix), ["lib", "lib/libach.so.4"].map(|path| prefix.join(path)));
}
