//! Logs: played, written, damaged, and shared with LCM.

#[path = "../../net/tests/support/mod.rs"]
mod support;

use saltus_domain::{Dispatcher, Domain, Error, Missed, Options, Pattern, Subscriber, Until};
use saltus_log::lcm::{Reader, Writer};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

/// Long enough for a loaded machine; no test waits this long when all is well.
const LONG: Duration = Duration::from_secs(20);

/// A file that is removed on drop.
struct Log(PathBuf);

impl Log {
    fn new() -> Log {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("saltus-file-test-{}-{}.log", std::process::id(), NEXT.fetch_add(1, Relaxed));
        Log(std::env::temp_dir().join(name))
    }
    /// A log with these events: time in µs, channel, payload.
    fn of<'a>(events: impl IntoIterator<Item = (i64, &'a str, Vec<u8>)>) -> Log {
        let (log, mut writer, mut bytes) = (Log::new(), Writer::new(), Vec::new());
        for (time, channel, data) in events {
            writer.event(&mut bytes, time, channel.as_bytes(), &data).unwrap();
        }
        std::fs::write(&log.0, bytes).unwrap();
        log
    }
    fn url(&self, options: &str) -> String {
        format!("file://{}{options}", self.0.display())
    }
    fn open(&self, options: &str) -> Domain {
        Domain::open(&self.url(options)).unwrap()
    }
    fn why_not(&self, options: &str) -> String {
        Domain::open(&self.url(options)).unwrap_err().to_string()
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn all(domain: &Domain, depth: u64) -> Subscriber {
    domain.subscriber_with(Pattern::all(), Options::next(depth)).unwrap()
}
/// All messages until the end: number, time and payload of each.
fn rest(subscriber: &mut Subscriber) -> Vec<(u64, i64, Vec<u8>)> {
    let mut got = Vec::new();
    loop {
        match subscriber.receive(LONG) {
            Ok(message) => {
                let m = message.expect("an event in time");
                assert_eq!(m.dropped, 0);
                got.push((m.sequence.unwrap(), m.logged.unwrap(), m.data.to_vec()));
            }
            Err(Error::Ended) => return got,
            Err(e) => panic!("{e}"),
        }
    }
}
fn numbered(count: u32, step: i64) -> impl Iterator<Item = (i64, &'static str, Vec<u8>)> {
    let channels = ["POSE", "LASER", "IMU"];
    (0..count).map(move |n| (i64::from(n) * step, channels[n as usize % 3], n.to_le_bytes().to_vec()))
}

#[test]
fn as_fast_as_readers_keep_up_nothing_is_skipped() {
    let log = Log::of(numbered(5000, 1_000_000));
    for speed in ["?speed=0", "?speed=-1"] {
        // A subscriber to the newest receives each event as well: the log waits for it.
        let domain = log.open(speed);
        let mut newest = domain.subscriber("IMU").unwrap();
        let mut slow = all(&domain, 1);
        thread::scope(|s| {
            let newest = s.spawn(move || rest(&mut newest));
            let mut got = Vec::new();
            while got.len() < 5000 {
                if got.len() % 1000 == 0 {
                    thread::sleep(Duration::from_millis(5));
                }
                got.push(slow.receive(LONG).unwrap().unwrap().sequence.unwrap());
            }
            assert!(got.iter().copied().eq(0..5000));
            assert!(matches!(slow.receive(LONG), Err(Error::Ended)));
            assert!(newest.join().unwrap().iter().map(|e| e.0).eq((2..5000).step_by(3)));
        });
    }
}

#[test]
fn all_subscribers_together_get_the_order_of_the_log() {
    let log = Log::of((0..300_u32).map(|n| (0, ["A", "B", "C"][(n * n / 7) as usize % 3], vec![n as u8])));
    let domain = log.open("?speed=0");
    let got = Mutex::new(Vec::new());
    let mut dispatcher = Dispatcher::new().unwrap();
    for channel in ["A", "B", "C", "NEVER"] {
        let subscriber = domain.subscriber(channel).unwrap();
        dispatcher.on(subscriber, |m, _| got.lock().unwrap().push(m.sequence.unwrap())).unwrap();
    }
    dispatcher.run().unwrap();
    assert!(dispatcher.is_empty(), "it ends with the log");
    assert!(got.lock().unwrap().iter().copied().eq(0..300));
    let names: Vec<String> = domain.channels().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["A", "B", "C"]);
}

#[test]
fn events_become_due_only_when_polled() {
    let log = Log::of(numbered(5, 100_000));
    let domain = log.open("?speed=2");
    thread::sleep(Duration::from_millis(300));
    let (mut subscriber, mut other) = (all(&domain, 10), domain.subscriber("POSE").unwrap());
    other.fd().unwrap();
    thread::sleep(Duration::from_millis(300));
    let start = Instant::now();
    let mut arrived = Vec::new();
    for n in 0..5_u32 {
        let message = subscriber.receive(LONG).unwrap().unwrap();
        assert_eq!((message.data, message.missed), (&n.to_le_bytes()[..], Missed::Exact(0)));
        assert_eq!((message.published, message.sender), (None, None));
        assert!(start.elapsed() >= Duration::from_millis(50) * n, "event {n} came early");
        arrived.push(message.arrived);
    }
    assert!(matches!(subscriber.receive(Until::Poll), Err(Error::Ended)));
    assert!(matches!(subscriber.receive(Until::Forever), Err(Error::Ended)), "and it stays so");
    // Timestamps are of when an event was due, not of when a subscriber checked.
    let took = (arrived[4] - arrived[0]) as f64 / 1e6;
    assert!((150.0..250.0).contains(&took), "{took} ms");
    assert_eq!(other.receive(Until::Poll).unwrap().unwrap().dropped, 1);
}

#[test]
fn a_slow_subscriber_of_a_paced_log_gets_the_newest() {
    let log = Log::of(numbered(30, 10_000).chain([(3_600_000_000, "END", vec![])]));
    let domain = log.open("");
    let mut newest = domain.subscriber_with(Pattern::regex("POSE|IMU").unwrap(), Options::newest()).unwrap();
    let mut deep = all(&domain, 4);
    assert_eq!(newest.receive(Until::Poll).unwrap().unwrap().sequence, Some(0), "the clock starts");
    thread::sleep(Duration::from_millis(500));
    let message = newest.receive(LONG).unwrap().unwrap();
    assert_eq!((message.data, message.dropped), (&29_u32.to_le_bytes()[..], 17));
    let mut got = Vec::new();
    let mut dropped = 0;
    while let Some(message) = deep.receive(Until::Poll).unwrap() {
        got.push(message.sequence.unwrap());
        dropped += message.dropped;
    }
    assert_eq!((got, dropped), ((18..30).collect(), 18), "four of each channel");
    // A subscriber that joins now has missed events due before.
    assert!(all(&domain, 100).receive(Duration::from_millis(20)).unwrap().is_none());
    assert_eq!(
        newest.current(Until::Poll).unwrap().unwrap().sequence,
        Some(27),
        "the newest that was unseen"
    );
    assert_eq!(newest.current(Until::Poll).unwrap().unwrap().sequence, Some(27));
}

#[test]
fn it_starts_at_the_first_event_that_is_not_before_the_time_given() {
    let log = Log::of(numbered(10, 1_000_000));
    for (start, first) in [("0", 0), ("2999999", 3), ("3000000", 3), ("3000001", 4), ("-5", 0)] {
        let mut subscriber = all(&log.open(&format!("?start_timestamp={start}&speed=0")), 1);
        assert!(rest(&mut subscriber).iter().map(|e| e.0).eq(first..10), "from {start}");
    }
    // At any speed, it arrives immediately.
    let mut subscriber = all(&log.open("?start_timestamp=5000000"), 1);
    assert_eq!(subscriber.receive(Duration::from_millis(900)).unwrap().unwrap().logged, Some(5_000_000));
    assert!(rest(&mut all(&log.open("?start_timestamp=99000000"), 1)).is_empty());
}

#[test]
fn impossible_options_are_reported_in_words() {
    let log = Log::of(numbered(1, 1));
    let loss_counts = log.open("").publisher("A").unwrap().publish(b"x").unwrap_err().to_string();
    assert!(loss_counts.contains("played") && loss_counts.contains("mode=a"), "{loss_counts}");
    let loss_counts = log.open("?mode=a").subscriber("A").unwrap_err().to_string();
    assert!(loss_counts.contains("written") && loss_counts.contains("mode=r"), "{loss_counts}");
    for (options, part) in [
        ("?mode=x", "mode"),
        ("?mode=w&speed=1", "speed"),
        ("?speed=fast", "speed=fast"),
        ("?start_timestamp=noon", "start_timestamp=noon"),
        ("?color=red", "color"),
    ] {
        assert!(log.why_not(options).contains(part), "{options}: {}", log.why_not(options));
    }
    assert!(Domain::open("file://").unwrap_err().to_string().contains("does not name a file"));
    assert!(Log::new().why_not("").contains("cannot open the log"));
}

#[test]
fn a_file_that_is_not_a_log_has_the_same_code_as_log_open() {
    let refused = |log: &Log, words: &str| {
        let error = Domain::open(&log.url("")).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!((error.code(), saltus_log::Log::open(&log.0).unwrap_err().code()), (109, 109), "{error}");
    };
    let log = Log::of([]);
    refused(&log, "is empty");
    std::fs::write(&log.0, "a letter, not a log").unwrap();
    refused(&log, "not an LCM log: no event found in its 19 bytes");
    std::fs::remove_file(&log.0).unwrap();
    std::fs::create_dir(&log.0).unwrap();
    refused(&log, "it is a directory");
    std::fs::remove_dir(&log.0).unwrap();
    // A kind of log that can be read, but not played.
    let file = std::fs::File::create(&log.0).unwrap();
    let options = saltus_log::WriterOptions::new();
    let mut writer = saltus_log::Writer::new(file, saltus_log::Format::Mcap, options).unwrap();
    writer.write(&saltus_log::Event { channel: b"A", ..Default::default() }).unwrap();
    writer.finish().unwrap();
    let error = Domain::open(&log.url("")).unwrap_err();
    assert!(error.code() == 109 && error.to_string().contains("saltus play"), "{error}");
}

#[test]
fn a_published_message_is_in_the_log_immediately_with_its_time() {
    let log = Log::new();
    let domain = log.open("?mode=w");
    let mut publisher = domain.publisher("A").unwrap();
    let before =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_micros() as i64;
    for n in 0..3_u8 {
        publisher.publish(&vec![n; usize::from(n) * 100_000]).unwrap();
        // Nothing was closed or dropped.
        let got = rest(&mut all(&log.open("?speed=0"), 1));
        assert_eq!(got.len(), usize::from(n) + 1);
        let (number, time, data) = got.last().unwrap();
        assert_eq!((*number, data.len()), (u64::from(n), usize::from(n) * 100_000));
        assert!(*time >= before && *time < before + 60_000_000);
    }
    log.open("?mode=a").publisher("B").unwrap().publish(b"more").unwrap();
    assert_eq!(rest(&mut all(&log.open("?speed=0"), 1)).len(), 4);
    drop(log.open("?mode=w"));
    assert!(log.why_not("").contains("is empty"), "mode=w replaces it");
}

#[test]
fn threads_may_write_at_the_same_time() {
    let log = Log::new();
    let domain = log.open("?mode=w");
    thread::scope(|s| {
        for n in 0..4_u8 {
            let mut publisher = domain.publisher([b'A' + n]).unwrap();
            s.spawn(move || (0..200).for_each(|i| publisher.publish(&vec![n; i * 10]).unwrap()));
        }
    });
    assert!(rest(&mut all(&log.open("?speed=0"), 1)).iter().map(|e| e.0).eq(0..800));
}

#[test]
fn a_killed_writers_log_can_be_played_and_appended_to() {
    let whole = std::fs::read(&Log::of(numbered(3, 1)).0).unwrap();
    let log = Log::new();
    for cut in [1, 4, 20, 33] {
        std::fs::write(&log.0, &whole[..whole.len() - cut]).unwrap();
        assert_eq!(rest(&mut all(&log.open("?speed=0"), 1)).len(), 2, "{cut} bytes less");
        log.open("?mode=a").publisher("A").unwrap().publish(b"after").unwrap();
        let got = rest(&mut all(&log.open("?speed=0"), 1));
        assert_eq!((got.len(), &got[2].2[..]), (3, &b"after"[..]), "{cut} bytes less");
    }
}

#[test]
fn where_a_log_is_damaged_nobody_knows_what_was_missed() {
    let log = Log::of(numbered(9, 1));
    let mut bytes = std::fs::read(&log.0).unwrap();
    let event = bytes.len() / 9;
    bytes[4 * event] ^= 0xff; // a sync word in the middle
    std::fs::write(&log.0, &bytes).unwrap();
    let mut subscriber = all(&log.open("?speed=0"), 1);
    let mut missed = Vec::new();
    while let Ok(Some(message)) = subscriber.receive(LONG) {
        missed.push(message.missed == Missed::Unknown);
    }
    assert_eq!(missed.len(), 8);
    assert!(missed[4] && missed.iter().filter(|m| **m).count() == 1, "{missed:?}");
}

/// Runs a few lines of Python with LCM and returns their output.
fn lcm(lines: &str, log: &Path) -> String {
    let mut python = support::program("python");
    let output = python.args(["-c", lines]).arg(log).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn lcm_reads_what_we_write() {
    let log = Log::new();
    let domain = log.open("?mode=w");
    for n in 0..50_u8 {
        let channel = if n % 2 == 0 { "EVEN" } else { "ODD" };
        domain.publisher(channel).unwrap().publish(&vec![n; usize::from(n) * 1000]).unwrap();
    }
    let read = "import lcm, sys\nfor e in lcm.EventLog(sys.argv[1], 'r'):\n print(e.eventnum, e.channel, len(e.data), e.data[:1].hex())";
    let expected: Vec<String> = (0..50_u32)
        .map(|n| {
            let first = if n == 0 { String::new() } else { format!("{n:02x}") };
            format!("{n} {} {} {first}", if n % 2 == 0 { "EVEN" } else { "ODD" }, n * 1000).trim().to_string()
        })
        .collect();
    assert_eq!(lcm(read, &log.0).lines().map(str::trim).collect::<Vec<_>>(), expected);
    // It also plays the log as a network.
    let play = "import lcm, sys\nl = lcm.LCM('file://' + sys.argv[1] + '?speed=0')\nl.subscribe('ODD', lambda c, d: print(len(d)))\ntry:\n while True: l.handle()\nexcept OSError: pass";
    assert_eq!(lcm(play, &log.0).lines().count(), 25);
}

#[test]
fn we_read_what_lcm_writes() {
    let log = Log::new();
    let write = "import lcm, sys\nlog = lcm.EventLog(sys.argv[1], 'w')\nfor n in range(50): log.write_event(1000 * n, 'CH_%d' % (n % 3), bytes([n]) * n)\nlog.close()";
    lcm(write, &log.0);
    let got = rest(&mut all(&log.open("?speed=0"), 1));
    let expected: Vec<_> = (0..50_u64).map(|n| (n, 1000 * n as i64, vec![n as u8; n as usize])).collect();
    assert_eq!(got, expected);
    // A log that LCM writes as a network and is killed, without a close: its buffer is lost, but the file is a log.
    let publish =
        "import lcm, sys\nl = lcm.LCM('file://' + sys.argv[1] + '?mode=a')\nl.publish('CH_9', b'last')";
    lcm(publish, &log.0);
    let bytes = std::fs::read(&log.0).unwrap();
    let (mut reader, mut last) = (Reader::new(), Vec::new());
    reader.feed(&bytes);
    while let Some(event) = reader.event() {
        last = event.data.to_vec();
    }
    assert_eq!((&last[..], reader.events()), (&b"last"[..], 51));
}

#[test]
fn a_descriptor_is_readable_on_events_and_at_the_end() {
    let log = Log::of(numbered(10, 20_000));
    let mut subscriber = all(&log.open(""), 10);
    let mut got = 0;
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < LONG);
        assert!(support::readable(&subscriber.fd().unwrap(), LONG), "after {got} events");
        match subscriber.receive(Until::Poll) {
            Ok(message) => got += usize::from(message.is_some()),
            Err(Error::Ended) => break,
            Err(e) => panic!("{e}"),
        }
    }
    assert_eq!(got, 10);
}
