//! What the programs in `examples` say, whatever they are built with.

use super::*;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// Over channels: their names, what they say, and which channels they leave.
pub fn over_channels() -> [(&'static str, String, &'static [&'static str]); 4] {
    let loan = format!("picture 1: 640 pixels wide, {} bytes, sum {}\n", 8 + 640 * 240, 7 * 640 * 240);
    [
        // Its channel stays, as a file would, for others to open.
        ("hello", "Hello, robot\n".into(), &["hello"]),
        ("loan", loan, &[]),
        ("wait_any", "imu: 20 received\nscan: 4 received\n".into(), &[]),
        ("epoll", "10 ticks, sum 55\n".into(), &[]),
    ]
}

/// The examples over channels, each in a domain of its own.
pub fn channels(build: &Build) {
    for (name, says, leaves) in over_channels() {
        let domain = TestDomain::new();
        let mut program = build.program(&format!("examples/c/{name}.c"));
        assert_eq!(run(program.env("SALTUS_DOMAIN", domain.url())), says);
        assert_eq!(domain.list(), leaves, "{name}");
    }
}

/// The six that every language has, in a domain where only they are. `program` gives each; what it needs besides is added here.
pub fn six(language: &str, program: impl Fn(&str) -> Command) {
    let domain = TestDomain::new();
    let log = scratch(&format!("log-of-{language}")).join("robot.mcap");
    let example = |name: &str| run(program(name).arg(&log).env("SALTUS_DOMAIN", domain.url()));
    assert_eq!(example("publish"), "");
    assert_eq!(example("newest"), "tilt 0.03\n");
    let all = "imu: tilt 0.01, missed 0\nimu: tilt 0.02, missed 0\nimu: tilt 0.03, missed 0\n";
    assert_eq!(example("next"), all);
    assert_eq!(example("wait"), "imu: tilt 0.03\ndistance: 1.5 m\n");
    let typed = example("typed");
    assert!(typed.starts_with("x is 1") && typed.ends_with(" in map\n"), "{typed}");
    assert_eq!(example("log"), "tilt: reading 7\ntilt: reading 8\ntilt: reading 9\n");
    if language == "cpp" {
        assert_eq!(example("callbacks"), "tick 1\ntick 2\ntick 3\n");
    }
}

/// The six, built as others are.
pub fn domains(build: &Build) {
    for language in ["c", "cpp"] {
        six(language, |name| build.program(&format!("examples/{language}/{name}.{language}")));
    }
}

/// The one that ends by a signal.
pub fn signal_cancel(build: &Build) {
    let domain = TestDomain::new();
    let mut program = build.program("examples/c/signal_cancel.c");
    for (signal, order) in [(libc::SIGINT, "forward"), (libc::SIGTERM, "halt")] {
        let mut child =
            program.env("SALTUS_DOMAIN", domain.url()).stdout(Stdio::piped()).spawn().expect("the example");
        let mut printed = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let mut next = || printed.next().expect("a line").expect("text");
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
