//! log: inspecting logs, and creating new ones from them.

mod support;

use saltus_log::{Damage, Event, Format, Reader, Writer, WriterOptions};
use saltus_types::{json, parse, wire};
use serde_json::Value;
use std::io::Write;
use std::process::Stdio;
use std::sync::Arc;
use support::files::Files;
use support::{Place, Running, until};

const POSE: &str =
    "package robot;\nstruct pose_t { int64_t utime; double xy[2]; int32_t n; string names[n]; }\n";
const SECOND: i64 = 1_000_000_000;

/// Message number `i`.
fn pose(i: i64) -> Vec<u8> {
    let schema = Arc::new(parse("test", POSE).unwrap());
    let id = schema.find("robot.pose_t").unwrap();
    let text = format!(r#"{{"utime": {i}, "xy": [{i}.5, -1], "n": 2, "names": ["a,b", "\"{i}\""]}}"#);
    wire::encode(&json::from_str(&schema, id, &text).unwrap()).unwrap()
}

/// POSE every second, TEXT half a second later; without types.
fn log(format: Format) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), format, WriterOptions::new().chunk(300)).unwrap();
    for i in 0..10 {
        let log_time = (1000 + i) * SECOND;
        let event = Event { channel: b"POSE", data: &pose(i), log_time, ..Event::default() };
        writer.write(&event).unwrap();
        let (data, log_time) = (format!("line {i}"), log_time + SECOND / 2);
        let event = Event { channel: b"TEXT", data: data.as_bytes(), log_time, ..Event::default() };
        writer.write(&event).unwrap();
    }
    writer.finish().unwrap()
}

/// Time, channel and message of each event.
fn events(bytes: &[u8]) -> (Vec<(i64, String, Vec<u8>)>, Damage) {
    let mut reader = Reader::new(Format::of_bytes(bytes).expect("a log"));
    reader.feed(bytes);
    reader.end();
    let mut events = Vec::new();
    while let Some(event) = reader.event() {
        let channel = String::from_utf8_lossy(event.channel).into_owned();
        events.push((event.log_time, channel, event.data.to_vec()));
    }
    (events, reader.damage())
}

#[test]
fn a_log_named_like_a_type_file_may_lie_among_the_types() {
    let (place, files) = (Place::new(), Files::new());
    let lcm = files.write("run.lcm", log(Format::Lcm));
    files.write("pose.lcm", POSE);
    let cat = place.run(["log", "cat", &lcm, "-I", &files.at(""), "-e", "POSE"]).with(0);
    assert!(cat.text().contains("robot.pose_t") && cat.err.is_empty(), "{}", cat.err);
    place.run(["types", "check", &files.at("")]).saying(0, "1 type in 1 file");
}

#[test]
fn a_log_converts_to_typed_mcap_and_back_byte_for_byte() {
    let (place, files) = (Place::new(), Files::new());
    let lcm = files.write("a.lcmlog", log(Format::Lcm));
    files.write("types/pose.lcm", POSE);
    let (mcap, back) = (files.at("a.mcap"), files.at("back.lcmlog"));
    place
        .run(["log", "convert", &lcm, "-o", &mcap, "-I", &files.at("types")])
        .saying(0, "20 events on 2 channels");
    place.run(["log", "convert", &mcap, "-o", &back]).with(0);
    assert_eq!(files.read("a.lcmlog"), files.read("back.lcmlog"));

    let info = &place.run(["log", "info", &mcap, "--json"]).with(0).json()[0];
    assert_eq!((&info["format"], &info["events"]), (&"MCAP".into(), &20.into()));
    assert_eq!((&info["first"], &info["last"]), (&"1000.000000000".into(), &"1009.500000000".into()));
    let pose = &info["channels"][0];
    assert_eq!(
        (&pose["channel"], &pose["type"], &pose["encoding"], &pose["messages"], &pose["rate"]),
        (&"POSE".into(), &"robot.pose_t".into(), &"cdr".into(), &10.into(), &1.0.into())
    );
    assert_eq!(info["channels"][1]["type"], Value::Null);
    let info = place.run(["log", "info", &mcap]).with(0);
    assert!(info.text().contains("robot.pose_t"), "{}", info.text());
    assert!(info.text().contains("1970-01-01 00:16:40.000 UTC (1000.000000000)"), "{}", info.text());
}

#[test]
fn messages_are_printed_as_echo_does() {
    let (place, files) = (Place::new(), Files::new());
    let lcm = files.write("a.lcmlog", log(Format::Lcm));
    files.write("types/pose.lcm", POSE);
    let printed =
        place.run(["log", "cat", &lcm, "-I", &files.at("types"), "-e", "POSE", "--json"]).with(0).json();
    assert_eq!(printed.len(), 10);
    assert_eq!((&printed[3]["value"]["utime"], &printed[3]["type"]), (&3.into(), &"robot.pose_t".into()));
    assert_eq!(printed[3]["logged"], "1003.000000000");
    let lines = place.run(["log", "cat", &lcm, "-e", "TEXT", "--lines", "-n", "2"]).with(0);
    assert_eq!(lines.text(), "line 0\nline 1\n");
    let human = place.run(["log", "cat", &lcm, "-e", "TEXT", "--from", "9s"]).with(0);
    assert_eq!(human.text(), "[1009.500000000] TEXT: line 9\n");
    let piped = place.feed(["log", "cat", "-", "-e", "TEXT", "--lines"], &log(Format::Mcap)).with(0);
    assert_eq!(piped.text().lines().count(), 10);
}

#[test]
fn channels_and_times_are_chosen() {
    let (place, files) = (Place::new(), Files::new());
    for (format, input, output) in [(Format::Lcm, "a.lcmlog", "b.lcmlog"), (Format::Mcap, "a.mcap", "b.mcap")]
    {
        let (all, input) = (events(&log(format)).0, files.write(input, log(format)));
        let chosen = |options: &[&str]| {
            let command = if options.contains(&"-e") { "filter" } else { "cut" };
            let out = files.at(output);
            place.run([&["log", command, &input, "-o", &out, "--force"], options].concat()).with(0);
            events(&files.read(output)).0
        };
        let of = |channel: &str| all.iter().filter(|e| e.1 == channel).cloned().collect::<Vec<_>>();
        assert_eq!(chosen(&["-e", "PO.*"]), of("POSE"));
        assert_eq!(chosen(&["-e", "PO.*", "-v"]), of("TEXT"));
        assert_eq!(chosen(&["-e", "POS.", "--to", "1s"]).len(), 1);
        assert_eq!(chosen(&["--from", "2s", "--to", "3s"]), all[4..6]);
        assert_eq!(chosen(&["--from", "@1009"]), all[18..]);
    }
    let input = files.at("a.lcmlog");
    place.run(["log", "filter", &input, "-o", &files.at("c.lcmlog"), "-e", "POS"]).saying(0, "0 events");
    assert!(files.read("c.lcmlog").is_empty(), "names are matched whole");
    place.run(["log", "cut", &input, "-o", &files.at("d.lcmlog")]).saying(2, "--from");
    place
        .run(["log", "filter", &input, "-o", &files.at("d.lcmlog"), "-e", "("])
        .saying(2, "regular expression");
    place.run(["log", "filter", &input, "-o", &files.at("d.lcmlog"), "-e", "2s"]).saying(2, "--to");
    place.run(["log", "filter", &input, "-o", &files.at("d.lcmlog"), "-e", "POSE", "-v"]).with(0);
}

#[test]
fn logs_are_merged_in_the_order_of_time() {
    let (place, files) = (Place::new(), Files::new());
    let whole = files.write("a.mcap", log(Format::Mcap));
    let (poses, texts, out) = (files.at("poses.lcmlog"), files.at("texts.mcap"), files.at("out.mcap"));
    place.run(["log", "filter", &whole, "-o", &poses, "-e", "POSE"]).with(0);
    place.run(["log", "filter", &whole, "-o", &texts, "-e", "TEXT"]).with(0);
    place.run(["log", "merge", &texts, &poses, "-o", &out]).saying(0, "20 events");
    assert_eq!(events(&files.read("out.mcap")).0, events(&log(Format::Mcap)).0);
}

#[test]
fn repair_keeps_readable_parts_and_reports_the_rest() {
    let (place, files) = (Place::new(), Files::new());
    for (format, name) in [(Format::Lcm, "a.lcmlog"), (Format::Mcap, "a.mcap")] {
        let bytes = log(format);
        let broken = files.write(name, &bytes[..bytes.len() / 2 + 9]);
        let out = files.at(&format!("repaired-{name}"));
        place.run(["log", "repair", &broken, "-o", &out]).saying(0, "the rest was read");
        let (repaired, damage) = events(&files.read(&format!("repaired-{name}")));
        assert_eq!(damage, Damage::default());
        assert!(repaired.len() >= 5 && repaired == events(&bytes).0[..repaired.len()], "{format}");
    }
}

#[test]
fn messages_become_tables_and_objects() {
    let (place, files) = (Place::new(), Files::new());
    let lcm = files.write("a.lcmlog", log(Format::Lcm));
    files.write("types/pose.lcm", POSE);
    let types = files.at("types");
    let csv = place
        .run(["log", "export", "--format", "csv", &lcm, "-I", &types, "-e", "POSE", "--to", "2s"])
        .with(0);
    let expected = "time,channel,utime,xy[0],xy[1],n,names\n\
                    1000.000000000,POSE,0,0.5,-1.0,2,\"[\"\"a,b\"\",\"\"\\\"\"0\\\"\"\"\"]\"\n";
    assert!(csv.text().starts_with(expected), "{}", csv.text());
    assert_eq!(csv.text().lines().count(), 3);
    let out = files.at("pose.jsonl");
    place.run(["log", "export", &lcm, "-I", &types, "-o", &out]).saying(0, "left out 10 messages");
    let text = String::from_utf8(files.read("pose.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 10);
    assert_eq!((&lines[7]["value"]["xy"][0], &lines[7]["type"]), (&7.5.into(), &"robot.pose_t".into()));
    place.run(["log", "export", &lcm, "-o", &files.at("x.csv")]).saying(1, "no message of known type");
    assert!(!files.names().contains(&"x.csv".to_owned()), "nothing is left of it");
}

#[test]
fn a_carmen_log_becomes_mcap_with_its_types() {
    let (place, files) = (Place::new(), Files::new());
    let text = "# a comment\nODOM 1 2 3 0.5 0 0 10.5 host 10.25\nODOM nonsense\n\
                FLASER 2 1.5 2 0 0.1 0.2 0.3 1 2 10.75 host 10.5\n";
    let carmen = files.write("in.log", text);
    let out = files.at("out.mcap");
    place.run(["log", "convert", &carmen, "-o", &out]).saying(0, "left out 1 malformed line");
    let info = &place.run(["log", "info", &out, "--json"]).with(0).json()[0];
    assert_eq!(info["channels"][0]["type"], "carmen.laser_t");
    assert_eq!((&info["events"], &info["channels"][2]["encoding"]), (&3.into(), &"cdr".into()));
}

#[test]
fn existing_files_are_overwritten_only_with_force_and_completely() {
    let (place, files) = (Place::new(), Files::new());
    let input = files.write("a.lcmlog", log(Format::Lcm));
    let out = files.write("out.mcap", "precious");
    place.run(["log", "convert", &input, "-o", &out]).saying(1, "--force");
    place
        .run(["log", "convert", &files.write("no.lcmlog", "no log"), "-o", &out, "--force"])
        .saying(1, "is not a log");
    place.run(["log", "convert", &files.at("missing"), "-o", &out, "--force"]).saying(1, "missing");
    assert_eq!(files.read("out.mcap"), b"precious");
    place.run(["log", "convert", &input, "-o", &input, "--force"]).saying(2, "itself");
    place.run(["log", "convert", &input, "-o", &files.at("out.xyz")]).saying(2, ".mcap");
    place.run(["log", "convert", &input, "-o", &out, "--force", "--quiet"]).with(0);
    assert_eq!(events(&files.read("out.mcap")).0.len(), 20);
    assert_eq!(files.names(), ["a.lcmlog", "no.lcmlog", "out.mcap"]);
}

#[test]
fn an_interrupt_leaves_no_half_file() {
    let (place, files) = (Place::new(), Files::new());
    let out = files.at("out.mcap");
    let mut running =
        Running::start(place.command(["log", "convert", "-", "-o", &out]).stdin(Stdio::piped()));
    let mut input = running.input();
    // It has read some data, and waits for more.
    input.write_all(&log(Format::Lcm).repeat(300)).unwrap();
    until("the file is begun", || files.names().iter().any(|name| name.starts_with("out.mcap.")));
    running.signal(libc::SIGINT);
    drop(input);
    running.ended().saying(1, "interrupted");
    assert!(files.names().is_empty(), "{:?}", files.names());
}
