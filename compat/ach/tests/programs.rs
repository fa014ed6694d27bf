//! Programs in C and C++, plainly and under the compilers' sanitizers.

mod support;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use support::*;

/// The programs that check by themselves, and print `done`.
const ALL: [&str; 7] = [
    "tests/c/layout.c",
    "tests/c/all.cpp",
    "tests/c/semantics.c",
    "tests/c/cancel.c",
    "tests/c/fork.c",
    "tests/c/threads.c",
    "tests/c/events.c",
];

/// Builds and runs a program in a domain of its own, where it leaves nothing.
fn runs(build: Build, source: &str) {
    let dir = scratch(&format!("programs-{}-{}", build == Build::Address, source.replace('/', "-")));
    let (program, domain) = (compile(&dir, source, build), TestDomain::new());
    let mut command = Command::new(program);
    command.env("SALTUS_DOMAIN", domain.url()).env("ASAN_OPTIONS", "detect_leaks=1");
    assert_eq!(run(&mut command), "done\n", "{source}");
    assert_eq!(domain.entries(), [""; 0], "{source} left something");
}

#[test]
fn structures_and_values_are_those_of_ach() {
    runs(Build::Plain, "tests/c/layout.c");
}

#[test]
fn the_header_is_one_for_cpp_too() {
    runs(Build::Plain, "tests/c/all.cpp");
}

#[test]
fn every_call_returns_what_ach_documents() {
    runs(Build::Plain, "tests/c/semantics.c");
}

#[test]
fn canceling_stays_and_makes_no_child() {
    runs(Build::Plain, "tests/c/cancel.c");
}

#[test]
fn handles_opened_before_fork_work_in_parent_and_children() {
    runs(Build::Plain, "tests/c/fork.c");
}

#[test]
fn threads_put_with_one_handle_and_wait_for_nobody() {
    runs(Build::Plain, "tests/c/threads.c");
}

#[test]
fn an_event_loop_calls_handlers_and_the_periodic_function() {
    runs(Build::Plain, "tests/c/events.c");
}

/// The sanitizers see the programs' every access, and what the library allocates.
#[test]
fn nothing_wrong_is_accessed_and_nothing_leaks() {
    ALL.iter().for_each(|source| runs(Build::Address, source));
    let all = std::fs::read_dir(package().join("tests/c")).unwrap().flatten();
    let all: BTreeSet<String> = all.map(|f| format!("tests/c/{}", f.file_name().display())).collect();
    let known = ALL.into_iter().chain(["tests/c/check.h", "tests/c/peer.c"]).map(String::from).collect();
    assert_eq!(all, known, "what is new belongs here too");
}

/// The name that programs built against Ach 2.0.0 remember, and no other symbols than Ach's.
#[test]
fn a_program_linked_with_libach_so_4_runs_with_this_one() {
    let dir = scratch("programs-shared");
    let library = library("libach.so");
    std::fs::copy(&library, dir.join("libach.so.4")).unwrap();
    std::os::unix::fs::symlink("libach.so.4", dir.join("libach.so")).unwrap();
    let program: PathBuf = dir.join("semantics");
    let mut cc = Command::new("cc");
    cc.args(["-std=gnu11", "-I"]).arg(package().join("include")).arg(package().join("tests/c/semantics.c"));
    run(cc.arg("-o").arg(&program).arg("-L").arg(&dir).args(["-lach", "-pthread"]));
    let needed = run(Command::new("readelf").arg("-d").arg(&program));
    assert!(needed.contains("[libach.so.4]"), "{needed}");
    let domain = TestDomain::new();
    let mut command = Command::new(&program);
    command.env("SALTUS_DOMAIN", domain.url()).env("LD_LIBRARY_PATH", &dir);
    assert_eq!(run(&mut command), "done\n");

    let symbols = run(Command::new("nm").args(["-D", "--defined-only"]).arg(&library));
    let names = |text: &str| -> BTreeSet<String> {
        text.lines().filter_map(|line| line.split_whitespace().last()).map(String::from).collect()
    };
    let headers = ["include/ach.h", "include/ach/experimental.h"];
    let header = headers.map(|file| std::fs::read_to_string(package().join(file)).unwrap()).join("\n");
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let declared: BTreeSet<String> = header
        .lines()
        .filter(|line| line.contains('(') && !line.starts_with(['/', ' ', '#']))
        .filter_map(|line| {
            line.split(|c| !is_name(c)).find(|w| w.starts_with("ach_") && line.contains(&format!("{w}(")))
        })
        .map(String::from)
        .collect();
    assert!(declared.len() > 20, "{declared:?}");
    assert_eq!(names(&symbols), declared);
}
