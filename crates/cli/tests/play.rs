//! `saltus play`: plays recorded messages unchanged, controlled by keys.

mod support;

use std::io::Write;
use std::process::{Command, Stdio};

use saltus_channel::Start;
use saltus_log::{Event, Format, Log, Writer, WriterOptions};
use support::files::Files;
use support::{Place, Running, until};

/// Writes a log: time in ms, channel, message.
fn log(files: &Files, name: &str, events: &[(i64, &str, &str)]) -> String {
    log_as(Format::Lcm, files, name, events)
}
fn log_as(format: Format, files: &Files, name: &str, events: &[(i64, &str, &str)]) -> String {
    let mut writer = Writer::new(Vec::new(), format, WriterOptions::new()).expect("a log");
    for (ms, channel, data) in events {
        let (channel, data) = (channel.as_bytes(), data.as_bytes());
        let log_time = 1_700_000_000_000_000_000 + ms * 1_000_000;
        writer.write(&Event { channel, data, log_time, ..Event::default() }).expect("an event");
    }
    files.write(name, writer.finish().expect("a log"))
}

/// The channel and message of each event of a log, in the order of time.
fn events(path: &str) -> Vec<(String, String)> {
    let (mut log, mut all) = (Log::open(path.as_ref()).expect("a log"), Vec::new());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    while let Some(event) = log.next().expect("an event") {
        all.push((text(event.channel), text(event.data)));
    }
    all
}

#[test]
fn a_recording_of_a_playback_equals_the_log() {
    let (place, files) = (Place::new(), Files::new());
    let text: Vec<String> = (0..300).map(|n| format!("message {n:03}")).collect();
    let all: Vec<(i64, &str, &str)> =
        (0..300).map(|n| (n as i64 * 2, ["POSE", "SCAN", "IMU"][n % 3], &text[n][..])).collect();
    let path = log(&files, "first.lcmlog", &all);
    for (ending, speed) in [("lcmlog", "1"), ("mcap", "3")] {
        let again = files.at(&format!("again-{speed}.{ending}"));
        // Deep enough for a recorder that starts late.
        let directory = place.url() + speed;
        let url = format!("{directory}?depth=512");
        let on = ["--domain", &url];
        let recorder = place.start(["record", "-q", "-n", "300", "-o", &again].iter().chain(&on));
        until("the file", || std::fs::exists(&again).expect("a path"));
        let ended = place.run(["play", &path, "--speed", speed].iter().chain(&on)).with(0);
        assert!(ended.err.contains("played 300, late by p50 "), "{ended:?}");
        recorder.ended().with(0);
        let mut found = events(&again);
        if ending == "lcmlog" {
            assert_eq!(found.pop().expect("an account").0, "SALTUS_ACCOUNT");
        }
        assert_eq!(found, events(&path));
        let _ = std::fs::remove_dir_all(directory.trim_start_matches("shm://"));
    }
}

#[test]
fn as_fast_as_readers_keep_up_and_no_longer_than_they_read() {
    let (place, files) = (Place::new(), Files::new());
    let text: Vec<String> = (0..3000).map(|n| format!("message {n:04}")).collect();
    let all: Vec<(i64, &str, &str)> =
        (0..3000).map(|n| (n as i64 * 100, ["A", "B"][n % 2], &text[n][..])).collect();
    let (path, again) = (log(&files, "run", &all), files.at("again.mcap"));
    let recorder = place.start(["record", "--json", "-o", &again]);
    until("the file", || std::fs::exists(&again).expect("a path"));
    for name in ["A", "B"] {
        place.run(["pub", name, "before"]).with(0);
        place.until_subscribed(name, 1);
    }
    // Channels of depth 16: five minutes of messages at once, without losses.
    place.run(["play", &path, "--speed", "0"]).saying(0, "played 3000");
    recorder.signal(libc::SIGINT);
    let report = &recorder.ended().with(0).json()[0];
    assert_eq!(
        (&report["total"]["received"], &report["total"]["missed"]),
        (&3002.into(), &0.into()),
        "{report}"
    );
    assert_eq!(events(&again)[2..], events(&path));

    let stopped = place.start(["echo", "A"]);
    place.until_subscribed("A", 1);
    // It has not read anything yet.
    stopped.signal(libc::SIGSTOP);
    place.run(["play", &path, "--speed", "0"]).saying(0, "does not read `A`: continuing without it");
}

/// The times of a log, relative to its first event.
fn times(path: &str) -> Vec<i64> {
    let (mut log, mut all) = (Log::open(path.as_ref()).expect("a log"), Vec::new());
    while let Some(event) = log.next().expect("an event") {
        all.push(event.log_time);
    }
    all.iter().map(|time| time - all[0]).collect()
}

#[test]
fn with_original_stamps_a_record_of_what_is_played_has_the_times_of_the_log() {
    let (place, files) = (Place::new(), Files::new());
    let text: Vec<String> = (0..300).map(|n| format!("message {n:03}")).collect();
    let all: Vec<(i64, &str, &str)> =
        (0..300).map(|n| (n as i64 * 200 + (n % 2) as i64, ["A", "B"][n % 2], &text[n][..])).collect();
    let path = log(&files, "first", &all);
    // At any speed.
    let original = ["play", &path, "--speed", "0", "--timestamps", "original", "--json", "--domain"];
    let (again, deep) = (files.at("again.mcap"), place.url() + "?depth=512");
    let recorder = place.start(["record", "-q", "-n", "300", "-o", &again, "--domain", &deep]);
    until("the file", || std::fs::exists(&again).expect("a path"));
    let report = &place.run(original.iter().chain(&[&deep[..]])).with(0).json()[0];
    assert_eq!((&report["played"], &report["later_timestamps"]), (&300.into(), &0.into()));
    recorder.ended().with(0);
    assert_eq!((events(&again), times(&again)), (events(&path), times(&path)));
    // No timestamp is earlier than those already in a channel.
    let report = &place.run(original.iter().chain(&[&deep[..]])).with(0).json()[0];
    assert!(report["later_timestamps"].as_u64() > Some(0), "{report}");

    // A written log has the original times: it is identical, byte for byte.
    let copy = files.at("copy");
    place.run(original.iter().chain(&[&format!("file://{copy}?mode=w")[..]])).with(0);
    assert_eq!(files.read("copy"), files.read("first"));
    // Then only the log's time exists.
    let runs = ["one", "two"].map(|name| {
        let url = format!("file://{}?mode=w", files.at(name));
        place.run(original.iter().chain(&[&url[..], "--clock-channel", "CLOCK"])).with(0);
        files.read(name)
    });
    assert!(runs[0] == runs[1], "a virtual clock ticks the same each time");
    let ticked = events(&files.at("one"));
    assert_eq!(ticked.len(), 600);
    assert!(ticked.chunks(2).all(|two| two[0].0 == "CLOCK" && two[1].0 != "CLOCK"));
}

#[test]
fn channels_are_chosen_and_renamed_and_a_part_is_played() {
    let (place, files) = (Place::new(), Files::new());
    let one = log(&files, "one", &[(0, "A", "a0"), (10, "B", "b1"), (20, "A", "a2"), (30, "A", "a3")]);
    let two = log(&files, "two", &[(15, "A", "other"), (25, "C", "c")]);
    let out = files.at("out");
    for (arguments, expected) in [
        (&["--speed", "0"][..], &["A a0", "B b1", "A other", "A a2", "C c", "A a3"][..]),
        (
            &["-e", "A|C", "--rename", "s/A/x/", "--prefix", "p/"],
            &["p/x a0", "p/x other", "p/x a2", "p/C c", "p/x a3"],
        ),
        (&["-e", "A", "--invert"], &["B b1", "C c"]),
        (&["--from", "10ms", "--to", "25ms"], &["B b1", "A other", "A a2"]),
        (&["--from", "25ms", "--loop", "-n", "5"], &["C c", "A a3", "C c", "A a3", "C c"]),
    ] {
        let url = place.url() + "-part";
        let count = expected.len().to_string();
        let recorder = place.start(["record", "-q", "-f", "-n", &count, "-o", &out, "--domain", &url]);
        until("the file", || std::fs::metadata(&out).is_ok_and(|m| m.len() == 0));
        place.run(["play", &one, &two, "--domain", &url].iter().chain(arguments)).with(0);
        recorder.ended().with(0);
        let mut found = events(&out);
        found.pop();
        let found: Vec<String> =
            found.into_iter().map(|(channel, data)| format!("{channel} {data}")).collect();
        assert_eq!(found, expected, "{arguments:?}");
        let _ = std::fs::remove_dir_all(url.trim_start_matches("shm://"));
        std::fs::remove_file(&out).expect("the file");
    }
}

/// Plays on its own terminal, and presses keys there.
struct Steered(Running, std::process::ChildStdin);
impl Steered {
    fn start(place: &Place, arguments: &str) -> Steered {
        let mut command = Command::new("script");
        let line = format!("{} play {arguments}", env!("CARGO_BIN_EXE_saltus"));
        command.args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"]);
        command.env("SALTUS_DOMAIN", place.url()).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = Running::start(&mut command);
        let input = running.input();
        Steered(running, input)
    }
    fn press(&mut self, keys: &str) {
        self.1.write_all(keys.as_bytes()).expect("it reads");
        self.1.flush().expect("it reads");
    }
}

/// All kept messages of a channel.
fn published(place: &Place, name: &str) -> Vec<String> {
    let channel = place.domain().open_channel(name).expect("the channel");
    let options = saltus_channel::SubscriberOptions::new().start(Start::Oldest);
    let (mut subscriber, mut found) = (channel.subscriber_with(options).expect("a subscriber"), Vec::new());
    let mut buffer = Vec::new();
    while subscriber
        .receive_vec(saltus_channel::Which::Next, saltus_channel::Until::Poll, &mut buffer)
        .expect("a message")
        .is_some()
    {
        found.push(String::from_utf8(buffer.clone()).expect("text"));
    }
    found
}

#[test]
fn keys_step_along_a_channel_and_bookmarks_go_into_an_mcap_file() {
    let (place, files) = (Place::new(), Files::new());
    let events =
        [(0, "A", "a0"), (10, "B", "b1"), (20, "B", "b2"), (30, "A", "a3"), (40, "B", "b4"), (50, "A", "a5")];
    let path = log_as(Format::Mcap, &files, "run.mcap", &events);
    let mut steered = Steered::start(&place, &format!("{path} --paused"));
    for (key, channel, count) in [
        (".", "A", 1),
        (">", "A", 2),
        (">", "A", 3),
        ("<", "A", 4),
        ("<", "A", 5),
        ("c", "A", 5),
        (">", "B", 1),
        (">", "B", 2),
        (">", "B", 3),
        ("<", "B", 4),
    ] {
        steered.press(key);
        place.until_published(channel, count);
    }
    steered.press("b");
    until("the bookmark", || std::fs::exists(format!("{path}.saltus-bookmarks")).expect("a path"));
    steered.press("q");
    steered.0.ended().with(0);
    assert_eq!(published(&place, "A"), ["a0", "a3", "a5", "a3", "a0"]);
    assert_eq!(published(&place, "B"), ["b1", "b2", "b4", "b2"]);
    assert!(!std::fs::exists(format!("{path}.saltus-bookmarks")).expect("a path"), "they are in the log");
    let log = Log::open(path.as_ref()).expect("a log");
    let (name, values) = log.summary().metadata.last().expect("metadata");
    assert_eq!((name.as_str(), log.len()), ("saltus.bookmarks", 6));
    assert!(values["bookmarks"].starts_with("1700000000020000000\t"), "{values:?}");
}

#[test]
fn keys_step_both_ways_resume_and_set_bookmarks() {
    let (place, files) = (Place::new(), Files::new());
    let path = log(&files, "run", &[(0, "A", "a0"), (10, "A", "a1"), (20, "A", "a2"), (30, "A", "a3")]);
    let mut steered = Steered::start(&place, &format!("{path} --paused"));
    let expect = |steered: &mut Steered, keys: &str, count: u64| {
        steered.press(keys);
        place.until_published("A", count);
    };
    expect(&mut steered, ".", 1);
    expect(&mut steered, "\x1b[C", 2);
    expect(&mut steered, ",", 3);
    steered.press("b");
    until("the bookmark", || std::fs::exists(format!("{path}.saltus-bookmarks")).expect("a path"));
    expect(&mut steered, " ", 6);
    let ended = steered.0.ended().with(0);
    assert!(ended.text().contains("played 6"), "{ended:?}");
    let found = published(&place, "A");
    assert_eq!(found, ["a0", "a1", "a0", "a1", "a2", "a3"]);
    let bookmarks = files.read("run.saltus-bookmarks");
    assert!(bookmarks.starts_with(b"1700000000000000000\t"), "at the message that was stepped to");
}

#[test]
fn keys_turn_a_channel_off_and_on_rename_it_and_go_to_a_time() {
    let (place, files) = (Place::new(), Files::new());
    let events =
        [(0, "A", "a0"), (10, "B", "b1"), (20, "A", "a2"), (30, "B", "b3"), (40, "A", "a4"), (50, "B", "b5")];
    let path = log(&files, "run", &events);
    let mut steered = Steered::start(&place, &format!("{path} --paused --prefix p_"));
    let mut expect = |keys: &str, channel: &str, count: u64| {
        steered.press(keys);
        place.until_published(channel, count);
    };
    expect("ccx..", "p_A", 2); // B is off
    expect("x.", "p_B", 1); // and on again
    expect("r\x15C\r.", "p_A", 3);
    expect(".", "C", 1);
    expect("r\x15D\x1b,", "p_A", 4); // as it was
    expect("g0.03s\r.", "C", 2);
    expect("r\x15\r,", "p_A", 5); // no name: that of before
    expect(".", "p_B", 2);
    steered.press("g soon\rr\x15\t \x1bq");
    let ended = steered.0.ended().with(0);
    assert!(ended.text().contains("played 9"), "{ended:?}");
    assert_eq!(published(&place, "p_A"), ["a0", "a2", "a4", "a4", "a2"]);
    assert_eq!(
        (published(&place, "p_B"), published(&place, "C")),
        (texts(&["b3", "b3"]), texts(&["b5", "b3"]))
    );
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| text.to_string()).collect()
}

#[test]
fn types_go_along_and_the_time_of_the_log_is_a_channel() {
    let (place, files) = (Place::new(), Files::new());
    files.write("pose.lcm", "package robot; struct pose_t { int64_t utime; double x; }");
    let (path, types) = (files.at("run.mcap"), files.at(""));
    let recorder = place.start(["record", "-q", "-n", "1", "-o", &path]);
    until("the file", || std::fs::exists(&path).expect("a path"));
    let json = r#"{"utime": 7, "x": 0.5}"#;
    place.run(["pub", "POSE", json, "--type", "robot.pose_t", "-I", &types]).with(0);
    recorder.ended().with(0);
    let url = place.url() + "-again";
    let on = |arguments: &[&str]| place.run(arguments.iter().chain(&["--domain", &url])).with(0);
    on(&["play", &path, "--clock-channel", "CLOCK"]);
    let rows = on(&["echo", "POSE", "-n1", "--start", "oldest", "--json"]).json();
    assert_eq!((&rows[0]["type"], &rows[0]["value"]["x"]), (&"robot.pose_t".into(), &0.5.into()), "{rows:?}");
    let clock = on(&["ls", "--json"]).json();
    assert!(clock.iter().any(|row| row["channel"] == "CLOCK" || row["name"] == "CLOCK"), "{clock:?}");
    let _ = std::fs::remove_dir_all(url.trim_start_matches("shm://"));
}

#[test]
fn invalid_options_are_refused_in_words() {
    let (place, files) = (Place::new(), Files::new());
    let good = log(&files, "good", &[(0, "A", "a")]);
    let bad = files.write("bad", "no log at all");
    for (arguments, code, words) in [
        (&["/nowhere/log"][..], 1, "/nowhere/log"),
        (&[&bad], 1, "is not a log: expected one of LCM or MCAP"),
        (&[&good, "--speed", "200"], 2, "from 0.01 to 100"),
        (&[&good, "--paused"], 2, "--paused needs a terminal"),
        (&[&good, "--from", "2s"], 2, "--from must be before --to"),
        (&[&good, "--rename", "x"], 2, "is not a renaming"),
        (&[&good, "-e", "("], 2, "not a regular expression"),
        (
            &[&good, "--timestamps", "original", "--domain", "udpm://239.255.76.67:7667?ttl=0"],
            2,
            "has no timestamps",
        ),
        (&[&good, "--domain", "mem://"], 2, "the memory of a single process"),
    ] {
        let ended = place.run(["play"].iter().chain(arguments)).with(code);
        assert!(ended.err.contains(words), "{arguments:?}: {}", ended.err);
    }
}
