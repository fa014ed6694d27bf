//! bridge: carries messages between domains, prints totals, and stops on request.

mod support;

use std::io::{BufRead, BufReader, Read};
use std::process::ChildStdout;

use serde_json::Value;
use support::{Place, Running, until};

/// A running bridge.
struct Bridge {
    running: Running,
    lines: BufReader<ChildStdout>,
}

impl Bridge {
    fn start(place: &Place, arguments: &[&str]) -> Bridge {
        let mut running = place.start(["bridge", "--json"].iter().chain(arguments).copied());
        let mut lines = BufReader::new(running.output());
        let directions = if arguments.contains(&"--both") { 2 } else { 1 };
        for _ in 0..directions {
            assert!(next(&mut lines)["from"].is_string());
        }
        Bridge { running, lines }
    }
    /// Stops it, and returns its counts for each direction.
    fn end(mut self, signal: libc::c_int) -> Vec<Value> {
        self.running.signal(signal);
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        self.running.ended().with(0);
        rest.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn next(lines: &mut impl BufRead) -> Value {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))
}

#[test]
fn between_two_domains_in_shared_memory_chosen_channels_get_new_names() {
    let (here, there) = (Place::new(), Place::new());
    let rename = ["-e", "pose|scan", "--rename", "s/^/robot_/"];
    let (from, to) = (here.url(), there.url());
    let arguments = [&[&from[..], &to], &rename[..]].concat();
    let bridge = Bridge::start(&here, &arguments);
    for name in ["pose", "image", "scan"] {
        here.run(["pub", name, name, "-q"]).with(0);
    }
    there.until_published("robot_pose", 1);
    there.until_published("robot_scan", 1);
    let counts = bridge.end(libc::SIGINT);
    assert_eq!((counts.len(), &counts[0]["received"], &counts[0]["carried"]), (1, &2.into(), &2.into()));
    assert_eq!(counts[0]["missed"], 0, "shared memory tells");
    assert_eq!(there.run(["ls"]).with(0).text(), "robot_pose\nrobot_scan\n");
    let read = there.run(["echo", "robot_pose", "--newest", "-n1", "--lines", "-q"]).with(0);
    assert_eq!(read.text(), "pose\n");
}

#[test]
fn all_channels_but_some_are_carried() {
    let (here, there) = (Place::new(), Place::new());
    let (from, to) = (here.url(), there.url());
    let bridge = Bridge::start(&here, &[&from, &to, "-v", "-e", "image", "-e", "scan"]);
    for name in ["image", "scan", "pose"] {
        here.run(["pub", name, name, "-q"]).with(0);
    }
    there.until_published("pose", 1);
    let counts = bridge.end(libc::SIGINT);
    assert_eq!((&counts[0]["received"], &counts[0]["carried"]), (&1.into(), &1.into()));
    assert_eq!(there.run(["ls"]).with(0).text(), "pose\n");
}

#[test]
fn no_message_loops_over_a_network_in_both_directions() {
    saltus_netns::isolated(|| {
        let (here, there) = (Place::new(), Place::new());
        let (a, b) = (here.url(), there.url());
        let first = Bridge::start(&here, &[&a, "udpm://", "--both"]);
        let second = Bridge::start(&there, &["udpm://", &b, "--both"]);
        here.run(["pub", "from_a", "x", "-q", "-n", "5", "-r", "100"]).with(0);
        there.until_published("from_a", 5);
        there.run(["pub", "from_b", "x", "-q", "-n", "3", "-r", "100"]).with(0);
        here.until_published("from_b", 3);
        let (first, second) = (first.end(libc::SIGTERM), second.end(libc::SIGINT));
        let carried =
            |counts: &[Value]| counts.iter().map(|c| c["carried"].as_u64().unwrap()).collect::<Vec<_>>();
        assert_eq!((carried(&first), carried(&second)), (vec![5, 3], vec![5, 3]));
        assert_eq!((here.published("from_a"), here.published("from_b")), (5, 3));
        assert_eq!((there.published("from_a"), there.published("from_b")), (5, 3));
    });
}

#[test]
fn refusals_of_the_other_side_are_reported_and_counted() {
    let (here, there) = (Place::new(), Place::new());
    let fixed = format!("{}?max_message_size=8", there.url());
    let mut bridge = Bridge::start(&here, &[&here.url(), &fixed, "--stat", "-i", "20ms"]);
    for text in ["longer than eight bytes", "longer than eight bytes", "short"] {
        here.run(["pub", "x", text, "-q"]).with(0);
    }
    until("all three to come", || next(&mut bridge.lines)["received"] == 3);
    bridge.running.signal(libc::SIGINT);
    let mut rest = String::new();
    bridge.lines.read_to_string(&mut rest).unwrap();
    let last: Value = serde_json::from_str(rest.lines().last().unwrap()).unwrap();
    assert_eq!((&last["carried"], &last["refused"]), (&1.into(), &2.into()), "{last}");
    let ended = bridge.running.ended().saying(0, "not carried: ");
    assert_eq!(ended.err.lines().count(), 1, "once is enough: {}", ended.err);
}

#[test]
fn losses_are_unknown_where_the_transport_has_no_count() {
    let place = Place::new();
    let mut hub = place.start(["hub", "--listen", "127.0.0.1:0", "--json"]);
    let mut lines = BufReader::new(hub.output());
    let url = format!("tcpq://{}", next(&mut lines)["listening"].as_str().unwrap());
    let bridge = Bridge::start(&place, &[&url, &place.url()]);
    until("a message to be carried", || {
        place.run(["pub", "x", "hello", "-q", "--domain", &url]).with(0);
        place.published("x") > 0
    });
    let counts = bridge.end(libc::SIGINT);
    assert!(counts[0]["carried"].as_u64() > Some(0) && counts[0]["missed"].is_null(), "{counts:?}");
    hub.signal(libc::SIGINT);
    hub.ended().with(0);
}

#[test]
fn invalid_options_are_refused_in_words() {
    let place = Place::new();
    let url = &place.url()[..];
    for (arguments, words) in [
        (&[url, "nope"][..], "`nope` is not a domain URL"),
        (&[url, "nope://"], "nope://"),
        (&[url, "udpm://?colour=red"], "no option `colour`"),
        (&[url, url], "the same domain"),
        (&["udpm://", "udpm://239.255.76.67:7667?ttl=1"], "the same domain"),
        (&[url, url, "--both", "--rename", "s/a/b/"], "--both within"),
        (&[url, "mem://"], "the memory of a single process"),
        (&[url, "udpm://", "--regex", "("], "not a regular expression"),
        (&[url, "udpm://", "--rename", "a/b"], "not a renaming"),
    ] {
        place.run(["bridge"].iter().chain(arguments)).saying(2, words);
    }
}
