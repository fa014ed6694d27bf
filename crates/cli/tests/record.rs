//! `saltus record`: losses are always reported, and files are readable however it ends.

mod support;

use std::fs;
use std::process::Command;

use saltus_log::lcm::Reader;
use support::files::Files;
use support::{Place, Running, until};

/// Channels and messages of a log, finished or not. The last one of a finished log is the account.
fn events(path: &str) -> Vec<(String, Vec<u8>)> {
    let (mut reader, mut events) = (Reader::new(), Vec::new());
    reader.feed(&fs::read(path).unwrap_or_default());
    while let Some(event) = reader.event() {
        events.push((String::from_utf8(event.channel.to_vec()).expect("a name"), event.data.to_vec()));
    }
    events
}

/// Starts a recording, and waits until it runs.
fn record(place: &Place, path: &str, more: &[&str]) -> Running {
    let running = place.start(["record", "-o", path].iter().chain(more));
    until("the file", || fs::exists(path).expect("a path that can be asked for"));
    running
}

#[test]
fn all_channels_are_recorded_including_late_ones() {
    let (place, files) = (Place::new(), Files::new());
    let path = files.at("run.lcmlog");
    let recorder = record(&place, &path, &[]);
    for (name, text) in [("A", "one"), ("B", "two"), ("A", "three")] {
        place.run(["pub", name, text]).with(0);
        until("the message in the file", || events(&path).last().is_some_and(|e| e.1 == text.as_bytes()));
    }
    recorder.signal(libc::SIGINT);
    let ended = recorder.ended().saying(0, "received 3, written 3 (");
    assert!(ended.err.contains("missed 0, dropped 0"), "{ended:?}");
    let mut events = events(&path);
    let (name, account) = events.pop().expect("an account");
    let account: serde_json::Value = serde_json::from_slice(&account).expect("JSON");
    assert_eq!((name.as_str(), &account["total"]["received"]), ("SALTUS_ACCOUNT", &3.into()));
    assert_eq!(account["channels"][1]["channel"], "B");
    let expected = [("A", "one"), ("B", "two"), ("A", "three")];
    assert!(events.iter().map(|(c, d)| (c.as_str(), str::from_utf8(d).expect("text"))).eq(expected));
}

#[test]
fn channels_are_chosen_by_name_pattern_expression_and_what_they_are_not() {
    let place = Place::new();
    for name in ["POSE", "SCAN_1", "SCAN_2"] {
        place.run(["pub", name, name]).with(0);
    }
    for (choice, expected) in [
        (&["POSE"][..], &["POSE"][..]),
        (&["S*"], &["SCAN_1", "SCAN_2"]),
        (&["-v", "S*"], &["POSE"]),
        (&["-e", "SCAN_.|X"], &["SCAN_1", "SCAN_2"]),
        (&["--regex", "SCAN_.", "--invert"], &["POSE"]),
    ] {
        let files = Files::new();
        let path = files.at("run");
        let count = expected.len().to_string();
        let all = ["record", "--start", "oldest", "-q", "-n", &count, "-o", &path];
        place.run(all.iter().chain(choice)).with(0);
        let mut names: Vec<String> = events(&path).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names.pop().as_deref(), Some("SALTUS_ACCOUNT"));
        names.sort();
        assert_eq!(names, expected, "{choice:?}");
    }
}

#[test]
fn missed_messages_are_reported_with_exit_code_5() {
    let (place, files) = (Place::new(), Files::new());
    let path = files.at("run");
    place.run(["pub", "A", "first"]).with(0);
    let recorder = record(&place, &path, &["--json"]);
    place.run(["pub", "A", "seen"]).with(0);
    until("the first message", || !events(&path).is_empty());
    recorder.signal(libc::SIGSTOP);
    place.run(["pub", "A", "x", "-n", "5000"]).with(0);
    recorder.signal(libc::SIGCONT);
    recorder.signal(libc::SIGINT);
    let report = &recorder.ended().with(5).json()[0];
    let number = |name: &str| report["total"][name].as_u64().expect("a number");
    assert_eq!(number("received") + number("missed") + number("dropped"), 5001, "{report}");
    assert!(number("missed") + number("dropped") > 0 && number("written") == number("received"), "{report}");
}

#[test]
fn it_ends_when_asked_to_though_publishers_never_do() {
    let (place, files) = (Place::new(), Files::new());
    let path = files.at("run");
    let publisher = place.start(["pub", "A", "x", "-r", "0"]);
    place.until_published("A", 1);
    let recorder = record(&place, &path, &["--json"]);
    until("some messages", || fs::metadata(&path).is_ok_and(|m| m.len() > 100_000));
    recorder.signal(libc::SIGINT);
    // Exit code 5: at this rate, some messages may be missed.
    let ended = recorder.ended();
    assert!(matches!(ended.code, Some(0 | 5)), "{ended:?}");
    let report = &ended.json()[0];
    assert_eq!(report["total"]["written"].as_u64(), Some(events(&path).len() as u64 - 1), "{report}");
    publisher.signal(libc::SIGINT);
    publisher.ended();
}

#[test]
fn a_recorder_that_is_killed_leaves_whole_messages() {
    let (place, files) = (Place::new(), Files::new());
    let path = files.at("run");
    let recorder = record(&place, &path, &["--flush-interval", "1ms"]);
    let publisher = place.start(["pub", "A", "0123456789", "-r", "5000"]);
    until("some messages", || fs::metadata(&path).is_ok_and(|m| m.len() > 20_000));
    recorder.signal(libc::SIGKILL);
    recorder.ended();
    publisher.signal(libc::SIGINT);
    publisher.ended();
    let events = events(&path);
    assert!(events.len() > 100 && events.iter().all(|(_, data)| data == b"0123456789"));
    // Appending keeps its contents.
    let size = fs::metadata(&path).expect("the file").len();
    place.run(["record", "--append", "--duration", "50ms", "-q", "-o", &path]).with(0);
    assert!(fs::metadata(&path).expect("the file").len() > size);
}

#[test]
fn hangup_begins_a_new_file() {
    let (place, files) = (Place::new(), Files::new());
    let (first, second) = (files.at("run.00"), files.at("run.01"));
    let running = place.start(["record", "--increment", "-o", &files.at("run")]);
    until("the first file", || fs::exists(&first).expect("a path"));
    place.run(["pub", "A", "one"]).with(0);
    until("the first message", || !events(&first).is_empty());
    running.signal(libc::SIGHUP);
    until("the end of the first file", || events(&first).len() == 2);
    place.run(["pub", "A", "two"]).with(0);
    until("the second message", || !events(&second).is_empty());
    running.signal(libc::SIGTERM);
    running.ended().saying(0, "in 2 files");
    assert_eq!((events(&first)[0].1.as_slice(), events(&second)[0].1.as_slice()), (&b"one"[..], &b"two"[..]));
}

#[test]
fn the_last_moments_are_written_when_a_condition_on_a_field_holds() {
    let (place, files) = (Place::new(), Files::new());
    files.write("estop.lcm", "struct estop_t { boolean active; int32_t code; }");
    let types = files.at("");
    let publish = |active: bool| {
        let json = format!(r#"{{"active": {active}, "code": 7}}"#);
        place.run(["pub", "ESTOP", &json, "--type", "estop_t", "-I", &types]).with(0);
    };
    let out = files.at("stop");
    let condition = ["--when", "ESTOP.active == true"];
    let running = place.start(["record", "--last", "10m", "-o", &out].iter().chain(&condition));
    until("it waits", || {
        publish(false);
        place
            .domain()
            .open_channel("ESTOP")
            .is_ok_and(|c| c.info().expect("info").subscribers.iter().any(|s| s.alive))
    });
    let before = place.published("ESTOP");
    publish(false);
    publish(true);
    let first = files.at("stop.00");
    until("the file and its account", || events(&first).last().is_some_and(|e| e.0 == "SALTUS_ACCOUNT"));
    running.signal(libc::SIGUSR1);
    running.signal(libc::SIGINT);
    running.ended().with(0);
    let events = events(&first);
    // Messages published before it subscribed may be missing; later ones are recorded.
    assert!(events.len() >= 3 && events.len() as u64 <= before + 3, "{}", events.len());
    assert!(events[events.len() - 2].1.contains(&1), "the message that says so is there");
}

#[test]
fn a_condition_uses_types_known_before_and_after_the_first_message() {
    let (place, files) = (Place::new(), Files::new());
    files.write("estop.lcm", "struct estop_t { boolean active; int32_t code; }");
    let types = files.at("");
    // No type in the directories has such a field, which is reported immediately.
    let wrong = ["--when", "ESTOP.actve", "--last", "1s", "-I", &types, "--duration", "10ms"];
    place.run(["record", "-o", &files.at("none")].iter().chain(&wrong)).saying(0, "has a field `actve`");
    // The first message is published before its description, the second after it.
    let domain = place.domain();
    let channel = domain.create("ESTOP", &saltus_channel::Attributes::new()).expect("a channel");
    let mut publisher = channel.publisher().expect("a publisher");
    let running =
        place.start(["record", "--last", "10m", "-o", &files.at("stop"), "--when", "ESTOP.active == true"]);
    let schema = saltus_types::parse("estop.lcm", "struct estop_t { boolean active; int32_t code; }");
    let schema = schema.expect("a type");
    let id = schema.find("estop_t").expect("the type");
    let fingerprint = schema.get(id).fingerprint;
    let bytes = |active: bool| [&fingerprint.to_be_bytes()[..], &[u8::from(active), 0, 0, 0, 7]].concat();
    until("a first message is received", || {
        publisher.publish(&bytes(false)).expect("published");
        channel.info().expect("info").subscribers.iter().any(|s| s.received > 0)
    });
    publisher.describe("estop_t", fingerprint, &schema.to_lcm(id)).expect("described");
    let first = files.at("stop.00");
    // It becomes true repeatedly; descriptions are read at most ten times per second.
    until("the file and its account", || {
        publisher.publish(&bytes(false)).expect("published");
        publisher.publish(&bytes(true)).expect("published");
        events(&first).last().is_some_and(|e| e.0 == "SALTUS_ACCOUNT")
    });
    running.signal(libc::SIGINT);
    running.ended().with(0);
}

#[test]
fn a_full_disk_ends_it_with_an_error_and_a_readable_log() {
    let (place, files) = (Place::new(), Files::new());
    let publisher = place.start(["pub", "A", &"x".repeat(400), "-r", "5000"]);
    place.until_published("A", 1);
    let kept = files.at("kept");
    let script = format!(
        "mount -t tmpfs -o size=64k none /mnt && \"$0\" record --flush-interval 1ms -o /mnt/run; code=$?; cp /mnt/run {}; exit $code",
        kept
    );
    let mut command = Command::new("unshare");
    command.args(["--mount", "--map-root-user", "sh", "-c", &script, env!("CARGO_BIN_EXE_saltus")]);
    command.env("SALTUS_DOMAIN", place.url()).stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let ended = Running::start(&mut command).ended().saying(1, "the disk is full");
    publisher.signal(libc::SIGINT);
    publisher.ended();
    let events = events(&kept);
    let written = format!("written {} (", events.iter().filter(|(name, _)| name == "A").count());
    assert!(events.len() > 50 && ended.err.contains(&written), "{} events, {}", events.len(), ended.err);
}

#[test]
fn mcap_describes_messages_and_returns_them_unchanged() {
    let (place, files) = (Place::new(), Files::new());
    files.write("pose.lcm", "package robot; struct pose_t { int64_t utime; double x; }");
    let (path, types) = (files.at("run.mcap"), files.at(""));
    // All messages are kept, so that a late recorder gets them all.
    for name in ["POSE", "TEXT"] {
        place.run(["mk", name, "--depth", "256"]).with(0);
    }
    let recorder = record(&place, &path, &["--json", "--flush-interval", "10ms"]);
    for x in 0..100 {
        let json = format!(r#"{{"utime": {x}, "x": 0.5}}"#);
        place.run(["pub", "POSE", &json, "--type", "robot.pose_t", "-I", &types]).with(0);
        place.run(["pub", "TEXT", "hello"]).with(0);
    }
    recorder.signal(libc::SIGINT);
    assert_eq!(recorder.ended().with(0).json()[0]["total"]["written"], 200);
    let mut log = saltus_log::Log::open(path.as_ref()).expect("a log");
    let rows: Vec<_> = log.summary().channels.iter().filter_map(|row| row.about.clone()).collect();
    let pose = rows.iter().find(|about| about.name == b"POSE").expect("the channel");
    assert_eq!((pose.encoding.as_str(), pose.metadata["lcm.type"].as_str()), ("cdr", "robot.pose_t"));
    let mut count = 0;
    while let Some(event) = log.next().expect("an event") {
        if event.channel == b"POSE" {
            // fingerprint, utime, x: as LCM has them
            assert_eq!((event.data.len(), event.data[15]), (24, count));
            count += 1;
        }
    }
    assert_eq!(count, 100);
}

#[test]
fn invalid_options_are_refused_in_words() {
    let (place, files) = (Place::new(), Files::new());
    files.write("there", "precious");
    let there = files.at("there");
    let fresh = files.at("fresh");
    for (arguments, code, words) in [
        (&["-o", &there][..], 1, "exists: choose another name"),
        (&["--when", "ESTOP", "--last", "1s"], 2, "expected CHANNEL.FIELD"),
        (&["--when", "A.x == 1"], 2, "--last"),
        (&["-v", "-o", "/nowhere/x"], 2, "--invert needs channels"),
        (&["-o", "x.bag"], 2, "expected a name that ends in .mcap or .lcmlog"),
        (&["-a", "-o", "x.mcap"], 2, "--append: cannot append to an MCAP file"),
        (&["-e", "(", "-o", "x"], 2, "not a regular expression"),
        (&["--also", "mem://", "-o", "x"], 2, "the memory of a single process"),
        (&["--disk-quota", "100000000G", "-o", &fresh], 1, "B of --disk-quota"),
        (&["-o", "/proc/nowhere/run"], 1, "cannot make the directory of /proc/nowhere/run"),
    ] {
        let ended = place.run(["record"].iter().chain(arguments)).with(code);
        assert!(ended.err.contains(words), "{arguments:?}: {}", ended.err);
    }
    assert_eq!(fs::read(there).expect("the file"), b"precious");
}

/// The command with a limit on descriptors: soft, or soft and hard.
fn limited(place: &Place, limit: &str, arguments: &[&str]) -> Command {
    let shell = ["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_saltus")];
    place.command_of("/bin/sh".as_ref(), shell.iter().chain(arguments))
}

#[test]
fn channels_for_which_there_are_no_descriptors_are_accounted_for_and_are_exit_code_5() {
    let (place, files) = (Place::new(), Files::new());
    for n in 0..100 {
        place.domain().create(format!("C{n}"), &Default::default()).expect("a channel");
        let channel = place.domain().open_channel(format!("C{n}")).expect("it opens");
        channel.publisher().expect("a publisher").publish(b"one").expect("it is published");
    }
    // The soft limit alone has no effect: it is raised.
    let path = files.at("soft.lcmlog");
    let record =
        |path: &str| ["record", "-o", path, "--start", "oldest", "--duration", "1500ms"].map(String::from);
    let run = |limit, arguments: &[String]| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Running::start(&mut limited(&place, limit, &arguments)).ended()
    };
    run("-S -n 64", &record(&path)).saying(0, "received 100, written 100 (");
    // The hard limit has: unopened channels are reported by name, and are in the file.
    let path = files.at("hard.lcmlog");
    let ended = run("-n 64", &record(&path)).saying(5, "not read");
    let (_, account) = events(&path).pop().expect("an account");
    let account: serde_json::Value = serde_json::from_slice(&account).expect("JSON");
    let received = account["total"]["received"].as_u64().expect("a number");
    let unread = account["unread"].as_array().expect("a list");
    let channels: Vec<&str> = unread.iter().filter_map(|one| one["channel"].as_str()).collect();
    assert_eq!(account["total"]["unread"], unread.len());
    assert!(received > 0 && received < 100, "{received}");
    assert_eq!(received + channels.len() as u64, 100, "every channel is accounted for");
    let words = format!("channel `{}` could not be read: ", channels[0]);
    assert!(ended.err.contains(&words) && ended.err.contains("open files"), "{}", ended.err);
}

#[test]
fn a_channel_that_may_not_be_read_is_accounted_for_by_recorder_bridge_and_spy() {
    let (place, files) = (Place::new(), Files::new());
    place.run(["pub", "OPEN", "one"]).with(0);
    place.run(["pub", "CLOSED", "one"]).with(0);
    // A damaged channel stands for a forbidden one, which root could open.
    fs::write(place.path().join("CLOSED/data"), b"").expect("the file is cut short");
    let path = files.at("run.lcmlog");
    let ended = place.run(["record", "-o", &path, "--start", "oldest", "--duration", "300ms"]);
    let ended = ended.saying(5, "channel `CLOSED` could not be read: ");
    assert!(ended.err.contains("received 1, written 1") && ended.err.contains("1 not read"), "{}", ended.err);
    place.run(["spy", "--once", "-i", "300ms"]).saying(5, "channel `CLOSED` could not be read: ");
    let to = format!("file://{}?mode=w", files.at("bridged.lcmlog"));
    let bridge = place.start(["bridge", &place.url(), &to, "--json"]);
    place.until_subscribed("OPEN", 1);
    bridge.signal(libc::SIGINT);
    let ended = bridge.ended().saying(5, "channel `CLOSED` could not be read: ");
    assert_eq!(ended.json().last().expect("the counts")["unread"], 1);
}

#[test]
fn bridge_and_spy_account_for_channels_for_which_there_are_no_descriptors() {
    let (place, files) = (Place::new(), Files::new());
    for n in 0..100 {
        place.domain().create(format!("C{n}"), &Default::default()).expect("a channel");
    }
    let ended =
        Running::start(&mut limited(&place, "-n 64", &["spy", "--once", "--json", "-i", "500ms"])).ended();
    let ended = ended.saying(5, "could not be read: ");
    let unread = ended.err.lines().filter(|line| line.contains("channel `C")).count();
    assert_eq!(ended.json().len() + unread, 100, "every channel is accounted for");
    let (url, to) = (place.url(), format!("file://{}?mode=w", files.at("bridged.lcmlog")));
    let bridge = Running::start(&mut limited(&place, "-n 64", &["bridge", &url, &to, "--json"]));
    until("it carries", || {
        let channels = (0..100).filter_map(|n| place.domain().open_channel(format!("C{n}")).ok());
        channels.filter(|c| c.info().is_ok_and(|info| info.subscribers.iter().any(|s| s.alive))).count() > 5
    });
    bridge.signal(libc::SIGINT);
    let ended = bridge.ended().saying(5, "could not be read: ");
    assert!(ended.json().last().expect("the counts")["unread"].as_u64() > Some(10), "{ended:?}");
}

#[test]
fn a_limit_of_the_length_of_files_is_named_and_kills_nobody() {
    let (place, files) = (Place::new(), Files::new());
    let run = |arguments: &[&str]| Running::start(&mut limited(&place, "-f 16", arguments)).ended();
    run(&["mk", "a"]).saying(1, "raise the limit (`ulimit -f`)");
    run(&["pub", "a", "hello"]).saying(1, "raise the limit (`ulimit -f`)");
    place.run(["pub", "a", "hello"]).with(0);
    let message = "x".repeat(400);
    let many = format!("{message}\n").repeat(1000);
    place.run(["mk", "b", "--depth", "2000"]).with(0);
    place.feed(["pub", "b", "--lines"], many.as_bytes()).with(0);
    let path = files.at("run.lcmlog");
    let arguments = ["record", "b", "-o", &path, "--start", "oldest", "--duration", "1s"];
    run(&arguments).saying(1, "raise it (`ulimit -f`)");
}

#[test]
fn a_file_system_without_inodes_is_named_as_the_cause() {
    let (place, files) = (Place::new(), Files::new());
    let directory = files.at("small");
    fs::create_dir(&directory).expect("a directory");
    let script = r#"mount -t tmpfs -o nr_inodes=4 none "$1" && exec "$0" --domain "shm://$1" mk a"#;
    let saltus = env!("CARGO_BIN_EXE_saltus");
    let mut command =
        place.command_of("unshare".as_ref(), ["-rm", "/bin/sh", "-c", script, saltus, &directory]);
    Running::start(&mut command).ended().saying(1, "inodes");
}
