//! Random access to a log, with an index that is never trusted.

mod support;

use saltus_log::{Compression, Error, Format, Keep, Log, Writer, WriterOptions};
use std::fs;
use std::path::{Path, PathBuf};
use support::{Directory, Owned, events, log, mcap};

fn open(path: &Path, keep: Keep) -> Log {
    Log::open_with(path, keep, &mut |_, _| true).unwrap()
}

fn all(log: &mut Log) -> Vec<Owned> {
    std::iter::from_fn(|| log.next().unwrap().map(|event| Owned::of(&event))).collect()
}

/// The events as an LCM log returns them.
fn plain(events: &[Owned]) -> Vec<Owned> {
    events.iter().map(|e| Owned { publish_time: None, sequence: None, ..e.clone() }).collect()
}

/// The same events in both formats, and as they are returned.
fn both(directory: &Directory, events: &[Owned]) -> [(PathBuf, Vec<Owned>); 3] {
    let lcm = directory.file("a.lcmlog", &log(Format::Lcm, WriterOptions::new(), events));
    let zstd = directory.file("a.mcap", &mcap(Compression::Zstd, 500, events));
    let none = directory.file("b.mcap", &mcap(Compression::None, 500, events));
    [(lcm, plain(events)), (zstd, events.to_vec()), (none, events.to_vec())]
}

fn index_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".saltus-index");
    name.into()
}

#[test]
fn events_are_stepped_through_forwards_and_backwards() {
    let directory = Directory::new("steps");
    for (path, expected) in both(&directory, &events(200)) {
        let mut log = open(&path, Keep::Never);
        assert_eq!(log.len(), 200);
        assert!(all(&mut log) == expected, "{}", path.display());
        assert!(log.next().unwrap().is_none());
        for event in expected.iter().rev() {
            assert_eq!(Owned::of(&log.previous().unwrap().unwrap()), *event);
        }
        assert!(log.previous().unwrap().is_none());
        assert_eq!(log.position(), 0);
        assert_eq!(log.times().unwrap(), Some((expected[0].log_time, expected[199].log_time)));
        assert!(!index_of(&path).exists());
    }
}

#[test]
fn a_seek_finds_the_first_event_at_or_after_a_time_exactly() {
    let directory = Directory::new("seek");
    for (path, expected) in both(&directory, &events(100)) {
        let mut log = open(&path, Keep::Never);
        for (i, event) in expected.iter().enumerate() {
            for (time, position) in
                [(event.log_time, i), (event.log_time - 1000, i), (event.log_time + 1, i + 1)]
            {
                assert_eq!(log.seek_time(time).unwrap(), position as u64);
                let found = log.next().unwrap().map(|event| event.log_time);
                assert_eq!(found, expected.get(position).map(|event| event.log_time));
            }
        }
        assert_eq!(log.seek_time(i64::MIN).unwrap(), 0);
        assert_eq!(log.seek_time(i64::MAX).unwrap(), 100);
    }
}

#[test]
fn stamps_that_go_back_are_in_the_order_of_time_and_counted() {
    let directory = Directory::new("unsorted");
    let mut events = events(90);
    let times = [50, 10, 10, 70, 0, 20];
    for (i, event) in events.iter_mut().enumerate() {
        event.log_time = 1_000_000_000 + times[i % 6] * 1_000_000_000;
        event.publish_time = Some(event.log_time);
    }
    let mut sorted = events.clone();
    sorted.sort_by_key(|event| event.log_time); // stable: events of the same time are in the order of the file
    for (path, _) in both(&directory, &events) {
        let mut log = open(&path, Keep::Never);
        let expected = if log.format() == Format::Lcm { plain(&sorted) } else { sorted.clone() };
        assert!(all(&mut log) == expected, "{}", path.display());
        assert_eq!(log.summary().back, 30, "twice in each round");
        assert_eq!(log.seek_time(1_000_000_000 + 10_000_000_001).unwrap(), 45);
    }
}

#[test]
fn an_index_is_kept_and_reused_with_the_same_content() {
    let directory = Directory::new("kept");
    for (path, expected) in both(&directory, &events(150)) {
        let first = open(&path, Keep::Always);
        assert!(!first.index_was_found());
        let mut again = open(&path, Keep::Never);
        assert!(again.index_was_found());
        assert!(all(&mut again) == expected);
        let list = |log: &Log| {
            let channels = log.summary().channels.iter();
            channels.map(|c| (c.name.clone(), c.messages, c.bytes, c.times, c.key)).collect::<Vec<_>>()
        };
        assert_eq!(list(&first), list(&again));
        assert_eq!(list(&first).iter().map(|(_, messages, ..)| messages).sum::<u64>(), 150);
        assert_eq!(first.damage(), again.damage());
    }
}

#[test]
fn an_index_of_another_log_is_rebuilt() {
    let directory = Directory::new("stale");
    let (one, two) = (events(100), events(120));
    for format in [Format::Lcm, Format::Mcap] {
        let path = directory.file("x", &log(format, WriterOptions::new(), &one));
        open(&path, Keep::Always);
        fs::write(&path, log(format, WriterOptions::new(), &two)).unwrap();
        let mut log = open(&path, Keep::Always);
        assert!(!log.index_was_found());
        assert_eq!(all(&mut log).len(), 120);
        assert!(open(&path, Keep::Never).index_was_found());
    }
}

#[test]
fn a_wrong_index_is_detected_and_rebuilt() {
    let directory = Directory::new("lies");
    for (path, expected) in both(&directory, &events(50)) {
        open(&path, Keep::Always);
        let index = index_of(&path);
        let good = fs::read(&index).unwrap();
        // Any byte of the entries, the header or the table may be changed.
        for at in (0..good.len()).step_by(5) {
            let mut bad = good.clone();
            bad[at] ^= 0x41;
            fs::write(&index, &bad).unwrap();
            let mut log = open(&path, Keep::Never);
            let events = all(&mut log);
            // Rows are names for people; the event itself is always that of the file.
            assert!(events.iter().all(|event| expected.contains(event)), "byte {at} of {}", path.display());
        }
        for cut in (0..good.len()).step_by(37) {
            fs::write(&index, &good[..cut]).unwrap();
            assert!(!open(&path, Keep::Never).index_was_found());
        }
        fs::remove_file(index).unwrap();
    }
}

#[test]
fn a_truncated_log_is_as_long_as_its_remainder() {
    let directory = Directory::new("cut");
    for (path, expected) in both(&directory, &events(60)) {
        let bytes = fs::read(&path).unwrap();
        for cut in (8..bytes.len()).step_by(bytes.len() / 40) {
            let path = directory.file("cut", &bytes[..cut]);
            let Ok(mut log) = Log::open(&path) else { continue };
            let read = all(&mut log);
            assert!(read == expected[..read.len()], "{} cut at {cut}", path.display());
        }
    }
}

#[test]
fn opening_a_file_that_is_not_a_log_fails_and_says_so() {
    let directory = Directory::new("no-log");
    for bytes in [&b""[..], b"hello", &[0; 10_000]] {
        let path = directory.file("no", bytes);
        let why = Log::open(&path).expect_err("not a log").to_string();
        assert!(why.starts_with(&format!("not a log file: {} ", path.display())), "{why}");
    }
    let why = Log::open(&directory.0).expect_err("not a log").to_string();
    assert_eq!(why, format!("not a log file: {} is not a file", directory.0.display()));
    assert!(matches!(Log::open(&directory.0.join("nothing")), Err(Error::Io(..))));
}

#[test]
fn a_log_that_changes_while_it_is_read_is_reported() {
    let directory = Directory::new("changes");
    for (path, expected) in both(&directory, &events(80)) {
        let mut log = open(&path, Keep::Never);
        log.next().unwrap();
        fs::write(&path, vec![b'x'; 70_000]).unwrap();
        log.seek(expected.len() as u64 - 1);
        let mut log2 = log;
        // Cached events may still be returned; data read from the file is not trusted.
        let outcome = log2.next().map(|event| event.map(|event| Owned::of(&event)));
        assert!(
            matches!(&outcome, Err(Error::Changed)) || outcome.unwrap() == expected.last().cloned(),
            "{}",
            path.display()
        );
    }
}

#[test]
fn a_large_message_goes_out_at_once_with_all_that_waits_and_in_its_place() {
    let sizes = [10, 70_000, 0, 300_000, 65_536, 65_535];
    let all: Vec<Owned> =
        (0..).zip(sizes).map(|(i, n)| Owned::new("A", &vec![i as u8; n], i * 1000)).collect();
    let mut writer = Writer::new(Vec::new(), Format::Lcm, WriterOptions::new()).unwrap();
    for event in &all {
        writer.write(&event.event()).unwrap();
        assert_eq!(writer.is_out(), event.data.len() >= 65_536, "{} bytes", event.data.len());
        assert!(!writer.is_out() || writer.flushed() == writer.bytes());
    }
    assert_eq!(writer.events(), 6);
    let bytes = writer.finish().unwrap();
    let (found, damage) = support::read(Format::Lcm, &bytes, 1 << 16);
    assert!(damage.is_none());
    let same = |(a, b): (&Owned, &Owned)| (a.log_time, &a.data) == (b.log_time, &b.data);
    assert!(found.len() == 6 && found.iter().zip(&all).all(same));
}
