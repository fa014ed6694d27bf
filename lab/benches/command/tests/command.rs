//! `saltus bench`: the floors, the kernel's own means and Saltus, measured by the installed command alone.

mod support;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use support::files::Files;
use support::{Place, Running};

#[test]
fn floors_and_contenders_are_measured_and_told_to_programs() {
    // On a busy machine a window of some milliseconds may go by without a turn on the processor; six do not.
    let line = [
        "bench",
        "--short",
        "--reps",
        "6",
        "--scenario",
        "floors,pingpong",
        "--contender",
        "saltus,shm://,pipe",
        "--json",
    ];
    let lines = Place::new().run(line).with(0).json();
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
    let (place, files) = (Place::new(), Files::new());
    let out = files.at("a/b");
    let line = [
        "bench",
        "--short",
        "--reps",
        "3",
        "--scenario",
        "paced",
        "--contender",
        "saltus,unix-dgram",
        "-o",
        &out,
    ];
    let told = place.run(line).with(0);
    for words in ["p50", "p99.9", "max", "count", "ratio of p50", "kernel", "unix-dgram", "1w8r"] {
        assert!(told.text().contains(words), "{words}: {told:?}");
    }
    let data: serde_json::Value = serde_json::from_slice(&files.read("a/b/bench.json")).expect("JSON");
    assert!(data["rows"].as_array().is_some_and(|rows| !rows.is_empty()), "{data}");
    assert!(files.read("a/b/bench.svg").starts_with(b"<svg"));
    let series = place.run(["report", &files.at("a/b/paced.hlog"), "--tag", "all", "--json"]).with(0).json();
    let is_there = |who: &str| {
        series
            .iter()
            .any(|one| one["series"].as_str().is_some_and(|name| name.contains(who)) && one["count"] != 0)
    };
    assert!(is_there("unix-dgram/") && is_there("saltus/"), "{series:?}");
}

#[test]
fn what_cannot_be_measured_or_written_is_told_at_once() {
    let place = Place::new();
    let ended = place.run(["bench", "--contender", "tin-cans"]).with(2);
    assert!(ended.err.contains("tin-cans") && ended.err.contains("eventfd"), "{ended:?}");
    place.run(["bench", "--scenario", "speed"]).with(2);
    place.run(["bench", "--reps", "0"]).with(2);
    place.run(["bench", "--out", "/dev/null/x"]).saying(1, "/dev/null/x");
}

#[test]
fn ctrl_c_ends_it_with_what_was_measured() {
    let place = Place::new();
    let line = ["bench", "--reps", "1000", "--scenario", "copy", "--contender", "memcpy"];
    let mut running = Running::start(place.command(line).stderr(Stdio::piped()));
    let mut told = BufReader::new(running.errors()).lines();
    // The second repetition has begun: there is something to tell.
    assert!(told.any(|line| line.is_ok_and(|line| line.contains("repetition 2 of"))));
    running.signal(libc::SIGINT);
    let ended = running.ended().with(0);
    assert!(ended.text().contains("memcpy"), "{ended:?}");
    assert!(told.any(|line| line.is_ok_and(|line| line.contains("interrupted"))));
}
