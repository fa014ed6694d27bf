//! echo, pub, ls and stat on networks and logs, and the errors of other commands there.

mod support;

use std::thread;
use std::time::Duration;

use serde_json::Value;
use support::files::Files;
use support::{Ended, Place, Running, until};

const TYPES: &str = "package robot;\nstruct pose_t {\n  int64_t utime;\n  double x;\n}\n";

/// Publishes until it is stopped.
struct Beat(Running);

impl Beat {
    fn start(place: &Place, url: &str, name: &str, text: &str) -> Beat {
        Beat(place.start(["pub", name, text, "-r", "100", "--domain", url]))
    }
    fn end(self) {
        self.0.signal(libc::SIGINT);
        self.0.ended().saying(0, "published ");
    }
}

/// The output of a command for the first channel. On a busy machine no message may arrive in its time.
fn first_row(arguments: &[&str], run: impl Fn(&[&str]) -> Ended) -> Value {
    let mut rows = Vec::new();
    until("a row", || {
        rows = run(arguments).json();
        !rows.is_empty()
    });
    rows.swap_remove(0)
}

#[test]
fn echo_prints_messages_and_reports_network_losses() {
    saltus_netns::isolated(|| {
        let place = Place::new();
        let beat = Beat::start(&place, "udpm://", "POSE", "hello");
        let echo = |more: &[&str]| place.run(["echo", "--domain", "udpm://"].iter().chain(more));
        let ended = echo(&["POSE", "-n3", "--json"]).with(0);
        let rows = ended.json();
        let sequence = |row: &Value| row["seq"].as_u64().unwrap();
        assert_eq!(sequence(&rows[2]), sequence(&rows[0]) + 2);
        // Losses before the first received message are unknown, unless it is the sender's first.
        let known = sequence(&rows[0]) == 0;
        let missed = if known { "missed 0, dropped 0" } else { "missed 0 and unknown, dropped 0" };
        assert!(ended.err.contains(missed), "{ended:?}");
        for (n, row) in rows.iter().enumerate() {
            let (missed, of) = if n > 0 || known { (0.into(), "sender".into()) } else { Default::default() };
            assert_eq!((&row["missed"], &row["missed_of"]), (&missed, &of));
            assert_eq!(
                (&row["channel"], &row["text"], &row["size"]),
                (&"POSE".into(), &"hello".into(), &5.into())
            );
            assert!(row["timestamp"].is_null() && row["lane"].is_null() && row["logged"].is_null(), "{row}");
            assert!(row["sender"].is_string() && row["arrived"].is_string(), "{row}");
        }
        echo(&["POSE", "-n3", "--strict", "-q"]).with(0);
        let human = echo(&["-e", "PO.*", "-n1"]).with(0);
        assert!(human.text().contains("] POSE sender ") && human.text().ends_with(": hello\n"), "{human:?}");
        for (format, expected) in [("--lines", "hello\n"), ("--raw", "hello"), ("--hex", "68656c6c6f\n")] {
            assert_eq!(echo(&["POSE", "-n1", "-q", "--newest", format]).with(0).text(), expected);
        }
        echo(&["POS", "--timeout", "200ms"]).saying(4, "no message on channel `POS`");
        echo(&["POSE", "--start", "oldest"]).saying(2, "keeps no earlier messages");
        echo(&["POSE", "--wait"]).saying(2, "--wait: ");
        echo(&["POSE", "--follow"]).saying(2, "--follow: ");
        echo(&["-e", "("]).saying(2, "not a regular expression");
        beat.end();
    });
}

#[test]
fn types_are_read_from_directories() {
    saltus_netns::isolated(|| {
        let (place, files) = (Place::new(), Files::new());
        files.write("pose.lcm", TYPES);
        let types = files.path().to_str().unwrap();
        let on = ["--domain", "udpm://", "--type", "robot.pose_t"];
        place.run(["pub", "POSE", "{}"].iter().chain(&on)).saying(2, "name their directory with -I");
        let message = ["pub", "POSE", r#"{"utime": 5, "x": 0.5}"#, "-I", types, "-r", "100"];
        let publisher = place.start(message.iter().chain(&on));
        let echo = ["echo", "POSE", "-I", types, "-n1", "--json"];
        let row = &place.run(echo.iter().chain(&on)).with(0).json()[0];
        assert_eq!((&row["type"], &row["value"]["x"]), (&"robot.pose_t".into(), &0.5.into()));
        publisher.signal(libc::SIGINT);
        publisher.ended().with(0);
    });
}

#[test]
fn ls_and_stat_show_incoming_messages() {
    saltus_netns::isolated(|| {
        let place = Place::new();
        let beats = ["POSE", "SCAN"].map(|name| Beat::start(&place, "udpm://", name, "12345678"));
        let run = |arguments: &[&str]| place.run(arguments.iter().chain(&["--domain", "udpm://"])).with(0);
        let mut listed = Vec::new();
        until("both channels", || {
            listed = run(&["ls", "--duration", "300ms", "--json"]).json();
            listed.len() == 2 // and not what LCM's programs send to themselves
        });
        let pose = listed.iter().find(|row| row["channel"] == "POSE").unwrap();
        assert_eq!((&pose["size"], &pose["senders"]), (&8.into(), &1.into()), "{pose}");
        assert!(pose["messages"].as_u64() > Some(0) && pose["rate"].as_f64() > Some(0.0), "{pose}");
        until("one of them alone", || {
            let table = run(&["ls", "S*N", "--duration", "300ms"]);
            assert!(!table.text().contains("POSE"), "{table:?}");
            table.text().contains("  SCAN\n")
        });

        let mut row = serde_json::Value::Null;
        // For the first received message of a sender, earlier losses are unknown; from the second on, losses are reported.
        until("two messages of its sender", || {
            row = first_row(&["stat", "POSE", "-n1", "-i", "500ms", "--json"], run);
            row["missed"].is_u64()
        });
        assert_eq!((&row["channel"], row["size"].as_f64()), (&"POSE".into(), Some(8.0)));
        assert_eq!(
            (&row["missed"], &row["missed_total"], &row["dropped"]),
            (&0.into(), &0.into(), &0.into())
        );
        assert!(row["sender"].is_string() && row["rate"].as_f64() > Some(0.0), "{row}");
        beats.into_iter().for_each(Beat::end);
    });
    Place::new().run(["ls", "--duration", "1s"]).saying(2, "--duration is for networks");
}

#[test]
fn counts_that_a_hub_lacks_are_unknown() {
    let place = Place::new();
    let mut hub = place.start(["hub", "--listen", "127.0.0.1:0", "--json"]);
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(hub.output()), &mut line).unwrap();
    let listening: Value = serde_json::from_str(&line).unwrap();
    let url = &format!("tcpq://{}", listening["listening"].as_str().unwrap())[..];
    let beat = Beat::start(&place, url, "x", "hello");
    let ended = place.run(["echo", "x", "-n2", "--json", "--domain", url]);
    let row = &ended.saying(0, "received 2, missed unknown, dropped 0").json()[0];
    assert!(row["missed"].is_null() && row["sender"].is_null() && row["seq"].is_null(), "{row}");
    place.run(["echo", "x", "--strict", "--domain", url]).saying(5, "does not report missed messages");
    let stat = ["stat", "-n1", "-i", "300ms", "--json", "--domain", url];
    let row = &first_row(&stat, |arguments| place.run(arguments).with(0));
    assert!(row["missed"].is_null() && row["sender"].is_null(), "{row}");
    beat.end();
    hub.signal(libc::SIGINT);
    hub.ended();
    let gone = place.run(["echo", "x", "--timeout", "300ms", "--domain", url]);
    gone.saying(4, "no connection to the hub");
}

#[test]
fn a_log_is_written_and_played() {
    let (place, files) = (Place::new(), Files::new());
    let log = files.at("run.log");
    let to = format!("file://{log}?mode=w");
    place.feed(["pub", "x", "--lines", "-q", "--domain", &to], b"one\ntwo\n").with(0);
    let from = format!("file://{log}?speed=0");
    let played = place.run(["echo", "x", "--json", "--domain", &from]).with(0).json();
    assert_eq!(played.iter().map(|row| &row["text"]).collect::<Vec<_>>(), ["one", "two"]);
    assert!(played.iter().all(|row| row["logged"].is_string()), "{played:?}");
}

#[test]
fn in_shared_memory_an_expression_joins_existing_and_new_channels() {
    let place = Place::new();
    place.run(["pub", "arm_left", "1", "-q"]).with(0);
    let echo = place.start(["echo", "--regex", "arm_.*", "--start", "oldest", "-n2", "--json"]);
    thread::sleep(Duration::from_millis(100));
    place.run(["pub", "arm_right", "2", "-q"]).with(0);
    place.run(["pub", "leg", "3", "-q"]).with(0);
    let rows = echo.ended().saying(0, "received 2, missed 0, dropped 0").json();
    let shown: Vec<_> = rows.iter().map(|row| (row["channel"].as_str().unwrap(), &row["text"])).collect();
    assert_eq!(shown, [("arm_left", &Value::from("1")), ("arm_right", &Value::from("2"))]);
    assert!(rows.iter().all(|row| row["missed_of"] == "channel" && row["timestamp"].is_string()), "{rows:?}");
}

#[test]
fn options_for_shared_memory_say_so() {
    let place = Place::new();
    for (command, words) in [
        (&["mk", "x"][..], "`saltus pub` needs no existing channel"),
        (&["rm", "x"], "`saltus ls` lists"),
        (&["info", "x"], "`saltus stat` measures"),
        (&["chmod", "600", "x"], "who reaches a network may read"),
        (&["sweep"], "leave nothing there"),
        (&["types", "show", "--channel", "x"], "with -I"),
        (&["pub", "x", "1", "--max-size", "8"], "--max-size is for shared memory"),
        (&["pub", "x", "1", "--no-create"], "--no-create is for shared memory"),
    ] {
        place.run(command.iter().chain(&["--domain", "udpm://"])).saying(2, words);
    }
    for command in [&["echo", "x"][..], &["pub", "x", "1"], &["ls"]] {
        place.run(command.iter().chain(&["--domain", "mem://"])).saying(2, "the memory of a single process");
        place.run(command.iter().chain(&["--domain", "carrier-pigeon://"])).saying(2, "carrier-pigeon");
        for scheme in ["shm://", "udpm://", "zmq://", "dds://", "zenoh://"] {
            place.run(command.iter().chain(&["--domain", "nonsense"])).saying(2, scheme);
        }
    }
}
