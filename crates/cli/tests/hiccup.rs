//! `saltus hiccup`: prints its measurements, writes a readable log, and exits cleanly.

mod support;

use std::fs::File;
use std::io::BufReader;

use saltus_measure::hlog::{self, Entry, Line};
use support::files::Files;
use support::terminal::Terminal;
use support::{Place, until};

/// The intervals of a log with this tag.
fn intervals(path: &str, tag: Option<&str>) -> Vec<Line> {
    let mut all = Vec::new();
    let Ok(file) = File::open(path) else { return all };
    hlog::read(BufReader::new(file), |entry| {
        if let Entry::Interval(line) = entry
            && line.tag.as_deref() == tag
        {
            all.push(line);
        }
    })
    .expect("the log can be read");
    all
}

#[test]
fn a_live_line_that_is_wider_than_the_terminal_does_not_pile_up() {
    let (place, files) = (Place::new(), Files::new());
    let terminal = Terminal::new(&place, files.path(), (50, 20), "hiccup --duration 1s");
    let lines = |screen: &str| screen.lines().filter(|line| line.starts_with("last interval")).count();
    let screen = terminal.until("the end", |screen| {
        assert!(lines(screen) <= 1, "{screen}");
        screen.contains("ended with 0")
    });
    assert_eq!(lines(&screen), 0, "the line is erased at the end: {screen}");
}

#[test]
fn every_meter_reports_and_logs_the_same() {
    let (place, files) = (Place::new(), Files::new());
    for meter in ["sleep", "deadline", "spin"] {
        let log = files.at(&format!("{meter}.hlog"));
        let arguments =
            ["hiccup", "--meter", meter, "--duration", "300ms", "-i", "100ms", "--json", "--out", &log];
        let lines = place.run(arguments).with(0).json();
        let report = &lines.last().expect("a report")["report"];
        assert_eq!(report["meter"], meter);
        let raw = intervals(&log, Some("raw"));
        assert_eq!(report["raw"]["count"], raw.iter().map(|line| line.times.len()).sum::<u64>());
        assert_eq!(report["raw"]["max"], raw.iter().map(|line| line.times.max()).max().expect("some"));
        let corrected = intervals(&log, None);
        assert!(report["corrected"]["count"].as_u64() >= report["raw"]["count"].as_u64(), "{report}");
        assert!(
            corrected.iter().zip(&raw).all(|(c, r)| c.times.max() == r.times.max() && c.start == r.start)
        );
        let reported = lines.iter().filter(|line| line["interval"].is_object()).count();
        assert_eq!(reported, raw.len());
        let text = String::from_utf8(files.read(&format!("{meter}.hlog"))).expect("text");
        assert!(text.contains("#machine: kernel: ") && text.contains(&format!("meter: {meter}")), "{text}");
    }
}

#[test]
fn the_log_is_named_with_o_as_elsewhere_and_a_short_run_has_short_steps() {
    let (place, files) = (Place::new(), Files::new());
    for (option, name) in [("-o", "a.hlog"), ("--out", "b.hlog")] {
        place.run(["hiccup", "--duration", "1200ms", "--quiet", option, &files.at(name)]).with(0);
        let all = intervals(&files.at(name), None);
        assert!(all.len() > 4 && all.iter().all(|line| line.length < 1.0), "{}", all.len());
    }
}

#[test]
fn spikes_are_reported_with_the_events_around_them() {
    let (place, files) = (Place::new(), Files::new());
    let log = files.at("a.hlog");
    // Every late cycle is a spike.
    let run = ["hiccup", "--meter", "deadline", "--duration", "500ms", "--spike", "1ns"];
    let lines = place.run(run.iter().chain(&["--json", "--out", &log])).with(0).json();
    let spike = lines.iter().find(|line| line["spike"].is_object()).expect("a spike");
    let around = &spike["spike"]["around"];
    assert!(around["window"].as_u64() > Some(0) && around["meter"]["voluntary"].is_u64(), "{spike}");
    let text = String::from_utf8(files.read("a.hlog")).expect("text");
    let counted = lines.last().expect("a report")["report"].clone();
    let looked_at = counted["spikes"].as_u64().zip(counted["untold"].as_u64()).map(|(all, not)| all - not);
    let reported = lines.iter().filter(|line| line["spike"].is_object()).count() as u64;
    assert_eq!(Some(reported), looked_at, "the last ones too: {counted}");
    assert_eq!(text.matches("#spike: at ").count() as u64, reported);
    let reported = place.run(run).with(0);
    for words in ["HICCUPS", "corrected", "raw", "The worst", "on cpu ", "need not be the cause"] {
        assert!(reported.text().contains(words), "{words}: {reported:?}");
    }
}

#[test]
fn it_measures_next_to_a_command_until_that_exits() {
    let place = Place::new();
    let ended = place.run(["hiccup", "--", "sh", "-c", "echo hello"]).with(0);
    assert!(ended.text().starts_with("hello\n") && ended.text().contains("HICCUPS"), "{ended:?}");
    let failed = place.run(["hiccup", "--", "sh", "-c", "exit 3"]).saying(1, "sh failed: exit status: 3");
    assert!(failed.text().contains("HICCUPS"), "the report comes all the same: {failed:?}");
    place.run(["hiccup", "--", "/no/such/program"]).saying(1, "cannot start /no/such/program");
    // The time is up, and the command is asked to exit.
    place.run(["hiccup", "--duration", "200ms", "--", "sleep", "1000"]).with(0);
}

#[test]
fn a_command_is_not_started_where_the_log_cannot_be_made_and_its_output_is_kept_apart() {
    let (place, files) = (Place::new(), Files::new());
    let (log, trace) = (files.at("no/such/a.hlog"), files.at("trace"));
    place.run(["hiccup", "--out", &log, "--", "touch", &trace]).saying(1, "a.hlog");
    assert_eq!(files.names(), [""; 0], "it was started");
    let hello = ["--", "sh", "-c", "echo hello"];
    let ended = place.run(["hiccup", "--json"].iter().chain(&hello)).with(0);
    assert!(ended.err.contains("hello") && ended.json().last().expect("a report")["report"].is_object());
    let ended = place.run(["hiccup", "--out", "-"].iter().chain(&hello)).with(0);
    let mut intervals = 0;
    let read =
        hlog::read(&ended.out[..], |entry| intervals += usize::from(matches!(entry, Entry::Interval(_))));
    assert!(read.is_ok_and(|cut| !cut) && intervals > 0 && ended.err.contains("hello"), "{ended:?}");
}

#[test]
fn a_refused_setting_is_reported_and_fatal_only_on_request() {
    let place = Place::new();
    let run = ["hiccup", "--duration", "100ms", "--fifo", "1000", "--cpu", "5000"];
    let ended = place.run(run).saying(0, "SCHED_FIFO 1000");
    assert!(ended.err.contains("processors [5000]") && ended.text().contains("HICCUPS"), "{ended:?}");
    let (files, log) = (Files::new(), "a.hlog");
    let path = files.write(log, "an older log");
    let ended = place
        .run(run.iter().chain(&["--no-fallback", "--force", "--out", &path]))
        .saying(1, "processors [5000]");
    assert_eq!((ended.text(), &files.read(log)[..]), ("", &b"an older log"[..]));
    place.run(["hiccup", "--resolution", "1ns"]).with(2);
}

#[test]
fn the_control_reports_its_delays_and_ctrl_c_ends_both() {
    let (place, files) = (Place::new(), Files::new());
    let log = files.at("a.hlog");
    let run = ["hiccup", "--control", "--duration", "1h", "-i", "100ms", "--json", "--out", &log];
    let running = place.start(run);
    until("the control is in the log", || {
        intervals(&log, Some("control-raw")).iter().any(|l| !l.times.is_empty())
    });
    running.signal(libc::SIGINT);
    let lines = running.ended().with(0).json();
    assert!(lines.last().expect("a report")["report"]["control"]["count"].as_u64() > Some(0), "{lines:?}");
}

#[test]
fn the_log_goes_to_standard_output_and_a_closed_one_ends_it() {
    let place = Place::new();
    let ended = place.run(["hiccup", "--duration", "200ms", "-i", "100ms", "--out", "-"]).with(0);
    assert!(hlog::read(&ended.out[..], |_| {}).is_ok_and(|cut| !cut), "nothing but the log: {ended:?}");
    let mut running = place.start(["hiccup", "--duration", "1h", "--out", "-"]);
    drop(running.output());
    running.ended().with(0);
}
