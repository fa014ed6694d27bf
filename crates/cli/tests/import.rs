//! import carmen: converts CARMEN logs to LCM logs.

mod support;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use saltus_log::lcm::Reader;
use support::Place;
use support::files::Files;

const LOG: &str = "# a comment\nPARAM robot_width 0.5 nohost 0\n\
    ODOM 1 2 3 0.5 0 0 10.5 host 10.25\n\
    FLASER 4 1.5 2 81.83 0 0.1 0.2 0.3 1 2 3 10.75 host 10.5\n\
    ODOM 1 2 nonsense 0.5 0 0 10.5 host 10.25\n\
    RLASER 1 2 0.1 0.2 0.3 1 2 3 9 host 9\n";

/// Time, channel and length of the events of a log.
fn events(bytes: &[u8]) -> Vec<(i64, String, usize)> {
    let (mut reader, mut events) = (Reader::new(), Vec::new());
    reader.feed(bytes);
    reader.end();
    while let Some(event) = reader.event() {
        assert_eq!(event.number, events.len() as i64);
        events.push((event.time, String::from_utf8_lossy(event.channel).into_owned(), event.data.len()));
    }
    assert_eq!(reader.skipped(), 0);
    events
}

#[test]
fn scans_and_odometry_become_events_and_other_lines_are_reported() {
    let (place, files) = (Place::new(), Files::new());
    let (log, out) = (files.write("in.log", LOG), files.at("out.lcmlog"));
    let ended = place.run(["import", "carmen", &log, "-o", &out]).saying(0, "5 events");
    for words in [
        "1 #, 1 PARAM",
        "left out malformed line 5: `nonsense` is not a number",
        "timestamps that go back: 1, by up to 1.50 s, the first in line 6; kept",
        "1 LASER_FRONT, 1 LASER_FRONT_POSE, 1 LASER_REAR, 1 LASER_REAR_POSE, 1 ODOMETRY",
    ] {
        assert!(ended.err.contains(words), "{words}: {}", ended.err);
    }
    let expected = [
        (10_250_000, "ODOMETRY", 64),
        (10_500_000, "LASER_FRONT", 48),
        (10_500_000, "LASER_FRONT_POSE", 40),
        (9_000_000, "LASER_REAR", 36),
        (9_000_000, "LASER_REAR_POSE", 40),
    ];
    assert_eq!(events(&files.read("out.lcmlog")), expected.map(|(t, c, n)| (t, c.to_owned(), n)));
    assert_eq!(files.names(), ["in.log", "out.lcmlog"], "nothing is left aside");
}

#[test]
fn the_output_name_selects_the_format_and_types_are_included() {
    let (place, files) = (Place::new(), Files::new());
    let log = files.write("in.log", LOG);
    let (mcap, lcm, again) = (files.at("out.mcap"), files.at("out.lcmlog"), files.at("again.mcap"));
    place.run(["import", "carmen", &log, "-o", &mcap]).saying(0, "5 events");
    place.run(["import", "carmen", &log, "-o", &lcm]).saying(0, "5 events");
    let converted = place.run(["log", "convert", &lcm, "-o", &again]).with(0);
    assert!(!converted.err.contains("unknown type"), "{}", converted.err);
    for (log, format) in [(&mcap, "MCAP"), (&again, "MCAP"), (&lcm, "LCM log")] {
        let info = &place.run(["log", "info", log, "--json"]).with(0).json()[0];
        assert_eq!(info["format"], format);
        let types: Vec<&str> =
            info["channels"].as_array().unwrap().iter().filter_map(|row| row["type"].as_str()).collect();
        assert_eq!(types.len(), 5, "{info}");
        assert!(types.iter().all(|name| name.starts_with("carmen.")), "{types:?}");
        let rows = place.run(["log", "cat", log, "-e", "ODOMETRY", "--json"]).with(0).json();
        assert_eq!(rows[0]["value"]["utime"], 10_500_000, "{rows:?}");
    }
    place.run(["import", "carmen", &log, "-o", &files.at("out.xyz")]).saying(2, "ends in .mcap or .lcmlog");
}

#[test]
fn the_report_is_json_for_programs() {
    let (place, files) = (Place::new(), Files::new());
    let log = files.write("in.log", LOG);
    let report = &place.run(["import", "carmen", &log, "-o", &files.at("out"), "--json"]).with(0).json()[0];
    assert_eq!((&report["events"], &report["broken"]), (&5.into(), &1.into()));
    assert_eq!((&report["others"]["PARAM"], &report["channels"]["ODOMETRY"]), (&1.into(), &1.into()));
    assert_eq!(report["broken_lines"][0]["line"], 5);
    assert_eq!((&report["back"]["count"], &report["back"]["first_line"]), (&1.into(), &6.into()));
    assert_eq!(report["jumps"]["count"], 0);
    assert!(report["cut_short"].is_null());
}

#[test]
fn existing_files_are_overwritten_only_with_force() {
    let (place, files) = (Place::new(), Files::new());
    let (log, out) = (files.write("in.log", LOG), files.write("out", "precious"));
    place.run(["import", "carmen", &log, "-o", &out]).saying(1, "--force");
    assert_eq!(files.read("out"), b"precious");
    place.run(["import", "carmen", &files.at("missing"), "-o", &out, "--force"]).saying(1, "missing");
    assert_eq!(files.read("out"), b"precious");
    place.run(["import", "carmen", &log, "-o", &out, "--force", "--quiet"]).with(0);
    assert_eq!(events(&files.read("out")).len(), 5);
    place.run(["import", "carmen", &log, "-o", &files.at("no/such/dir")]).saying(1, "no/such/dir");
    place
        .run(["import", "carmen", files.path().to_str().unwrap(), "-o", &files.at("new")])
        .saying(1, "directory");
    assert_eq!(files.names(), ["in.log", "out"]);
    let piped = place.run(["import", "carmen", &log, "-o", "-", "-q"]).with(0);
    assert_eq!(piped.out, files.read("out"));
}

#[test]
fn input_that_is_not_a_carmen_log_creates_no_log() {
    let (place, files) = (Place::new(), Files::new());
    for (text, lines) in
        [("once upon a time\nthere was a robot\n", "2 lines"), ("", "0 lines"), ("ODOM 1\n", "1 line")]
    {
        let log = files.write("tale.txt", text);
        place
            .run(["import", "carmen", &log, "-o", &files.at("out")])
            .saying(1, &format!("odometry in {lines}"));
        assert_eq!(files.names(), ["tale.txt"]);
    }
}

#[test]
fn a_truncated_gzip_keeps_its_beginning_and_reports_the_rest() {
    let (place, files) = (Place::new(), Files::new());
    let text: String = (0..5000).map(|k| format!("ODOM {k} 2 3 0.5 0 0 {k} host {k}.{}\n", k % 7)).collect();
    let mut gz = GzEncoder::new(Vec::new(), Compression::default());
    gz.write_all(text.as_bytes()).unwrap();
    let bytes = gz.finish().unwrap();
    let log = files.write("cut.log.gz", &bytes[..bytes.len() / 2]);
    place.run(["import", "carmen", &log, "-o", &files.at("out")]).saying(0, "ends too early");
    let read = events(&files.read("out")).len();
    assert!(read > 100 && read < 5000, "{read}");
}

/// LCM's own Python package reads the result, with its generated types and an independent parser of the text.
#[test]
fn lcm_reads_the_converted_logs() {
    let Some(dir) = support::recorded_logs() else { return };
    let python = saltus_peers::python();
    let (place, files) = (Place::new(), Files::new());
    let types = concat!(env!("CARGO_MANIFEST_DIR"), "/../carmen/types/carmen.lcm");
    for (log, scans, beams, odometry) in
        [("intel.log.gz", 910, 180, 14_541), ("freiburg-079.log.gz", 4_791, 360, 9_725)]
    {
        let source = dir.join(log);
        let source = source.to_str().expect("a path of a test is text");
        let out = files.at(&format!("{log}.lcmlog"));
        let report = &place.run(["import", "carmen", source, "-o", &out, "--json"]).with(0).json()[0];
        assert_eq!(report["channels"]["LASER_FRONT"], scans, "{report}");
        assert_eq!(
            (&report["channels"]["ODOMETRY"], &report["broken"]),
            (&odometry.into(), &0.into()),
            "{report}"
        );
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/read_lcm_log.py");
        let mut command = std::process::Command::new(python);
        command.args([script, types, source, &out, &files.at(&format!("{log}-types"))]);
        let reported = command.output().expect("Python runs");
        let (text, why) =
            (String::from_utf8_lossy(&reported.stdout), String::from_utf8_lossy(&reported.stderr));
        assert!(reported.status.success(), "{text}{why}");
        assert_eq!(text.trim(), format!("{scans} scans of {beams} ranges, {odometry} odometry: the same"));
    }
}
