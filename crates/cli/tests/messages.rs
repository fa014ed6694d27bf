//! pub and echo: messages in, messages out.

mod support;

use std::io::Write;
use std::process::Stdio;

use support::{Place, Running};

/// Bytes that are not text, including line ends and zeros.
fn binary() -> Vec<u8> {
    (0..1000_u32).flat_map(|n| (n.wrapping_mul(2_654_435_761)).to_le_bytes()).chain(*b"\n\0\xff").collect()
}

#[test]
fn published_bytes_arrive_unchanged() {
    let place = Place::new();
    place.run(["pub", "imu", "hello, world"]).saying(0, "made channel `imu`");
    assert_eq!(place.run(["echo", "imu", "--newest", "-n1", "--raw"]).with(0).out, b"hello, world");
    assert_eq!(place.run(["echo", "imu", "--newest", "-n1", "--lines"]).with(0).out, b"hello, world\n");
    assert_eq!(
        place.run(["echo", "imu", "--newest", "-n1", "--hex"]).with(0).text(),
        "68656c6c6f2c20776f726c64\n"
    );
}

#[test]
fn binary_messages_pass_byte_for_byte() {
    let place = Place::new();
    let bytes = binary();
    place.feed(["pub", "camera", "--file", "-"], &bytes).with(0);
    assert_eq!(place.run(["echo", "camera", "--newest", "-n1", "--raw"]).with(0).out, bytes);
    let hex = place.run(["echo", "camera", "--newest", "-n1", "--hex"]).with(0);
    place.run(["pub", "copy", "--bytes", hex.text().trim()]).with(0);
    assert_eq!(place.run(["echo", "copy", "--newest", "-n1", "--raw"]).with(0).out, bytes);
    let dump = place.run(["echo", "camera", "--newest", "-n1"]).with(0);
    assert!(dump.text().contains(&format!("{} bytes\n  00000000  ", bytes.len())), "{dump:?}");
    let file = place.path().join("frame.bin");
    std::fs::write(&file, &bytes).unwrap();
    place.run(["pub", "from-file", "--file", file.to_str().unwrap(), "-n2"]).with(0);
    std::fs::remove_file(&file).unwrap();
    let all = place.run(["echo", "from-file", "--start", "oldest", "-n2", "--raw"]).with(0);
    assert_eq!(all.out, [&bytes[..], &bytes[..]].concat());
}

#[test]
fn the_empty_message_is_a_message() {
    let place = Place::new();
    place.run(["pub", "imu", ""]).with(0);
    place.run(["pub", "imu", "--bytes", ""]).with(0);
    assert_eq!(place.run(["echo", "imu", "--start", "oldest", "-n2", "--lines"]).with(0).out, b"\n\n");
}

#[test]
fn nothing_a_stranger_published_reaches_the_terminal_as_a_control_sequence() {
    let place = Place::new();
    place.run(["pub", "imu", "\x1b[2J\x07"]).with(0);
    place.run(["pub", "imu", "two\nlines\t\u{202e}"]).with(0);
    let shown = place.run(["echo", "imu", "--start", "oldest", "-n2"]).with(0);
    assert!(!shown.text().chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{shown:?}");
}

#[test]
fn a_message_is_shown_with_all_that_is_known() {
    let place = Place::new();
    place.run(["pub", "imu", "one", "-n2"]).with(0);
    let shown = place.run(["echo", "imu", "--newest", "-n1"]).with(0);
    let line = shown.text();
    assert!(line.starts_with('[') && line.ends_with(" seq 2 missed 0: one\n"), "{line}");
    assert!(shown.err.contains("received 1, missed 0"), "{shown:?}");
}

#[test]
fn json_has_the_same_content() {
    let place = Place::new();
    place.run(["pub", "/scan", "größe\n", "-n2"]).with(0);
    place.run(["pub", "/scan", "--bytes", "00ff"]).with(0);
    let lines = place.run(["echo", "/scan", "--start", "oldest", "-n3", "--json"]).with(0).json();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0]["channel"], "/scan");
    assert_eq!(lines[0]["text"], "größe\n");
    assert_eq!(lines[0]["size"], 8);
    assert_eq!([&lines[0]["seq"], &lines[1]["seq"]], [1, 2]);
    assert_eq!(lines[0]["missed"], 0);
    let timestamp = |line: &serde_json::Value| line["timestamp"].as_str().unwrap().parse::<f64>().unwrap();
    assert!(timestamp(&lines[0]) <= timestamp(&lines[1]));
    assert!(lines[0]["lane"].is_u64() && lines[0]["lease"].is_u64());
    assert_eq!(lines[2]["hex"], "00ff");
    assert!(lines[2].get("text").is_none());
    let hex = place.run(["echo", "/scan", "--start", "oldest", "-n1", "--json", "--hex"]).with(0).json();
    assert_eq!(hex[0]["hex"], "6772c3b6c39f650a");
}

#[test]
fn a_channel_without_timestamps_shows_none() {
    let place = Place::new();
    place.run(["mk", "imu", "--no-timestamps"]).with(0);
    place.run(["pub", "imu", "x"]).with(0);
    assert!(place.run(["echo", "imu", "--newest", "-n1"]).with(0).text().starts_with("[-] publisher 0."));
    assert!(place.run(["echo", "imu", "--newest", "-n1", "--json"]).with(0).json()[0]["timestamp"].is_null());
    assert!(place.run(["stat", "imu", "-n1", "-i50ms", "--json"]).with(0).json()[0]["age"].is_null());
}

#[test]
fn each_line_of_the_input_is_a_message() {
    let place = Place::new();
    place.feed(["pub", "log", "--lines"], b"one\n\ntwo\xff\nlast").saying(0, "published 4 messages");
    let all = place.run(["echo", "log", "--start", "oldest", "-n4", "--lines"]).with(0);
    assert_eq!(all.out, b"one\n\ntwo\xff\nlast\n");
    place.feed(["pub", "log", "--lines", "-n1"], b"only this\nnot this\n").with(0);
    assert_eq!(place.run(["echo", "log", "--newest", "-n1", "--lines"]).with(0).out, b"only this\n");
}

#[test]
fn lines_are_published_as_they_come() {
    let place = Place::new();
    place.run(["mk", "log"]).with(0);
    let mut publisher = Running::start(place.command(["pub", "log", "--lines"]).stdin(Stdio::piped()));
    let mut input = publisher.input();
    for n in 1..=3 {
        writeln!(input, "line {n}").unwrap();
        place.until_published("log", n);
    }
    drop(input);
    publisher.ended().with(0);
}

#[test]
fn a_message_that_does_not_fit_gets_an_error_with_a_remedy() {
    let place = Place::new();
    place.run(["mk", "imu", "--max-size", "64"]).with(0);
    place.run(["pub", "imu", &"x".repeat(65), "--max-size", "64"]).saying(1, "65");
    place.feed(["pub", "imu", "--lines", "--max-size", "64"], &[b'y'; 5_000_000]).with(1);
    assert_eq!(place.published("imu"), 0);
}

#[test]
fn pub_creates_a_fitting_channel_unless_told_not_to() {
    let place = Place::new();
    place.run(["pub", "big", &"x".repeat(10_000)]).saying(0, "made channel `big`");
    place.run(["pub", "big", &"y".repeat(10_000)]).with(0);
    place.run(["pub", "none", "x", "--no-create"]).saying(3, "none");
    let quiet = place.run(["pub", "other", "x", "-q"]).with(0);
    assert_eq!(quiet.err, "");
}

#[test]
fn a_paced_publisher_keeps_its_count_and_its_pace() {
    let place = Place::new();
    let start = std::time::Instant::now();
    place.run(["pub", "tick", "x", "-r", "100", "-n", "31"]).saying(0, "published 31 messages");
    // The 31st is due 300 ms after the first, and never sooner on any machine.
    assert!(start.elapsed() >= std::time::Duration::from_millis(300));
    assert_eq!(place.published("tick"), 31);
}

#[test]
fn rate_0_goes_as_fast_as_it_goes() {
    let place = Place::new();
    place.run(["pub", "load", "x", "-r", "0", "-n", "200000"]).saying(0, "published 200000 messages");
    assert_eq!(place.published("load"), 200_000);
}

#[test]
fn next_is_the_default_and_starts_now() {
    let place = Place::new();
    place.run(["pub", "imu", "old"]).with(0);
    let echo = place.start(["echo", "imu", "-n2", "--lines"]);
    place.until_subscribed("imu", 1);
    place.run(["pub", "imu", "new"]).with(0);
    place.run(["pub", "imu", "newer"]).with(0);
    let ended = echo.ended().with(0);
    assert_eq!(ended.out, b"new\nnewer\n");
    assert!(ended.err.contains("received 2, missed 0"), "{ended:?}");
}

#[test]
fn newest_gives_the_present_newest_at_once() {
    let place = Place::new();
    place.feed(["pub", "imu", "--lines"], b"old\nnew\n").with(0);
    let ended = place.run(["echo", "imu", "--newest", "-n1", "--lines", "--timeout", "60s"]).with(0);
    assert_eq!(ended.out, b"new\n");
}

#[test]
fn received_and_missed_add_up() {
    let place = Place::new();
    place.run(["mk", "imu", "--depth", "4"]).with(0);
    let echo = place.start(["echo", "imu"]);
    place.until_subscribed("imu", 1);
    // Frozen, it misses most messages.
    echo.signal(libc::SIGSTOP);
    place.run(["pub", "imu", "x", "-n", "100"]).with(0);
    echo.signal(libc::SIGCONT);
    support::until("everything is accounted for", || {
        let info = &place.run(["info", "imu", "--json"]).json()[0];
        let subscriber = &info["subscribers"][0];
        subscriber["received"].as_u64().unwrap() + subscriber["missed"].as_u64().unwrap() == 100
    });
    echo.signal(libc::SIGINT);
    let ended = echo.ended().with(0);
    let summary = ended.err.lines().last().unwrap().strip_prefix("saltus: received ").unwrap();
    let (received, missed) = summary.split_once(", missed ").unwrap();
    let (received, missed): (u64, u64) = (received.parse().unwrap(), missed.parse().unwrap());
    assert_eq!(received + missed, 100, "{ended:?}");
    assert_eq!(ended.text().lines().count() as u64, received);
    assert!(missed > 0, "a frozen subscriber with four frames misses some");
}

#[test]
fn strict_ends_with_5_when_a_message_was_missed() {
    let place = Place::new();
    place.run(["mk", "imu", "--depth", "4"]).with(0);
    let echo = place.start(["echo", "imu", "--strict"]);
    place.until_subscribed("imu", 1);
    echo.signal(libc::SIGSTOP);
    place.run(["pub", "imu", "x", "-n", "100"]).with(0);
    echo.signal(libc::SIGCONT);
    echo.ended().saying(5, "missed 96 messages");
    place.run(["echo", "imu", "--strict", "--newest"]).with(2);
}

#[test]
fn strict_is_content_when_nothing_was_missed() {
    let place = Place::new();
    let echo = {
        place.run(["mk", "imu", "--depth", "64"]).with(0);
        place.start(["echo", "imu", "--strict", "-n50", "--lines"])
    };
    place.until_subscribed("imu", 1);
    place.run(["pub", "imu", "x", "-n", "50"]).with(0);
    echo.ended().saying(0, "received 50, missed 0");
}

#[test]
fn silence_ends_with_4() {
    let place = Place::new();
    place.run(["pub", "imu", "x"]).with(0);
    place.run(["echo", "imu", "--timeout", "50ms"]).saying(4, "50");
    let one = place.run(["echo", "imu", "--newest", "--lines", "--timeout", "50ms"]).with(4);
    assert_eq!(one.out, b"x\n", "what there was is printed");
    place.run(["echo", "nothing", "--wait", "--timeout", "50ms"]).saying(4, "nothing");
}

#[test]
fn wait_waits_until_the_channel_exists() {
    let place = Place::new();
    let echo = place.start(["echo", "imu", "--wait", "-n1", "--lines"]);
    place.run(["mk", "imu"]).with(0);
    place.until_subscribed("imu", 1);
    place.run(["pub", "imu", "at last"]).with(0);
    assert_eq!(echo.ended().with(0).out, b"at last\n");
}

#[test]
fn a_subscriber_that_waited_for_a_channel_gets_its_first_message() {
    let place = Place::new();
    let echo = place.start(["echo", "imu", "--wait", "-n2", "--lines"]);
    // It has polled when the kernel reports that it sleeps between two polls.
    let wchan = format!("/proc/{}/wchan", echo.id());
    support::until("echo sleeps", || std::fs::read_to_string(&wchan).is_ok_and(|w| w.contains("nanosleep")));
    place.run(["pub", "imu", "one"]).with(0);
    place.run(["pub", "imu", "two"]).with(0);
    assert_eq!(echo.ended().with(0).out, b"one\ntwo\n");
}

#[test]
fn a_replaced_channel_is_reported_with_exit_code_1() {
    let place = Place::new();
    place.run(["mk", "imu"]).with(0);
    let echo = place.start(["echo", "imu"]);
    place.until_subscribed("imu", 1);
    place.run(["mk", "imu", "--replace"]).with(0);
    echo.ended().saying(1, "imu");
    let echo = place.start(["echo", "imu"]);
    place.until_subscribed("imu", 1);
    place.run(["rm", "imu"]).with(0);
    echo.ended().saying(1, "imu");
}

#[test]
fn follow_continues_with_the_next_channel_of_that_name() {
    let place = Place::new();
    place.run(["mk", "imu"]).with(0);
    let echo = place.start(["echo", "imu", "--follow", "-n3", "--lines"]);
    place.until_subscribed("imu", 1);
    place.run(["pub", "imu", "first"]).with(0);
    place.run(["mk", "imu", "--replace", "--max-size", "64K"]).with(0);
    place.run(["pub", "imu", "second"]).with(0);
    place.until_subscribed("imu", 1);
    support::until("the second one is received", || {
        place.run(["info", "imu", "--json"]).json()[0]["subscribers"][0]["received"] == 1
    });
    place.run(["rm", "imu"]).with(0);
    place.run(["pub", "imu", "third"]).with(0);
    let ended = echo.ended().with(0);
    assert_eq!(ended.out, b"first\nsecond\nthird\n");
    assert!(ended.err.contains("received 3, missed 0"), "{ended:?}");
}

#[test]
fn publishing_to_a_replaced_channel_fails_with_exit_code_1() {
    let place = Place::new();
    let publisher = place.start(["pub", "imu", "x", "-r", "100"]);
    place.until_published("imu", 2);
    place.run(["mk", "imu", "--replace"]).with(0);
    publisher.ended().saying(1, "imu");
}

#[test]
fn pub_requires_exactly_one_source() {
    let place = Place::new();
    place.run(["pub", "imu"]).with(2);
    place.run(["pub", "imu", "x", "--lines"]).with(2);
    place.run(["pub", "imu", "--bytes", "abc"]).with(2);
    place.run(["pub", "imu", "x", "-n", "0"]).with(2);
    place.run(["pub", "imu", "x", "-r", "-1"]).with(2);
    place.run(["pub", "imu", "--file", "/nonexistent/file"]).saying(1, "/nonexistent/file");
}

#[test]
fn echo_ends_when_its_time_is_over_though_the_channel_is_damaged() {
    use std::os::unix::fs::FileExt;
    let place = Place::new();
    place.run(["pub", "imu", "hello"]).with(0);
    let data = std::fs::File::options().write(true).open(place.path().join("imu/data")).unwrap();
    // Only the last sequence number changes: a new message seems to exist, but cannot be read.
    data.write_all_at(&1023u64.to_ne_bytes(), 8192).unwrap();
    for newest in [true, false] {
        let arguments = ["echo", "imu", "-n", "1", "--timeout", "60ms"];
        let newest: &[&str] = if newest { &["--newest"] } else { &[] };
        place.run(arguments.iter().chain(newest)).saying(4, "within 60ms");
    }
}

#[test]
fn pub_publishes_growing_lines_to_a_growing_channel() {
    let place = Place::new();
    let lines = [10, 600, 5000, 20, 100_000].map(|len| "x".repeat(len) + "\n").concat();
    place.run(["pub", "log", "x"]).with(0);
    let echo = place.start(["echo", "log", "--start", "oldest", "-n6", "--lines"]);
    place.until_subscribed("log", 1);
    place.feed(["pub", "log", "--lines"], lines.as_bytes()).with(0);
    assert_eq!(echo.ended().with(0).text(), format!("x\n{lines}"));
    // Messages overwritten before echo continued count as missed.
    let echo = place.start(["echo", "log", "--start", "newest", "--timeout", "2s", "--lines"]);
    place.until_subscribed("log", 1);
    echo.signal(libc::SIGSTOP);
    let lines = ["x".repeat(300_000), "y\n".repeat(99)].join("\n");
    place.feed(["pub", "log", "--lines"], lines.as_bytes()).with(0);
    echo.signal(libc::SIGCONT);
    let ended = echo.ended().with(4);
    let number = |word: &str| -> u64 {
        let rest = ended.err.split_once(&format!("{word} ")).expect(word).1;
        rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
    };
    assert!(number("missed") > 50, "{}", ended.err);
    assert_eq!(number("received") + number("missed"), 101, "the newest, and 100 after it: {}", ended.err);
    // An explicit size is a limit.
    place.run(["pub", "small", "x", "--max-size", "64"]).with(0);
    place.run(["pub", "small", &"x".repeat(600), "--max-size", "64"]).saying(1, "--max-size 600");
}
