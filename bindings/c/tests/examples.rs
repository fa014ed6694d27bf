//! The programs in `examples/c` compile without a warning, run, say what they should, and leave nothing behind.

mod support;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use support::*;

fn example(name: &str) -> PathBuf {
    compile(&repository().join(format!("examples/c/{name}.c")), &scratch(name))
}

/// Runs an example in a domain of its own; returns what it printed and which channels it left.
fn run_example(name: &str) -> (String, Vec<String>) {
    let domain = TestDomain::new();
    let said = run(Command::new(example(name)).env("SALTUS_DOMAIN", domain.url()));
    (said, domain.list())
}

#[test]
fn hello() {
    // Its channel stays, as a file would, for others to open.
    assert_eq!(run_example("hello"), ("Hello, robot\n".into(), vec!["hello".into()]));
}

#[test]
fn loan() {
    let said = format!("picture 1: 640 pixels wide, {} bytes, sum {}\n", 8 + 640 * 240, 7 * 640 * 240);
    assert_eq!(run_example("loan"), (said, vec![]));
}

#[test]
fn wait_any() {
    assert_eq!(run_example("wait_any"), ("imu: 20 received\nscan: 4 received\n".into(), vec![]));
}

#[test]
fn epoll() {
    assert_eq!(run_example("epoll"), ("10 ticks, sum 55\n".into(), vec![]));
}

#[test]
fn signal_cancel() {
    let domain = TestDomain::new();
    let program = example("signal_cancel");
    for (signal, order) in [(libc::SIGINT, "forward"), (libc::SIGTERM, "halt")] {
        let mut child = Command::new(&program)
            .env("SALTUS_DOMAIN", domain.url())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the example");
        let mut said = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut next = || said.next().expect("a line").expect("text");
        assert_eq!(next(), "waiting for orders; end with Ctrl-C");
        let channel = domain.open().open_channel("orders").expect("made by the example");
        let seq = channel.publisher().unwrap().publish(order.as_bytes()).unwrap().seq;
        // The second run may begin with the order that the first one got: the newest counts as unseen.
        let got = format!("order {seq}: {order}");
        while next() != got {}
        // SAFETY: our child, not waited for yet, so the id is still its own.
        assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
        assert_eq!(next(), "ended properly");
        assert!(child.wait().expect("its end").success());
    }
}

#[test]
fn the_readme_shows_the_program_that_is_tested() {
    let program = std::fs::read_to_string(repository().join("examples/c/hello.c")).expect("hello.c");
    let readme = std::fs::read_to_string(package().join("README.md")).expect("README.md");
    assert!(readme.contains(&format!("```c\n{program}```")), "README.md and examples/c/hello.c differ");
}
