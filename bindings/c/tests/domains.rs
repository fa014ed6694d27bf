//! C programs in domains: all that they can do, killed at any instant, and clean as compilers' sanitizers see it.

mod support;

use saltus_domain::{Domain, Options, Pattern, Until};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Duration;
use support::*;

const LONG: Until = Until::For(Duration::from_secs(20));

/// A program that is killed when this is dropped.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).expect("a child to kill");
    }
}

fn source(name: &str) -> PathBuf {
    package().join("tests").join(name)
}

#[test]
fn c_does_all_that_domains_and_logs_can() {
    let (dir, domain) = (scratch("domain"), TestDomain::new());
    let program = compile(&source("c/domain.c"), &dir);
    let url = format!("{}?frames=4096", domain.url());
    assert_eq!(run(Command::new(program).arg(&dir).env("SALTUS_DOMAIN", url)), "done\n");
}

/// What C++ is compiled with: the flags of the README, and every warning is an error.
fn cpp(source: &Path, program: &Path, arguments: &[&str]) -> PathBuf {
    let mut compile = Command::new(std::env::var("CXX").unwrap_or("c++".into()));
    compile.args(["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-O1", "-I"]);
    compile.arg(package().join("include")).args(arguments).arg(source).arg("-o").arg(program);
    run(compile.arg(library("libsaltus.a")).args(["-pthread", "-ldl", "-lm"]));
    program.into()
}

fn all_of_cpp(name: &str, arguments: &[&str]) {
    let (dir, domain) = (scratch(name), TestDomain::new());
    let program = cpp(&source("cpp/all.cpp"), &dir.join("all"), arguments);
    assert_eq!(run(Command::new(program).arg(&dir).env("SALTUS_DOMAIN", domain.url())), "done\n");
}

#[test]
fn cpp_17_does_all_that_channels_domains_and_logs_can() {
    all_of_cpp("cpp17", &["-std=c++17"]);
}

#[test]
fn cpp_20_does_without_exceptions() {
    all_of_cpp("cpp20", &["-std=c++20", "-fno-exceptions"]);
}

/// No error that the sanitizers know, no leak. (What Rust compiled they watch from outside: its memory, not its every access. Thread
/// sanitizer would take Rust's atomics for none at all, so that every message would be a race: it is left out.)
#[test]
fn c_and_cpp_are_clean_under_address_and_undefined_behaviour_sanitizers() {
    const SANITIZE: [&str; 3] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g"];
    let dir = scratch("sanitized");
    let c = |name: &str| {
        let program = dir.join(Path::new(name).file_stem().expect("a file"));
        let mut cc = compiler();
        cc.args(SANITIZE).arg(source(name)).arg("-o").arg(&program).arg(library("libsaltus.a"));
        run(cc.args(["-pthread", "-ldl", "-lm"]));
        program
    };
    let alone = |program: &Path, options: &str| {
        let domain = TestDomain::new();
        run(Command::new(program).arg(&dir).env("SALTUS_DOMAIN", domain.url() + options))
    };
    assert_eq!(alone(&c("c/domain.c"), "?frames=4096"), "done\n");
    assert!(alone(&c("c/threads.c"), "").starts_with("received "));
    let flags: Vec<&str> = SANITIZE.iter().chain(&["-std=c++17"]).copied().collect();
    assert_eq!(alone(&cpp(&source("cpp/all.cpp"), &dir.join("all"), &flags), ""), "done\n");
}

#[test]
fn a_publisher_that_is_killed_leaves_whole_messages_and_the_others_go_on() {
    let (dir, test) = (scratch("killed"), TestDomain::new());
    let program = compile(&source("c/stream.c"), &dir);
    let domain = Domain::open(&test.url()).unwrap();
    let mut ours = domain.publisher("stream").unwrap();
    let mut all = domain.subscriber_with(Pattern::name("stream").unwrap(), Options::next(1000)).unwrap();
    let whole = |all: &mut saltus_domain::Subscriber| {
        let message = all.receive(LONG).unwrap().expect("a message in time");
        let words = message.data.chunks_exact(8);
        let first = message.data.first_chunk::<8>().map(|word| u64::from_ne_bytes(*word));
        let i = first.expect("at least one word");
        assert!(i == u64::MAX || message.data.len() as u64 == 8 * (1 + i % 50), "{i}");
        assert!(words.clone().all(|word| word == i.to_ne_bytes()), "message {i} is torn");
        i
    };
    for round in 0..20 {
        let mut stream = Command::new(&program);
        let child = Killed(stream.arg("stream").env("SALTUS_DOMAIN", test.url()).spawn().unwrap());
        // Killed after some of its messages, in whatever it is doing.
        for _ in 0..1 + round * 7 {
            whole(&mut all);
        }
        drop(child);
        ours.publish(&u64::MAX.to_ne_bytes()).unwrap();
        while whole(&mut all) != u64::MAX {}
    }
}
