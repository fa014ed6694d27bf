//! What the programs in `tests/c` and `tests/cpp` do, whatever they are built with: alone, together with Rust, and killed.

use super::*;
use saltus_channel::{Attributes, Which};
use saltus_domain::{Domain, Options, Pattern, Until};
use std::process::{Child, Stdio};
use std::time::Duration;

const LONG: Until = Until::For(Duration::from_secs(20));

/// A program that is killed when this is dropped.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).expect("a child to kill");
    }
}

const COUNT: usize = 1000;

fn message(i: usize) -> String {
    format!("message {i}{}", ".".repeat(i % 100))
}

pub fn c_publishes_and_rust_receives(build: &Build) {
    let domain = TestDomain::new();
    let mut child = build
        .program("bindings/c/tests/c/publish.c")
        .args(["data", &COUNT.to_string()])
        .env("SALTUS_DOMAIN", domain.url())
        .spawn()
        .expect("the program");
    let data = domain.open().create("data", &Attributes::new().depth(COUNT as u64)).unwrap();
    let go = domain.open().create("data.go", &Attributes::new()).unwrap();
    let mut subscriber = data.subscriber().unwrap();
    go.publisher().unwrap().publish(b"go").unwrap();
    let mut buf = Vec::new();
    for i in 1..=COUNT {
        let until = Until::For(Duration::from_secs(10));
        let info = subscriber.receive_vec(Which::Next, until, &mut buf).unwrap().expect("a message");
        assert_eq!((info.seq, info.missed, text(&buf)), (i as u64, 0, message(i)));
        assert!(info.timestamp > 0 && info.publisher.lane == 0 && info.publisher.lease > 0);
    }
    assert!(child.wait().expect("its end").success());
    assert_eq!(subscriber.received() + subscriber.missed(), COUNT as u64);
    let printed = data.descriptions().unwrap();
    assert_eq!(printed.len(), 1);
    assert_eq!((printed[0].name.as_str(), printed[0].fingerprint), ("p.text_t", 0x1122_3344_5566_7788));
    assert_eq!(printed[0].schema, "struct text_t { }");
}

pub fn rust_publishes_and_c_receives(build: &Build) {
    let domain = TestDomain::new();
    let child = build
        .program("bindings/c/tests/c/receive.c")
        .args(["data", &COUNT.to_string()])
        .env("SALTUS_DOMAIN", domain.url())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program");
    let data = domain.open().create("data", &Attributes::new().depth(COUNT as u64)).unwrap();
    let mut publisher = data.publisher().unwrap();
    let until = || Until::For(Duration::from_secs(10));
    let ready = domain.open().wait_for("data.ready", until()).unwrap().expect("the program subscribes");
    let mut ready = ready.subscriber().unwrap();
    ready.wait_newest(until(), &mut []).unwrap().expect("the program says so");
    for i in 1..=COUNT {
        publisher.publish(message(i).as_bytes()).unwrap();
    }
    let output = child.wait_with_output().expect("its end");
    assert!(output.status.success());
    let want: String = (1..=COUNT).map(|i| format!("{i} 0 {}\n", message(i))).collect();
    assert_eq!(text(&output.stdout), want);
}

pub fn two_threads_of_c(build: &Build) {
    let domain = TestDomain::new();
    let printed = run(build.program("bindings/c/tests/c/threads.c").env("SALTUS_DOMAIN", domain.url()));
    let (first, rest) = printed.split_once('\n').expect("lines");
    let numbers: Vec<u64> = first.split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!(numbers.len() == 3 && numbers[0] + numbers[1] == numbers[2], "{first}");
    assert_eq!(rest, "the wait was canceled\nnothing new\n");
    assert!(domain.list().is_empty());
}

pub fn a_forked_child_has_a_lane_of_its_own(build: &Build) {
    let domain = TestDomain::new();
    let printed = run(build.program("bindings/c/tests/c/fork.c").env("SALTUS_DOMAIN", domain.url()));
    let want = "parent in lane 0, message 1\nchild in lane 1, message 1\nparent in lane 0, message 2\n";
    assert_eq!(printed, want);
    assert!(domain.list().is_empty());
}

pub fn another_user_has_the_permissions_of_the_mode(build: &Build) {
    let domain = TestDomain::new();
    let open = domain.open();
    let private = open.create("private", &Attributes::new().mode(0o600)).unwrap();
    let public = open.create("public", &Attributes::new().mode(0o644)).unwrap();
    public.publisher().unwrap().publish(b"for all").unwrap();
    // SAFETY: asks for a number.
    if unsafe { libc::geteuid() } != 0 {
        // Nobody else to be: take the permissions from ourselves, as far as files have them.
        set_mode(&private, "", 0);
        set_mode(&public, "/data", 0o444);
        set_mode(&public, "/bell", 0o444);
        set_mode(&public, "/lease", 0);
        set_mode(&public, "", 0o555);
        set_mode_of(open.path(), 0o555);
    }
    let printed = run(build.program("bindings/c/tests/c/denied.c").env("SALTUS_DOMAIN", domain.url()));
    set_mode_of(open.path(), 0o1777);
    set_mode(&private, "", 0o755);
    set_mode(&public, "", 0o755);
    let printed: Vec<&str> =
        printed.lines().map(|line| line.split_inclusive(": ").take(2).last().unwrap()).collect();
    let denied = "permission denied: ";
    assert_eq!(printed, [denied, "done", denied, "done", "done", denied]);
}

fn set_mode(channel: &saltus_channel::Channel, file: &str, mode: u32) {
    set_mode_of(&channel.domain().path().join(format!("{}{file}", channel.name().file_name())), mode);
}

fn set_mode_of(path: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("a mode");
}
pub fn c_does_all_that_domains_and_logs_can(build: &Build) {
    let domain = TestDomain::new();
    let url = format!("{}?depth=4096", domain.url());
    let mut program = build.program("bindings/c/tests/c/domain.c");
    assert_eq!(run(program.arg(&build.dir).env("SALTUS_DOMAIN", url)), "done\n");
}

pub fn cpp_does_all_that_channels_domains_and_logs_can(build: &Build) {
    let domain = TestDomain::new();
    let mut program = build.program("bindings/c/tests/cpp/all.cpp");
    assert_eq!(run(program.arg(&build.dir).env("SALTUS_DOMAIN", domain.url())), "done\n");
}

pub fn a_killed_publisher_leaves_whole_messages_and_the_others_continue(build: &Build) {
    let test = TestDomain::new();
    let mut stream = build.program("bindings/c/tests/c/stream.c");
    stream.arg("stream");
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
        let child = Killed(stream.env("SALTUS_DOMAIN", test.url()).spawn().unwrap());
        // Killed after some of its messages, in whatever it is doing.
        for _ in 0..1 + round * 7 {
            whole(&mut all);
        }
        drop(child);
        ours.publish(&u64::MAX.to_ne_bytes()).unwrap();
        while whole(&mut all) != u64::MAX {}
    }
}
