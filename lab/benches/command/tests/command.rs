//! `saltus bench` and `saltus tunnel bench` measure and report the floors, the kernel's own means, Saltus and a
//! tunnel.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

/// The program with these arguments.
fn bench(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saltus-bench"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Its output, if it ended with this code.
fn ended(arguments: &[&str], code: i32) -> (String, String) {
    reported(bench(arguments).output().expect("the program runs"), code)
}

fn reported(output: Output, code: i32) -> (String, String) {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(code), "{out}{err}");
    (out, err)
}

/// One JSON object per line.
fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))).collect()
}

#[test]
fn lower_bounds_and_contenders_are_measured_and_in_the_json() {
    // On a busy machine a window of some milliseconds may pass without processor time; six windows do not.
    let line = [
        "--short",
        "--reps",
        "6",
        "--scenario",
        "floors,pingpong",
        "--contender",
        "saltus,shm://,pipe",
        "--json",
    ];
    let lines = objects(&ended(&line, 0).0);
    assert!(lines[0]["machine"]["kernel"].is_string(), "{}", lines[0]);
    for (scenario, who) in [
        ("floors", "syscall"),
        ("floors", "futex"),
        ("floors", "memcpy"),
        ("pingpong", "seqlock"),
        ("pingpong", "saltus"),
        ("pingpong", "shm://"),
        ("pingpong", "pipe"),
    ] {
        let row = lines.iter().find(|row| row["scenario"] == scenario && row["contender"] == who);
        let row = row.unwrap_or_else(|| panic!("no row of {who} in {scenario}: {lines:?}"));
        let value = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("{name} of {row}"));
        assert!(value("count") > 0.0 && value("p50_ns") > 0.0, "{row}");
        assert!(value("p50_ns") <= value("p99_ns") && value("p99_9_ns") <= value("max_ns"), "{row}");
    }
    assert!(lines.iter().all(|row| row["failed"].is_null()), "{lines:?}");
}

#[test]
fn a_table_a_log_data_and_a_figure_are_left() {
    let dir = std::env::temp_dir().join(format!("saltus-bench-test-{}", std::process::id()));
    let out = dir.join("a/b");
    let line = [
        "--short",
        "--reps",
        "3",
        "--scenario",
        "paced",
        "--contender",
        "saltus,unix-dgram",
        "-o",
        out.to_str().expect("text"),
    ];
    let (reported, _) = ended(&line, 0);
    for words in ["p50", "p99.9", "max", "count", "ratio of p50", "kernel", "unix-dgram", "1w8r"] {
        assert!(reported.contains(words), "{words}: {reported}");
    }
    let read = |name: &str| std::fs::read(out.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let data: Value = serde_json::from_slice(&read("bench.json")).expect("JSON");
    assert!(data["rows"].as_array().is_some_and(|rows| !rows.is_empty()), "{data}");
    assert!(read("bench.svg").starts_with(b"<svg"));
    let mut report = Command::new(saltus_peers::saltus());
    report.arg("report").arg(out.join("paced.hlog")).args(["--tag", "all", "--json"]);
    let series = objects(&self::reported(report.output().expect("the command runs"), 0).0);
    let is_there = |who: &str| {
        series
            .iter()
            .any(|one| one["series"].as_str().is_some_and(|name| name.contains(who)) && one["count"] != 0)
    };
    assert!(is_there("unix-dgram/") && is_there("saltus/"), "{series:?}");
    std::fs::remove_dir_all(dir).expect("what was made can be removed");
}

#[test]
fn impossible_measurements_and_outputs_fail_immediately() {
    let (_, err) = ended(&["--contender", "tin-cans"], 2);
    assert!(err.contains("tin-cans") && err.contains("eventfd"), "{err}");
    ended(&["--scenario", "speed"], 2);
    ended(&["--reps", "0"], 2);
    assert!(ended(&["--out", "/dev/null/x"], 1).1.contains("/dev/null/x"));
}

#[test]
fn ctrl_c_ends_it_with_what_was_measured() {
    let line = ["--reps", "1000", "--scenario", "copy", "--contender", "memcpy"];
    let mut running = bench(&line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut reported = BufReader::new(running.stderr.take().expect("a pipe")).lines();
    // The second repetition has begun, so there is a result to report.
    assert!(reported.any(|line| line.is_ok_and(|line| line.contains("repetition 2 of"))));
    // SAFETY: passes two integers; the child has not been waited for.
    unsafe { libc::kill(running.id().cast_signed(), libc::SIGINT) };
    let interrupted = reported.any(|line| line.is_ok_and(|line| line.contains("interrupted")));
    let (out, _) = self::reported(running.wait_with_output().expect("it ends"), 0);
    assert!(interrupted && out.contains("memcpy"), "{out}");
}

#[test]
fn a_tunnel_is_measured_as_asked() {
    let arguments = ["tunnel", "--loss", "10", "--messages", "64@100", "--time", "1s", "--json"];
    let lines = objects(&ended(&arguments, 0).0);
    assert!(lines.len() == 4 || lines.len() == 3, "with TCP, or without where nothing can drop its packets");
    for line in lines {
        let (sent, delivered) = (line["sent"].as_u64().unwrap(), line["delivered"].as_u64().unwrap());
        assert!(
            sent > 0 && delivered <= sent && line["age"]["count"].as_u64().unwrap() >= delivered,
            "{line}"
        );
        assert!(line["wire_bytes_per_byte"].as_f64().unwrap() > 1.0, "{line}");
        assert!(line["age"]["p50"].as_u64().unwrap() >= 10_000_000 || delivered == 0, "{line}");
    }
}

#[test]
fn invalid_tunnel_options_are_refused() {
    for (odd, words) in [
        ("--loss=200", "from 0 to 100"),
        ("--time=0s", "less than 100ms"),
        ("--loss=10,NaN", "from 0 to 100"),
        ("--burst=0", "from 1"),
        ("--rate=-1", "MB a second"),
        ("--messages=1@1", "SIZE@HZ"),
    ] {
        let (_, err) = ended(&["tunnel", odd], 2);
        assert!(err.contains(words), "{err}");
    }
}
