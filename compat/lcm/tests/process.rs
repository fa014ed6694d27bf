//! Forks, leaks and sanitizers.

#[path = "support/instance.rs"]
mod instance;
mod support;

use instance::{Lcm, Received};
use saltus_netns::isolated;
use support::*;

#[test]
fn a_forked_child_publishes_and_its_parent_goes_on() {
    let dir = scratch("fork");
    let (ours, domain) = (ours(&dir), TestDomain::new());
    let program = ours.build("fork.c", &dir.join("program"), &[]);
    isolated(|| {
        for url in ["udpm://".to_string(), domain.url()] {
            run(ours.command(&program).arg(&url));
        }
    });
}

/// Open descriptors and threads of this process.
fn held() -> (usize, usize) {
    let count = |dir: &str| std::fs::read_dir(dir).expect("a directory").count();
    (count("/proc/self/fd"), count("/proc/self/task"))
}

#[test]
fn nothing_is_held_after_destroy() {
    saltus_netns::isolated_program(|| {
        let (domain, log) = (TestDomain::new(), scratch("leaks").join("log"));
        let urls =
            ["memq://".into(), "mem://".into(), "udpm://".into(), "mpudpm://?nports=10".into(), domain.url()];
        let use_all = || {
            for url in urls.iter().chain([&format!("file://{}?mode=w", log.display())]) {
                let lcm = Lcm::open(url);
                let mut list = Received::new();
                let one = lcm.subscribe("A.*", &mut list);
                lcm.subscribe("B", &mut list);
                assert_eq!(lcm.publish("AB", b"xyz"), 0);
                assert_eq!(lcm.publish("AB", b"xyz"), 0);
                if !url.starts_with("file") {
                    assert_eq!(lcm.handle_timeout(20_000), 1, "{url}");
                }
                assert_eq!(lcm.unsubscribe(one), 0);
            }
            let lcm = Lcm::open(&format!("file://{}", log.display()));
            assert_eq!(lcm.handle_timeout(20_000), 1);
        };
        use_all();
        let before = held();
        (0..20).for_each(|_| use_all());
        assert_eq!(held(), before);
    });
}

/// What is run under the sanitizers: a network's URL is added.
const RUNS: &[&[&str]] = &[&["calls"], &["handlers"], &["random", "4", "200"], &["random", "5", "200"]];

#[test]
fn sanitizers_find_nothing_and_nothing_leaks() {
    let dir = scratch("sanitized");
    let (lcm, domain) = (ours(&dir), TestDomain::new());
    // Linked statically, so that the search for leaks sees the library's memory as the program's own.
    std::fs::remove_file(lcm.lib.join("liblcm.so")).expect("the link that compilers use");
    std::os::unix::fs::symlink(library("liblcm.a"), lcm.lib.join("liblcm.a")).expect("a link");
    let flags =
        ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-lgcc_s", "-lpthread", "-ldl", "-lm"];
    let build = |source: &str| {
        let program = dir.join(source.replace('.', "-"));
        // Libraries come behind what needs them.
        let objects = program.with_extension("o");
        run(std::process::Command::new("cc")
            .args(STRICT)
            .args(&flags[..2])
            .arg("-I")
            .arg(&lcm.include)
            .arg("-c")
            .arg(package().join("tests/c").join(source))
            .arg("-o")
            .arg(&objects));
        run(std::process::Command::new("cc")
            .arg(flags[0])
            .arg(&objects)
            .arg("-L")
            .arg(&lcm.lib)
            .arg("-llcm")
            .args(&flags[2..])
            .arg("-o")
            .arg(&program));
        program
    };
    let program = build("differential.c");
    isolated(|| {
        for url in ["memq://".to_string(), "udpm://".into(), "mem://".into(), domain.url()] {
            for words in RUNS {
                let mut command = lcm.command(&program);
                command.arg(words[0]).arg(&url).args(&words[1..]);
                run(command.env("ASAN_OPTIONS", "detect_leaks=1"));
            }
        }
        let log = dir.join("log").display().to_string();
        run(lcm.command(&program).args(["write", &log, "w"]));
        run(lcm.command(&program).args(["log", &log, &format!("{log}-nowhere")]));
        run(lcm.command(&program).args(["seek", &log, "0", "1100", "100000"]));
        run(lcm.command(&program).args(["play", &format!("file://{log}?speed=0")]));
    });
}
