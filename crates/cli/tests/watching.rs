//! stat: measures without disturbing publishers.

mod support;

use std::io::{BufRead, BufReader, Read};

use saltus_channel::{Attributes, SubscriberOptions, Until, Which};
use support::files::Files;
use support::terminal::pty;
use support::{Place, Running, until};

#[test]
fn stat_measures_rate_bandwidth_size_and_period() {
    let place = Place::new();
    // Space for all messages of a late publisher's burst, so that its gap counts in the period.
    place.run(["mk", "imu", "--depth", "4096"]).with(0);
    let publisher = place.start(["pub", "imu", "0123456789", "-r", "200"]);
    place.until_published("imu", 20);
    let mut stat = place.start(["stat", "imu", "-i1s", "--json"]);
    let (mut rows, mut row) = (BufReader::new(stat.output()).lines(), serde_json::Value::Null);
    // On a busy machine the publisher may be late by more than an interval, but overall it keeps its schedule.
    until("an interval with about as many messages as were asked for", || {
        row = serde_json::from_str(&rows.next().unwrap().unwrap()).unwrap();
        row["rate"].as_f64().is_some_and(|rate| (20.0..2000.0).contains(&rate))
    });
    let row = &row;
    let number = |value: &serde_json::Value| value.as_f64().unwrap_or_else(|| panic!("{value} in {row}"));
    assert_eq!(row["channel"], "imu");
    assert_eq!(row["publishers"], 1);
    assert_eq!(row["subscribers"], 0);
    assert_eq!(number(&row["size"]), 10.0);
    assert!((number(&row["bandwidth"]) / number(&row["rate"]) - 10.0).abs() < 1e-9, "{row}");
    assert!((1e6..1e8).contains(&number(&row["period"]["mean"])), "{row}");
    assert!(number(&row["period"]["min"]) <= number(&row["period"]["mean"]), "{row}");
    assert!(number(&row["period"]["mean"]) <= number(&row["period"]["max"]), "{row}");
    assert!(number(&row["period"]["jitter"]) >= 0.0 && row["age"].is_u64(), "{row}");
    assert!(row["latency"].is_null() && row["missed"].is_null(), "what is not known is not zero: {row}");
    for running in [publisher, stat] {
        running.signal(libc::SIGINT);
        running.ended().with(0);
    }
}

#[test]
fn stat_shows_latency_and_losses_of_subscribers() {
    let place = Place::new();
    let channel = place.domain().create("imu", &Attributes::new().depth(4)).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let mut subscriber = channel.subscriber_with(SubscriberOptions::new().latency_sampling(1)).unwrap();
    let mut buffer = [0; 512];
    let mut stat = place.start(["stat", "imu", "-i100ms", "--json"]);
    let mut rows = BufReader::new(stat.output());
    let mut next = || {
        let mut line = String::new();
        rows.read_line(&mut line).unwrap();
        serde_json::from_str::<serde_json::Value>(&line).unwrap()
    };
    assert!(next()["latency"].is_null(), "nothing was received yet");
    for _ in 0..100 {
        publisher.publish(b"x").unwrap();
    }
    while subscriber.receive(Which::Next, Until::Poll, &mut buffer).unwrap().is_some() {}
    assert!(subscriber.missed() > 0 && subscriber.received() > 0);
    // It may appear in different intervals, but all intervals together count it once.
    let (mut measured, mut missed, mut total) = (0, 0, None);
    let mut look = || {
        let row = next();
        measured += row["latency"]["count"].as_u64().unwrap_or(0);
        missed += row["missed"].as_u64().unwrap_or(0);
        total = row["missed_total"].as_u64();
        (measured, missed, total)
    };
    let all = (subscriber.received(), subscriber.missed(), Some(subscriber.missed()));
    until("all to be seen", || look() == all);
    assert_eq!((look(), look()), (all, all));
    stat.signal(libc::SIGINT);
    stat.ended().with(0);
}

#[test]
fn stat_keeps_a_histogram_for_each_receiver_without_touching_it() {
    let place = Place::new();
    place.run(["mk", "imu"]).with(0);
    let files = Files::new();
    let log = files.at("hops.hlog");
    let arguments = ["stat", "--latency", "--json", "-i", "50ms", "--out", &log];
    let stat = place.start(arguments);
    until("the log is begun", || std::fs::read_to_string(&log).is_ok_and(|text| text.contains("BaseTime")));
    let channel = place.domain().open_channel("imu").unwrap();
    let mut receiver = channel.subscriber_with(SubscriberOptions::new().latency_sampling(1)).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let mut buffer = [0; 512];
    for _ in 0..10 {
        publisher.publish(b"x").unwrap();
        receiver.receive(Which::Next, Until::Poll, &mut buffer).unwrap().expect("it was just published");
    }
    until("it is in the log", || std::fs::read_to_string(&log).is_ok_and(|text| text.contains("Tag=imu/")));
    stat.signal(libc::SIGINT);
    let lines = stat.ended().with(0).json();
    assert_eq!(
        (lines.len(), &lines[0]["channel"], &lines[0]["pid"]),
        (1, &"imu".into(), &std::process::id().into())
    );
    assert_eq!(lines[0]["count"], 10, "{lines:?}");
    place.run(["stat", "--out", "x"]).with(2);
}

#[test]
fn stat_counts_what_a_killed_receiver_had_counted() {
    let place = Place::new();
    let channel = place.domain().create("imu", &Attributes::new()).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let files = Files::new();
    let log = files.at("hops.hlog");
    // It reads at the start and at the end.
    let stat = place.start(["stat", "--latency", "--json", "-i", "1h", "--out", &log]);
    until("the log is begun", || std::fs::read_to_string(&log).is_ok_and(|text| text.contains("BaseTime")));
    let echo = place.start(["echo", "imu"]);
    place.until_subscribed("imu", 1);
    let subscriber = || channel.info().unwrap().subscribers.pop().expect("its counters are kept");
    until("it has measured a message", || {
        publisher.publish(b"x").unwrap();
        subscriber().latency.count() > 0
    });
    echo.signal(libc::SIGKILL);
    echo.ended();
    let counted = subscriber();
    assert!(!counted.alive);
    stat.signal(libc::SIGINT);
    let lines = stat.ended().with(0).json();
    assert_eq!((lines.len(), &lines[0]["count"]), (1, &counted.latency.count().into()), "{lines:?}");
    assert_eq!(lines[0]["pid"], counted.pid);
}

#[test]
fn stat_counts_nothing_twice_of_a_receiver_that_is_away_for_a_while() {
    let place = Place::new();
    let files = Files::new();
    let log = files.at("hops.hlog");
    let mut buffer = [0; 512];
    let mut pairs = ["imu", "other"].map(|name| {
        let channel = place.domain().create(name, &Attributes::new()).unwrap();
        let receiver = channel.subscriber_with(SubscriberOptions::new().latency_sampling(1)).unwrap();
        (channel.publisher().unwrap(), receiver)
    });
    let mut receive = |n: usize| {
        let (publisher, receiver) = &mut pairs[n];
        publisher.publish(b"x").unwrap();
        receiver.receive(Which::Next, Until::Poll, &mut buffer).unwrap().expect("it was just published");
    };
    let stat = place.start(["stat", "--latency", "--json", "-i", "50ms", "--out", &log]);
    let lines = |words: &str| std::fs::read_to_string(&log).unwrap_or_default().matches(words).count();
    until("the log is begun", || lines("BaseTime") > 0);
    (0..10).for_each(|_| receive(0));
    until("it is in the log", || lines("Tag=imu/") > 0);
    let (there, away) = (place.path().join("imu/subs"), place.path().join("imu/away"));
    for (from, to) in [(&there, &away), (&away, &there)] {
        std::fs::rename(from, to).unwrap();
        // In two intervals, so that one of the readings was after the rename.
        let before = lines("Tag=other/");
        until("it has looked again", || {
            receive(1);
            lines("Tag=other/") >= before + 2
        });
    }
    stat.signal(libc::SIGINT);
    let reported = stat.ended().with(0).json();
    let imu = reported.iter().find(|line| line["channel"] == "imu").expect("the receiver");
    assert_eq!(imu["count"], 10, "{reported:?}");
}

#[test]
fn stat_never_asks_to_be_woken_and_joins_nothing() {
    let place = Place::new();
    let channel = place.domain().create("imu", &Attributes::new()).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let mut stat = place.start(["stat", "-i100ms"]);
    let mut lines = BufReader::new(stat.output()).lines();
    let mut tables = 0;
    while tables < 4 {
        publisher.publish(b"x").unwrap();
        tables += usize::from(lines.next().unwrap().unwrap().starts_with("CHANNEL"));
    }
    let info = channel.info().unwrap();
    assert_eq!(info.lanes[0].wakes, 0, "no publish made a system call for it");
    assert!(info.subscribers.is_empty(), "it takes no subscriber's place");
    stat.signal(libc::SIGINT);
    stat.ended().with(0);
}

#[test]
fn stat_follows_channels_that_come_go_and_are_replaced() {
    let place = Place::new();
    let mut stat = place.start(["stat", "-i50ms", "--json"]);
    let mut lines = BufReader::new(stat.output()).lines();
    let mut row = |what: &str, wanted: &dyn Fn(&serde_json::Value) -> bool| {
        // The pipe ends with the command, which is killed after a timeout.
        until(what, || wanted(&serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap()));
    };
    place.run(["mk", "imu"]).with(0);
    row("the new channel", &|row| row["channel"] == "imu" && row["age"].is_null());
    place.run(["mk", "imu", "--replace"]).with(0);
    let publisher = place.start(["pub", "imu", "x", "-r", "100"]);
    row("what comes out of its replacement", &|row| row["rate"].as_f64().is_some_and(|r| r > 0.0));
    place.run(["mk", "other"]).with(0);
    place.run(["rm", "imu"]).with(0);
    publisher.ended().with(1);
    row("the other channel", &|row| row["channel"] == "other");
    stat.signal(libc::SIGINT);
    stat.ended().with(0);
}

#[test]
fn stat_reports_unreadable_channels_and_continues() {
    let place = Place::new();
    place.run(["mk", "bad"]).with(0);
    place.run(["mk", "good"]).with(0);
    std::fs::write(place.path().join("bad/data"), [0x5a; 8192]).unwrap();
    let rows = place.run(["stat", "-n1", "-i50ms", "--json"]).with(0).json();
    assert_eq!((&rows[0]["channel"], &rows[1]["channel"]), (&"bad".into(), &"good".into()));
    assert!(rows[0]["error"].is_string() && rows[1].get("error").is_none(), "{rows:?}");
    let table = place.run(["stat", "-n1", "-i50ms"]).with(0);
    assert!(table.text().lines().any(|l| l.starts_with("bad ") && l.ends_with('?')), "{table:?}");
}

#[test]
fn on_a_terminal_the_table_is_drawn_over_itself() {
    let place = Place::new();
    for n in 0..40 {
        place.run(["mk", &format!("channel-{n:02}")]).with(0);
    }
    let (mut master, terminal) = pty(24, 60);
    let mut command = place.command(["stat", "-i50ms"]);
    command.env("TERM", "xterm").stdout(terminal);
    let stat = Running::start(&mut command);
    drop(command);
    let mut drawn = Vec::new();
    let mut buffer = [0; 4096];
    until("the table is drawn a second time", || {
        let read = master.read(&mut buffer).unwrap();
        drawn.extend_from_slice(&buffer[..read]);
        count(&drawn, b"CHANNEL") >= 2 && drawn.ends_with(b"\x1b[J")
    });
    stat.signal(libc::SIGINT);
    stat.ended().with(0);
    let text = String::from_utf8(drawn).unwrap();
    let (first, second) =
        text.split_once("\x1b[23A").expect("the cursor goes back over the 23 lines that fit");
    assert!(first.contains("... and 19 more") && second.contains("CHANNEL"), "{text}");
    let widest = first.lines().map(|l| l.trim_end_matches('\r').replace("\x1b[K", "").chars().count()).max();
    assert!(widest <= Some(60), "lines are clipped to the terminal's {widest:?} columns");
    assert!(first.lines().next().is_some_and(|heading| heading.contains("MISSED")), "whole columns: {first}");
}

fn count(all: &[u8], part: &[u8]) -> usize {
    all.windows(part.len()).filter(|window| *window == part).count()
}
