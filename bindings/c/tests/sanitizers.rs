//! C and C++ programs as the compilers' sanitizers see them: no access out of bounds or after the end, nothing undefined, no leak, no race.

mod support;

use std::collections::BTreeSet;
use support::*;

/// What is run. Each builds programs of the repository and sees to it that they do what they should.
const ALL: [fn(&Build); 10] = [
    examples::channels,
    examples::signal_cancel,
    examples::domains,
    programs::c_publishes_and_rust_receives,
    programs::rust_publishes_and_c_receives,
    programs::two_threads_of_c,
    programs::a_forked_child_has_a_lane_of_its_own,
    programs::another_user_has_the_permissions_of_the_mode,
    programs::c_does_all_that_domains_and_logs_can,
    programs::cpp_does_all_that_channels_domains_and_logs_can,
];

/// Runs the program that makes an error; returns what it and the sanitizer said, and whether it ended well.
fn planted(build: &Build, error: &str, url: &str) -> (String, bool) {
    let output = output(build.program("bindings/c/tests/planted.c").arg(error).env("SALTUS_DOMAIN", url));
    (text(&output.stdout) + &text(&output.stderr), output.status.success())
}

/// That what is planted is found, and that there is no word where nothing is.
fn finds(build: &Build, url: &str, right: &[&str], wrong: &[(&str, &[&str])]) {
    for error in right {
        let (printed, well) = planted(build, error, url);
        assert!(well && printed == format!("{error}: done\n"), "{error}, {url}: {printed}");
    }
    for (error, words) in wrong {
        let (printed, well) = planted(build, error, url);
        assert!(!well && words.iter().all(|word| printed.contains(word)), "{error}, {url}: {printed}");
    }
}

#[test]
fn nothing_wrong_is_accessed_and_nothing_leaks() {
    let (build, domain) = (Build::address("address"), TestDomain::new());
    let wrong: [(_, &[_]); 2] = [
        ("freed", &["AddressSanitizer: heap-use-after-free", "planted.c"]),
        ("leak", &["LeakSanitizer: detected memory leaks"]),
    ];
    finds(&build, &domain.url(), &["nothing", "handover"], &wrong);
    ALL.iter().for_each(|program| program(&build));
    programs::a_killed_publisher_leaves_whole_messages_and_the_others_continue(&build);
    // All that there is: what is new belongs here too.
    let mut there = BTreeSet::from(["bindings/c/tests/planted.c".to_string()]);
    for dir in ["bindings/c/tests/c", "bindings/c/tests/cpp", "examples/c", "examples/cpp"] {
        let names = std::fs::read_dir(repository().join(dir)).expect("a directory").flatten();
        let names = names.map(|file| file.file_name().into_string().expect("text"));
        there
            .extend(names.filter(|n| n.ends_with(".c") || n.ends_with(".cpp")).map(|n| format!("{dir}/{n}")));
    }
    assert_eq!(build.sources(), there);
}

#[test]
fn no_two_threads_race() {
    if !tsan::HERE {
        println!("skipped: tried on Linux on x86-64 alone");
        return;
    }
    let (build, domain) = (Build::thread("thread"), TestDomain::new());
    let wrong: [(_, &[_]); 2] = [
        ("callback", &["ThreadSanitizer: data race", "called", "main"]),
        ("written", &["ThreadSanitizer: data race", "saltus_domain_receive", "main"]),
    ];
    finds(&build, "mem://", &["nothing", "handover"], &wrong);
    // No handover here: the sanitizer knows memory by its address, and each end of a channel in shared memory has its own.
    finds(&build, &domain.url(), &["nothing"], &wrong);
    programs::two_threads_of_c(&build);
    programs::c_does_all_that_domains_and_logs_can(&build);
    programs::cpp_does_all_that_channels_domains_and_logs_can(&build);
    programs::a_killed_publisher_leaves_whole_messages_and_the_others_continue(&build);
}
