//! Every contender in the build whose library is installed carries messages there and back; missing ones are named.

use std::process::Command;

/// All contenders. A name that the harness does not know is an error.
const ALL: &str = "multicast,udpm://,lcm,lcm-big,tcpq://,zmq://,zmq-ipc,zmq-tcp,nng-ipc,nng-tcp,\
                   dds://,cyclonedds,fastdds,roscpp,zenoh://,zenoh,shm://,saltus";

#[test]
fn every_contender_of_the_network_plays_or_is_named_as_missing() {
    saltus_netns::isolated(short_run);
}

fn short_run() {
    let out = std::env::temp_dir().join(format!("saltus-bench-net-{}", std::process::id()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_saltus-bench-channel"));
    command.args(["net", "--short", "--scenario", "pingpong", "--contender", ALL, "--out"]).arg(&out);
    let output = command.output().expect("it runs");
    let (report, reported) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // A contender that fails or does not answer makes the run fail.
    assert!(output.status.success(), "{report}{reported}");
    std::fs::remove_dir_all(&out).expect("it has written its files");
    for (name, is_built) in [
        ("zmq://", cfg!(feature = "zmq")),
        ("dds://", cfg!(feature = "dds")),
        ("zenoh://", cfg!(feature = "zenoh")),
        ("zenoh", cfg!(feature = "zenoh")),
    ] {
        let is_named = report.contains(&format!("  {name:<16} not in this build"));
        assert_eq!(is_named, !is_built, "{name}: {report}");
    }
}
