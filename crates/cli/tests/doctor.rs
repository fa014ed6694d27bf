//! `saltus doctor`: every check prints its finding, nothing is changed without consent, and it exits cleanly.

mod support;

use std::fs;
use std::io::{BufRead, BufReader};

use support::files::Files;
use support::terminal::Terminal;
use support::{Ended, Place, Running, until};

const IDS: [&str; 22] = [
    "rt.kernel",
    "rt.preempt",
    "rt.throttle",
    "rt.limits",
    "cpu.isolation",
    "cpu.governor",
    "cpu.idle",
    "cpu.smt",
    "cpu.smi",
    "irq.affinity",
    "kthreads",
    "mem.thp",
    "mem.swap",
    "mem.shm",
    "mem.owners",
    "ipc.removeipc",
    "clock",
    "virt",
    "net.buffers",
    "net.multicast",
    "limits.files",
    "app",
];

/// Asserts a valid exit code on any machine.
#[track_caller]
fn well(ended: Ended) -> Ended {
    assert!(matches!(ended.code, Some(0 | 7)) && ended.err.is_empty(), "{ended:?}");
    ended
}

#[test]
fn every_check_reports_value_reason_and_command() {
    let place = Place::new();
    let ended = well(place.run(["doctor", "--no-meter", "--json"]));
    let reported = &ended.json()[0];
    assert_eq!(reported["domain"], place.url());
    assert!(reported["meter"].is_null(), "{reported}");
    let checks = reported["checks"].as_array().expect("a list");
    assert_eq!(checks.iter().map(|check| check["id"].as_str().expect("a name")).collect::<Vec<_>>(), IDS);
    for check in checks {
        let state = check["state"].as_str().expect("a state");
        assert!(["ok", "warning", "problem", "cannot tell"].contains(&state), "{check}");
        for field in ["title", "found", "good", "why"] {
            assert!(check[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {check}");
        }
        assert!(check["reads"].as_array().is_some_and(|reads| !reads.is_empty()), "{check}");
        let fix = &check["fix"];
        let to_do = fix["words"] != "" || !fix["commands"].as_array().expect("a list").is_empty();
        assert_eq!(
            to_do,
            ["warning", "problem"].contains(&state),
            "what to type where there is something: {check}"
        );
    }
    let problem = checks.iter().any(|check| check["state"] == "problem");
    assert_eq!(ended.code, Some(if problem { 7 } else { 0 }), "the exit code says the same");
    assert!(!place.path().exists(), "nothing was made");
}

#[test]
fn a_meter_runs_at_the_end() {
    let place = Place::new();
    let ended = well(place.run(["doctor", "--duration", "200ms", "--json"]));
    let meter = &ended.json()[0]["meter"];
    assert!(
        meter["raw"]["count"].as_u64() > Some(0) && meter["measured"].as_u64() >= Some(200_000_000),
        "{meter}"
    );
    assert!(meter["corrected"]["max"].as_u64() >= meter["raw"]["max"].as_u64(), "{meter}");
    let ended = well(place.run(["doctor", "--duration", "200ms"]));
    for id in IDS {
        assert!(ended.text().contains(&format!(" {id} ")), "{id}: {ended:?}");
    }
    assert!(ended.text().contains(" cannot tell; ") && ended.text().contains("was late"), "{ended:?}");
}

#[test]
fn each_check_explains_itself_and_another_name_lists_them() {
    let place = Place::new();
    for id in IDS {
        let ended = well(place.run(["doctor", "--explain", id]));
        for words in [&format!("{id}: "), "state  ", "found  ", "reads  ", "good   ", "why    "] {
            assert!(ended.text().lines().any(|line| line.starts_with(words)), "{words}: {ended:?}");
        }
    }
    let one = well(place.run(["doctor", "--explain", "clock", "--json"])).json();
    assert_eq!(one[0]["checks"].as_array().expect("a list").len(), 1);
    let refused = place.run(["doctor", "--explain", "nonsense"]).saying(2, "no check `nonsense`");
    assert!(IDS.iter().all(|id| refused.err.contains(id)), "{refused:?}");
}

#[test]
fn the_script_is_one_that_a_shell_can_read() {
    let (place, files) = (Place::new(), Files::new());
    let script = well(place.run(["doctor", "--fix-script"]));
    assert!(script.text().starts_with("#!/bin/sh\n"), "{script:?}");
    let path = files.at("fix.sh");
    fs::write(&path, script.text()).expect("room for a script");
    assert!(std::process::Command::new("sh").args(["-n", &path]).status().expect("sh runs").success());
}

#[test]
fn without_a_way_for_multicast_it_is_a_problem_and_what_is_to_be_typed_mends_it() {
    saltus_netns::isolated(|| {
        let place = Place::new();
        saltus_netns::ip("route flush table main");
        let look = ["doctor", "--explain", "net.multicast", "--json"];
        let problem = place.run(look).with(7).json();
        let check = &problem[0]["checks"][0];
        assert_eq!(check["state"], "problem", "{check}");
        for command in check["fix"]["commands"].as_array().expect("a list") {
            let command = command.as_str().expect("a command");
            let typed = std::process::Command::new("sh").args(["-c", command]).status().expect("sh runs");
            assert!(typed.success(), "{command}");
        }
        let mended = place.run(look).with(0).json();
        assert_eq!(mended[0]["checks"][0]["state"], "ok", "{mended:?}");
    });
}

/// A domain with a dead channel, one with a live publisher, and an unused one.
fn domain_with_a_dead_channel(place: &Place) -> Running {
    place.run(["pub", "left", "x", "-q"]).with(0);
    place.run(["mk", "fresh"]).with(0);
    let living = place.start(["pub", "living", "x", "-r", "100", "-q"]);
    place.until_published("living", 1);
    living
}

fn names(place: &Place) -> Vec<String> {
    place.domain().list().expect("a domain").iter().map(|name| name.to_string()).collect()
}

#[test]
fn clean_removes_channels_of_the_dead_alone() {
    let place = Place::new();
    let living = domain_with_a_dead_channel(&place);
    let reported = well(place.run(["doctor", "--explain", "mem.shm"]));
    assert!(reported.text().contains("1 channel whose publishers are all dead"), "{reported:?}");
    place.run(["doctor", "--clean"]).saying(2, "add --yes");
    assert_eq!(names(&place), ["fresh", "left", "living"], "nothing is removed unasked");
    let cleaned = place.run(["doctor", "--clean", "--yes"]).with(0);
    assert!(
        cleaned.text().starts_with("left  ") && cleaned.text().ends_with("1 channel removed\n"),
        "{cleaned:?}"
    );
    assert_eq!(names(&place), ["fresh", "living"]);
    let again = place.run(["doctor", "--clean", "--yes"]).with(0);
    assert!(again.text().starts_with("no channel in shm://"), "{again:?}");
    living.signal(libc::SIGINT);
    living.ended().with(0);
    for wrong in [
        &["doctor", "--yes"][..],
        &["doctor", "--clean", "--json"],
        &["doctor", "--clean", "--explain", "app"],
    ] {
        place.run(wrong).with(2);
    }
    place.run(["--domain", "udpm://239.255.76.67:7667", "doctor", "--clean", "--yes"]).with(2);
}

#[test]
fn on_a_terminal_clean_asks() {
    let (place, files) = (Place::new(), Files::new());
    let living = domain_with_a_dead_channel(&place);
    for (answer, left) in [("n", &["fresh", "left", "living"][..]), ("y", &["fresh", "living"])] {
        let here = files.at(answer);
        fs::create_dir(&here).expect("a directory");
        let terminal = Terminal::new(&place, here.as_ref(), (100, 20), "doctor --clean");
        until("it asks", || terminal.screen().contains("Remove 1 channel? [y/N]"));
        terminal.press(&[answer, "Enter"]);
        until("it ends", || terminal.screen().contains("ended with 0"));
        assert_eq!(names(&place), left);
    }
    living.signal(libc::SIGINT);
    living.ended().with(0);
}

#[test]
fn a_closed_pipe_and_ctrl_c_end_it_early() {
    let place = Place::new();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let long = ["doctor", "--duration", "1h"];
    let ended = Running::start(place.command(long).stdout(writer)).ended().with(0);
    assert_eq!(ended.err, "");
    let mut running = place.start(long);
    let mut lines = BufReader::new(running.output()).lines();
    assert!(lines.any(|line| line.expect("text").contains(" cannot tell; ")), "what was found comes first");
    running.signal(libc::SIGINT);
    let rest: Vec<String> = lines.map(|line| line.expect("text")).collect();
    assert_eq!(rest.len(), 1, "what was measured until then: {rest:?}");
    well(running.ended());
}
