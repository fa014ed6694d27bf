//! Other programs read our logs, and we read theirs.

mod support;

use saltus_log::{Compression, Event, Format, Kind, Log, Reader, Writer, WriterOptions, add_metadata};
use saltus_types::arbitrary::{Options, Rng, message};
use saltus_types::cdr::Dialect;
use saltus_types::{json, wire};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use support::{Directory, conformance_types, events, log};

/// Runs the script, with other programs.
fn foreign(arguments: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/foreign.py");
    let output = saltus_peers::program("python").arg(script).args(arguments).output().expect("Python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path of a test is text")
}

#[test]
fn readers_that_know_ros_decode_messages_of_every_conformance_type() {
    let directory = Directory::new("decode");
    let schema = Arc::new(conformance_types());
    // Other programs expect strings to be UTF-8.
    let plain = Options { odd_strings: false, ..Options::default() };
    for compression in [Compression::None, Compression::Lz4, Compression::Zstd] {
        let options = WriterOptions::new().compression(compression).chunk(2000);
        let mut writer = Writer::new(Vec::new(), Format::Mcap, options).unwrap();
        writer.types().add_all(&schema);
        let (mut rng, mut expected) = (Rng::new(11), Vec::new());
        for id in schema.ids().filter(|id| Kind::lcm(&schema, *id).cdr_schema(Dialect::Ros2Msg).is_some()) {
            let name = schema.get(id).name.to_string();
            for _ in 0..2 {
                let record = message(&mut rng, &plain, &schema, id);
                let data = wire::encode(&record).unwrap();
                let log_time = expected.len() as i64;
                writer
                    .write(&Event { channel: name.as_bytes(), data: &data, log_time, ..Event::default() })
                    .unwrap();
                expected.push(json::to_string(&record));
            }
        }
        assert_eq!(writer.kept_raw(), 0);
        let path = directory.file("types.mcap", &writer.finish().unwrap());
        let lines = directory.file("expected", expected.join("\n").as_bytes());
        assert_eq!(foreign(&["decode", text(&path), text(&lines)]).trim(), expected.len().to_string());
    }
}

#[test]
fn files_that_others_write_are_read_whole() {
    let directory = Directory::new("theirs");
    for compression in ["NONE", "LZ4", "ZSTD"] {
        let path = directory.0.join(compression);
        foreign(&["write", text(&path), compression]);
        let bytes = fs::read(&path).unwrap();
        let mut reader = Reader::new(Format::of_bytes(&bytes).unwrap());
        let mut things = 0;
        for piece in bytes.chunks(1000) {
            reader.feed(piece);
            while let Some(event) = reader.event() {
                let about = event.about.unwrap();
                if event.channel == b"/things" {
                    things += 1;
                    assert_eq!(event.sequence, Some(things));
                    assert_eq!(
                        (event.log_time, event.publish_time),
                        (999 + things as i64, Some(899 + things as i64))
                    );
                    assert_eq!(
                        (about.encoding.as_str(), about.metadata["who"].as_str()),
                        ("json", "foreign")
                    );
                    assert_eq!(about.schema.as_ref().unwrap().encoding, "jsonschema");
                } else {
                    assert_eq!(event.data, vec![0; things as usize - 1]);
                    assert_eq!(event.sequence, None);
                }
            }
        }
        reader.end();
        assert!(reader.event().is_none() && reader.damage().is_none() && !reader.damage().unfinished);
        assert_eq!((things, reader.metadata()[0].1["weather"].as_str()), (100, "fine"));
        let mut log = Log::open(&path).unwrap();
        assert_eq!((log.len(), log.seek_time(1050).unwrap()), (200, 100));
        assert_eq!(log.next().unwrap().unwrap().data, br#"{"i": 50}"#);
    }
}

#[test]
fn lcm_reads_our_logs_and_we_read_those_of_lcm() {
    let directory = Directory::new("lcm");
    let all = events(50);
    let ours = directory.file("ours", &log(Format::Lcm, WriterOptions::new(), &all));
    let hex = |data: &[u8]| data.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let expected: Vec<String> = all
        .iter()
        .enumerate()
        .map(|(i, e)| {
            let channel = String::from_utf8_lossy(&e.channel);
            format!("{i} {} {channel} {}", e.log_time / 1000, hex(&e.data)).trim_end().to_owned()
        })
        .collect();
    let read = foreign(&["read-lcm", text(&ours)]);
    assert_eq!(read.lines().map(str::trim_end).collect::<Vec<_>>(), expected);

    let theirs = directory.0.join("theirs");
    foreign(&["write-lcm", text(&theirs)]);
    let mut log = Log::open(&theirs).unwrap();
    for i in 0..20i64 {
        let event = log.next().unwrap().unwrap();
        assert_eq!(event.log_time, (1_700_000_000_000_000 + i) * 1000);
        assert_eq!(event.channel, format!("C{}", i % 2).as_bytes());
        assert_eq!(event.data, (0..i as u8).collect::<Vec<_>>());
    }
    assert!(log.next().unwrap().is_none());
    assert!(log.damage().is_none());
}

#[test]
fn appending_keeps_the_existing_content() {
    let directory = Directory::new("amend");
    let all = events(500);
    let values = |text: &str| BTreeMap::from([("bookmarks".to_string(), text.to_string())]);
    let ours = log(Format::Mcap, WriterOptions::new().chunk(2000), &all);
    let ours = directory.file("ours.mcap", &ours);
    let theirs = directory.file("theirs.mcap", b"");
    foreign(&["write", text(&theirs), "ZSTD"]);
    for (path, count, before) in [(&ours, 500, 0), (&theirs, 200, 1)] {
        for words in ["1\tone\n", "1\tone\n2\ttwo\n"] {
            let was = fs::read(path).unwrap();
            assert!(add_metadata(path, "saltus.bookmarks", &values(words)).unwrap());
            assert_ne!(fs::read(path).unwrap(), was);
        }
        let found: serde_json::Value = serde_json::from_str(&foreign(&["metadata", text(path)])).unwrap();
        assert_eq!((&found[0], found[1].as_array().unwrap().len()), (&count.into(), before + 2), "{found}");
        assert_eq!(found[1][before + 1][1]["bookmarks"], "1\tone\n2\ttwo\n");
        let log = Log::open(path).unwrap();
        assert_eq!((log.len(), log.damage().is_none()), (count, true));
        let last = log.summary().metadata.iter().rfind(|(name, _)| name == "saltus.bookmarks");
        assert_eq!(last.unwrap().1, values("1\tone\n2\ttwo\n"));
    }
    let mut log = Log::open(&ours).unwrap();
    for event in &all {
        assert_eq!(support::Owned::of(&log.next().unwrap().unwrap()), *event);
    }
}

#[test]
fn a_file_that_is_not_as_it_should_be_stays_as_it_is() {
    let directory = Directory::new("amend-not");
    let good = log(Format::Mcap, WriterOptions::new(), &events(50));
    let no = |name: &str, bytes: &[u8]| {
        let path = directory.file(name, bytes);
        assert!(!add_metadata(&path, "x", &BTreeMap::new()).unwrap(), "{name}");
        assert_eq!(fs::read(&path).unwrap(), bytes, "{name}");
    };
    for cut in [0, 1, 8, 100, good.len() / 2, good.len() - 40, good.len() - 1] {
        no("cut.mcap", &good[..cut]);
    }
    // A footer with wrong offsets, and summary records longer than the summary.
    let mut elsewhere = good.clone();
    let at = good.len() - 28;
    for start in [1_u64, 12, at as u64 - 9, good.len() as u64, u64::MAX] {
        elsewhere[at..at + 8].copy_from_slice(&start.to_le_bytes());
        no("elsewhere.mcap", &elsewhere);
    }
    let mut long = good.clone();
    let start = u64::from_le_bytes(good[at..at + 8].try_into().unwrap()) as usize;
    long[start + 1..start + 9].copy_from_slice(&u64::MAX.to_le_bytes());
    no("long.mcap", &long);
    no("lcm.log", &log(Format::Lcm, WriterOptions::new(), &events(50)));
    let (path, other) = (directory.file("linked.mcap", &good), directory.file("other", b"x"));
    fs::remove_file(&other).unwrap();
    fs::hard_link(&path, &other).unwrap();
    assert!(!add_metadata(&path, "x", &BTreeMap::new()).unwrap(), "it has two names");
}
