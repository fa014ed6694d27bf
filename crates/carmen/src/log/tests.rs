use std::io::{Cursor, Write};
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;
use crate::Odometry;

const SCAN: &str = "FLASER 3 1.5 2 81.83 0.1 0.2 0.3 0.1 0.2 0.3 12.5 pippo 12.25";

fn log(text: impl Into<Vec<u8>>) -> Log {
    Log::read(Cursor::new(text.into())).expect("a cursor can be read")
}

fn all(mut log: Log) -> (Vec<String>, Counts) {
    let mut lines = Vec::new();
    while let Some((_, line)) = log.next_scan() {
        lines.push(String::from_utf8_lossy(line).into_owned());
    }
    (lines, log.counts.clone())
}

fn gzip(text: &str) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::default());
    gz.write_all(text.as_bytes()).expect("a vector takes everything");
    gz.finish().expect("a vector takes everything")
}

#[test]
fn a_scan_is_read() {
    let scan = Scan::parse(SCAN.as_bytes()).expect("a sound scan");
    let pose = [0.1, 0.2, 0.3];
    let ranges = vec![1.5, 2.0, 81.83];
    assert_eq!(scan, Scan { laser: Laser::Front, ranges, pose, odometry: pose, stamp: 12.5, logged: 12.25 });
    let rear = SCAN.replacen('F', "R", 1);
    assert_eq!(Scan::parse(rear.as_bytes()), Ok(Scan { laser: Laser::Rear, ..scan }));
}

#[test]
fn odometry_is_read() {
    let odometry = Odometry::parse(b"ODOM 1 2 3 0.5 -0.25 0.125 12.5 pippo 12.25").expect("sound odometry");
    assert_eq!((odometry.pose, odometry.speed, odometry.turn_rate), ([1.0, 2.0, 3.0], 0.5, -0.25));
    assert_eq!((odometry.acceleration, odometry.stamp, odometry.logged), (0.125, 12.5, 12.25));
}

#[test]
fn an_incomplete_scan_is_reported() {
    for bad in [
        "",
        "FLASER",
        "FLASER x",
        "FLASER -1 1 2",
        "FLASER 99999999999999999999 1",
        "FLASER 4000000000 1",
        "FLASERX 0 1 2 3 1 2 3 1 h 1",
        "SLASER 0 1 2 3 1 2 3 1 h 1",
        "FLASER 3 1.5 2 x 0.1 0.2 0.3 0.1 0.2 0.3 12.5 pippo 12.25",
        "FLASER 3 1.5 2 nan 0.1 0.2 0.3 0.1 0.2 0.3 12.5 pippo 12.25",
        "FLASER 3 1.5 2 1 0.1 0.2 0.3 0.1 0.2 0.3 12.5 pippo inf",
        "FLASER 3 1.5 2 1 0.1 0.2 0.3 0.1 0.2 0.3 12.5 pippo",
        "FLASER 3 1.5 2 1 0.1 0.2 0.3 0.1 0.2 0.3 12.5 pippo 12.25 more",
    ] {
        assert!(Scan::parse(bad.as_bytes()).is_err(), "{bad}");
    }
    for (bad, words) in [
        (&b"FLASER 1 \xff 0 0 0 0 0 0 1 h 1"[..], "not text"),
        (b"FLASER 1 1.2x 0 0 0 0 0 0 1 h 1", "`1.2x` is not a number, expected a range"),
        (b"FLASER 1 1 0 0 0 0 0 0 1 h", "it ends before the log's stamp"),
        (b"FLASER 1 \x1b[2J 0 0 0 0 0 0 1 h 1", "`\\x1b[2J`"),
        (b"FLASER 0 0 0 0 0 0 0 1 h 1 more", "`more` is unexpected"),
    ] {
        let error = Scan::parse(bad).expect_err("broken");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn other_lines_are_skipped_and_counted() {
    let text = format!("# a comment\nODOM 1 2\n\n{SCAN}\nFLASER 9 nonsense\nODOM 3\n\u{0}\u{1}\n{SCAN}");
    let (lines, counts) = all(log(text));
    assert_eq!(lines, [SCAN, SCAN]);
    assert_eq!((counts.scans, counts.broken, counts.too_long), (2, 1, 0));
    assert_eq!(counts.others["ODOM"], 2);
    assert_eq!(counts.others["#"], 1);
    assert_eq!(counts.others["(blank)"], 1);
    assert_eq!(
        counts.to_string(),
        "2 scans; skipped 1 #, 1 (blank), 2 ODOM, 1 \\x00\\x01; 1 malformed lines"
    );
}

#[test]
fn entries_are_all_that_is_understood_with_their_line_numbers() {
    let text = format!("# a comment\n{SCAN}\nODOM 1 2\nNEFF 3\nODOM 1 2 3 4 5 6 7 h 8\nR{}", &SCAN[1..]);
    let mut log = log(text);
    let mut seen = Vec::new();
    while let Some(entry) = log.next_entry() {
        seen.push((entry.number, entry.message.map(|m| m.logged()).map_err(|e| e.what)));
    }
    let broken = Err("it ends before the pose".to_owned());
    assert_eq!(seen, [(2, Ok(12.25)), (3, broken), (5, Ok(8.0)), (6, Ok(12.25))]);
    let counts = log.counts();
    assert_eq!((counts.scans, counts.odometry, counts.broken, counts.others["NEFF"]), (2, 1, 1, 1));
}

#[test]
fn lines_without_end_cost_no_memory_and_lose_nothing_else() {
    let text = format!("{SCAN}\nFLASER {}\n{SCAN}\n{}", "1 ".repeat(LINE), "x".repeat(10 * LINE));
    let (lines, counts) = all(log(text));
    assert_eq!(lines, [SCAN, SCAN]);
    assert_eq!(counts.too_long, 2);
    let just_fits = format!("{}\n{SCAN}\n", "x".repeat(LINE - 1));
    assert_eq!(all(log(just_fits)).1.too_long, 0);
}

#[test]
fn many_kinds_are_counted_together() {
    let text: String = (0..1000).map(|k| format!("KIND{k} 1\n")).collect();
    let (_, counts) = all(log(text));
    assert!(counts.others.len() <= KINDS + 1);
    assert_eq!(counts.others.values().sum::<u64>(), 1000);
}

#[test]
fn gzip_is_seen_by_its_bytes_and_members_follow_each_other() {
    let mut bytes = gzip(&format!("{SCAN}\n"));
    bytes.extend(gzip(&format!("ODOM 1\n{SCAN}\n")));
    let (lines, counts) = all(log(bytes));
    assert_eq!(lines, [SCAN, SCAN]);
    assert_eq!(counts.cut_short, None);
}

#[test]
fn a_truncated_gzip_yields_its_whole_lines_and_an_error() {
    let text: String = (0..2000).map(|k| format!("FLASER 1 {k} 0 0 0 0 0 0 {k} h {k}\n")).collect();
    let mut bytes = gzip(&text);
    bytes.truncate(bytes.len() / 2);
    let (lines, counts) = all(log(bytes));
    assert!(counts.cut_short.is_some() && counts.scans > 100 && counts.scans < 2000, "{counts}");
    for (k, line) in lines.iter().enumerate() {
        assert_eq!(*line, format!("FLASER 1 {k} 0 0 0 0 0 0 {k} h {k}"));
    }
}

/// The recorded logs are next to the checkout, or in the directory `SALTUS_DATA`.
fn data() -> Option<PathBuf> {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let dir = std::env::var_os("SALTUS_DATA").map_or(beside, PathBuf::from);
    dir.is_dir().then_some(dir)
}

#[test]
fn the_recorded_logs_are_read_whole() {
    let Some(dir) = data() else {
        eprintln!("skipped: no recorded logs; set SALTUS_DATA to the directory that holds them");
        return;
    };
    for (file, scans, beams, odom) in
        [("intel.log.gz", 910, 180, 14_541), ("freiburg-079.log.gz", 4_791, 360, 9_725)]
    {
        let mut log = Log::open(&dir.join(file)).expect("the log opens");
        while let Some((scan, line)) = log.next_scan() {
            assert_eq!(scan.ranges.len(), beams);
            assert!(line.starts_with(b"FLASER ") && !line.ends_with(b"\n"));
        }
        let counts = log.counts();
        assert_eq!((counts.scans, counts.broken, counts.too_long), (scans, 0, 0), "{file}: {counts}");
        assert_eq!(counts.others["ODOM"], odom);
        assert_eq!(counts.cut_short, None);
        let mut log = Log::open(&dir.join(file)).expect("the log opens");
        while let Some(entry) = log.next_entry() {
            assert!(entry.message.is_ok(), "line {}", entry.number);
        }
        assert_eq!((log.counts().scans, log.counts().odometry), (scans, odom), "{file}");
    }
}
