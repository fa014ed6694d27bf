//! Messages pass whole through every installed peer, byte for byte; missing peers are named with the reason.

use serde_json::Value;
use std::process::Command;

/// The peers that are loaded at run time, some of them through adapters in C++.
const PEERS: [&str; 4] = ["nng-ipc", "nng-tcp", "fastdds", "roscpp"];

#[test]
fn messages_pass_through_every_peer_unchanged() {
    saltus_netns::isolated(short_run);
}

fn short_run() {
    let out = std::env::temp_dir().join(format!("saltus-bench-peers-{}", std::process::id()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_saltus-bench-channel"));
    command.args(["peers", "--short", "--scenario", "whole", "--contender", &PEERS.join(","), "--out"]);
    let output = command.arg(&out).output().expect("it runs");
    let (report, reported) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    // A wrong byte, or a missing message, makes the run fail.
    assert!(output.status.success(), "{report}{reported}");
    let document = std::fs::read(out.join("peers.json")).expect("it has written its data");
    let document: Value = serde_json::from_slice(&document).expect("a document");
    let table = std::fs::read_to_string(out.join("peers.md")).expect("it has written its table");
    std::fs::remove_dir_all(&out).expect("only ours");
    for name in PEERS {
        let of = |list: &str| {
            let list = document[list].as_array().cloned().unwrap_or_default();
            list.into_iter().filter(|it| it["contender"] == name).collect::<Vec<_>>()
        };
        let sizes: Vec<_> = of("rows")
            .iter()
            .filter(|row| row["metric"] == "response")
            .map(|row| row["size"].clone())
            .collect();
        let why: Vec<_> = of("skipped").iter().map(|it| it["why"].clone()).collect();
        match &why[..] {
            [] => {
                assert_eq!(sizes, [64, 1 << 20], "{name}: {report}");
                assert!(document["versions"][name].is_string(), "{name} has a version: {report}");
            }
            [why, ..] => {
                eprintln!("NOT RUN: {name}: {why}");
                assert!(sizes.is_empty() && table.contains(&format!("`{name}`: ")), "{name}: {table}");
            }
        }
    }
}
