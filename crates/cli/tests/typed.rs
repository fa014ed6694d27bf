//! Typed messages: pub encodes them and stores their type, echo decodes them.

mod support;

use serde_json::Value;
use support::files::Files;
use support::{Place, Running};

const POSE: &str = "package robot;\nstruct pose_t { int64_t utime; double pos[3]; boolean ok; }\n";
const PATH: &str = "package robot;\nstruct path_t { string name; int32_t n; pose_t poses[n]; }\n";

fn types() -> (Files, String) {
    let files = Files::new();
    files.write("types/pose.lcm", POSE);
    files.write("types/path.lcm", PATH);
    let types = files.at("types");
    (files, types)
}

const JSON: &str = r#"{"utime": 5, "pos": [1, 2.5, -3], "ok": true}"#;

/// The same as printed: numbers that are not integers have a decimal point.
fn printed() -> serde_json::Value {
    serde_json::from_str(r#"{"utime": 5, "pos": [1.0, 2.5, -3.0], "ok": true}"#).unwrap()
}

/// The encoding of `JSON` by LCM's rules.
fn encoded(fingerprint: &str) -> String {
    let doubles = [1f64, 2.5, -3.0].map(|d| format!("{:016x}", d.to_bits())).concat();
    format!("{fingerprint}0000000000000005{doubles}01\n")
}

fn fingerprint(place: &Place, types: &str, name: &str) -> String {
    let shown = place.run(["types", "show", name, "-I", types, "--json"]).with(0);
    shown.json()[0]["fingerprint"].as_str().unwrap().to_owned()
}

#[test]
fn a_typed_message_is_encoded_as_lcm_does_and_read_by_anybody() {
    let (place, (_files, types)) = (Place::new(), types());
    place.run(["pub", "pose", "--type", "robot.pose_t", JSON, "-I", &types]).saying(0, "made channel");
    let hex = place.run(["echo", "pose", "--newest", "-n1", "--hex"]).with(0);
    assert_eq!(hex.text(), encoded(&fingerprint(&place, &types, "pose_t")));
    // The type is stored with the channel, so that reading needs no -I.
    let shown = place.run(["echo", "pose", "--newest", "-n1"]).with(0);
    for wanted in [": robot.pose_t\n", "\n  utime: 5\n", "\n  pos: [1, 2.5, -3]\n", "\n  ok: true\n"] {
        assert!(shown.text().contains(wanted), "{wanted:?}: {}", shown.text());
    }
    let line = &place.run(["echo", "pose", "--newest", "-n1", "--json"]).with(0).json()[0];
    assert_eq!((&line["type"], &line["encoding"]), (&"robot.pose_t".into(), &"lcm".into()));
    assert_eq!(line["value"], printed());
    assert_eq!((&line["seq"], &line["missed"], &line["size"]), (&1.into(), &0.into(), &41.into()));
    assert!(line.get("hex").is_none() && line.get("text").is_none(), "{line}");
    let hex = &place.run(["echo", "pose", "--newest", "-n1", "--json", "--hex"]).with(0).json()[0];
    assert!(hex["hex"].is_string() && hex.get("value").is_none(), "{hex}");
}

#[test]
fn pub_accepts_what_echo_prints() {
    let (place, (_files, types)) = (Place::new(), types());
    let path = r#"{"name": "größe \"x\"", "n": 2, "poses": [
        {"utime": -1, "pos": [0, 0, 1e300], "ok": false}, {"utime": 9007199254740993, "pos": [0.1, 0, 0], "ok": true}]}"#;
    place.run(["pub", "path", "--type", "path_t", path, "-I", &types]).with(0);
    let line = &place.run(["echo", "path", "--newest", "-n1", "--json"]).with(0).json()[0];
    // The channel has the type now.
    let input = format!("{}\n{}\n", line["value"], line["value"]);
    place
        .feed(["pub", "path", "--type", "path_t", "--lines"], input.as_bytes())
        .saying(0, "published 2 messages");
    let all = place.run(["echo", "path", "--start", "oldest", "-n3", "--hex"]).with(0);
    let lines: Vec<&str> = all.text().lines().collect();
    assert_eq!(lines, [lines[0]; 3]);
}

#[test]
fn the_plain_layout_is_read_too() {
    let (place, (_files, types)) = (Place::new(), types());
    place.run(["pub", "pose", "--type", "pose_t", "--plain", JSON, "-I", &types]).with(0);
    let line = &place.run(["echo", "pose", "--newest", "-n1", "--json"]).with(0).json()[0];
    assert_eq!((&line["type"], &line["encoding"]), (&"robot.pose_t".into(), &"plain".into()));
    assert_eq!(line["value"], printed());
    assert_eq!(line["size"], 8 + 40);
    place
        .run(["pub", "path", "--type", "path_t", "--plain", "{}", "-I", &types])
        .saying(1, "no plain layout");
}

#[test]
fn info_lists_the_types_and_show_prints_them() {
    let (place, (_files, types)) = (Place::new(), types());
    place.run(["pub", "pose", "--type", "pose_t", JSON, "-I", &types]).with(0);
    place.run(["pub", "pose", "--type", "pose_t", JSON, "-I", &types]).with(0);
    let info = &place.run(["info", "pose", "--json"]).with(0).json()[0];
    let described = info["types"].as_array().unwrap();
    assert_eq!(described.len(), 1, "said once: {info}");
    assert_eq!(described[0]["name"], "robot.pose_t");
    assert_eq!(described[0]["fingerprint"], fingerprint(&place, &types, "pose_t").as_str());
    assert_eq!(described[0]["encoding"], "lcm");
    let publisher = place.domain().open_channel("pose").unwrap().publisher().unwrap();
    publisher.describe("robot.pose_t", 1, POSE).unwrap();
    let words = place.run(["info", "pose"]).with(0);
    assert!(
        words.text().contains("robot.pose_t, fingerprint 0000000000000001, which its schema does not"),
        "{words:?}"
    );
    let shown = &place.run(["types", "show", "pose_t", "--channel", "pose", "--json"]).with(0).json()[0];
    assert_eq!(shown["fields"][1]["name"], "pos");
    place.run(["types", "show", "path_t", "--channel", "pose"]).saying(1, "robot.pose_t");
    // Without a name, all types.
    let all = place.run(["types", "show", "--channel", "pose", "--json"]).with(0).json();
    let names: Vec<_> = all.iter().map(|line| &line["name"]).collect();
    assert_eq!(names, ["robot.pose_t"]);
    place.run(["pub", "untyped", "x"]).with(0);
    place.run(["types", "show", "--channel", "untyped"]).saying(1, "no type is stored with this channel");
    place.run(["types", "show"]).with(2);
}

#[test]
fn a_reader_that_expects_another_type_gets_the_difference() {
    let (place, (files, types)) = (Place::new(), types());
    place.run(["pub", "pose", "--type", "pose_t", JSON, "-I", &types]).with(0);
    let newest = ["echo", "pose", "--newest", "-n1", "--type"];
    let echo = |arguments: &[&str]| place.run(newest.iter().chain(arguments).copied());
    echo(&["robot.pose_t"]).with(0);
    echo(&["pose_t", "-I", &types]).with(0);
    files.write(
        "other/pose.lcm",
        "package robot;\nstruct pose_t { int64_t utime; double position[3]; boolean ok; }",
    );
    let ended = echo(&["pose_t", "-I", &files.at("other")]).with(6);
    assert!(ended.err.contains("position") && ended.err.contains("pos"), "{ended:?}");
    echo(&["robot.path_t"]).saying(6, "robot.pose_t");
    place.run(["pub", "pose", "no type at all"]).with(0);
    echo(&["robot.pose_t"]).saying(6, "unknown type");
    place.run(["pub", "pose", "short"]).with(0);
    echo(&["robot.pose_t"]).saying(6, "5 bytes");
}

#[test]
fn an_unknown_type_is_shown_as_fingerprint_and_bytes() {
    let (place, (_files, types)) = (Place::new(), types());
    place.run(["pub", "pose", "--type", "pose_t", JSON, "-I", &types]).with(0);
    place.run(["pub", "pose", "--bytes", "0123456789abcdef 00ff"]).with(0);
    let shown = place.run(["echo", "pose", "--newest", "-n1"]).with(0);
    assert!(shown.text().contains("unknown type 0123456789abcdef, 10 bytes\n  00000000  01 23"), "{shown:?}");
    let line = &place.run(["echo", "pose", "--newest", "-n1", "--json"]).with(0).json()[0];
    assert_eq!(
        (&line["fingerprint"], &line["hex"]),
        (&"0123456789abcdef".into(), &"0123456789abcdef00ff".into())
    );
}

#[test]
fn bytes_that_only_begin_like_a_message_are_reported() {
    let (place, (_files, types)) = (Place::new(), types());
    place.run(["pub", "pose", "--type", "pose_t", JSON, "-I", &types]).with(0);
    let fingerprint = fingerprint(&place, &types, "pose_t");
    place.run(["pub", "pose", "--bytes", &format!("{fingerprint} 0000")]).with(0);
    let shown = place.run(["echo", "pose", "--newest", "-n1"]).with(0);
    assert!(shown.text().contains("robot.pose_t, but ") && shown.text().contains("10 bytes"), "{shown:?}");
    let line = &place.run(["echo", "pose", "--newest", "-n1", "--json"]).with(0).json()[0];
    assert!(line["error"].is_string() && line["hex"].is_string() && line["type"] == "robot.pose_t", "{line}");
}

#[test]
fn directories_explain_what_nobody_described() {
    let (place, (files, types)) = (Place::new(), types());
    let hex = encoded(&fingerprint(&place, &types, "pose_t"));
    place.run(["pub", "pose", "--bytes", hex.trim()]).with(0);
    assert!(place.run(["echo", "pose", "--newest", "-n1"]).with(0).text().contains(": 41 bytes\n"));
    files.write("types/broken.lcm", "struct broken_t { nonsense");
    let shown = place.run(["echo", "pose", "--newest", "-n1", "-I", &types]).with(0);
    assert!(shown.text().contains(": robot.pose_t\n"), "{shown:?}");
    assert!(shown.err.contains("broken.lcm"), "what is broken is told: {shown:?}");
}

#[test]
fn long_arrays_are_abbreviated_unless_asked() {
    let (place, files) = (Place::new(), Files::new());
    files.write("scan.lcm", "struct scan_t { int32_t n; float r[n]; }");
    let ranges: Vec<String> = (0..100).map(|n| n.to_string()).collect();
    let json = format!(r#"{{"n": 100, "r": [{}]}}"#, ranges.join(", "));
    place.run(["pub", "scan", "--type", "scan_t", &json, "-I", files.path().to_str().unwrap()]).with(0);
    let short = place.run(["echo", "scan", "--newest", "-n1"]).with(0);
    assert!(short.text().contains("100 elements") && !short.text().contains(", 99"), "{short:?}");
    let full = place.run(["echo", "scan", "--newest", "-n1", "--full"]).with(0);
    assert!(full.text().contains(&format!("[{}]", ranges.join(", "))), "{full:?}");
}

#[test]
fn json_that_does_not_fit_is_an_error_and_not_published() {
    let (place, (_files, types)) = (Place::new(), types());
    for (json, words) in [
        ("{", "not JSON"),
        (r#"{"utime": "x", "pos": [1, 2, 3], "ok": true}"#, "utime"),
        (r#"{"utime": 1, "pos": [1, 2], "ok": true}"#, "pos"),
        (r#"{"utime": 1, "pos": [1, 2, 3], "ok": true, "more": 1}"#, "more"),
    ] {
        place.run(["pub", "pose", "--type", "pose_t", json, "-I", &types]).saying(1, words);
    }
    place.run(["info", "pose"]).with(3);
    place.run(["pub", "pose", "--type", "pose_t", JSON]).saying(1, "-I");
    place.run(["pub", "pose", "--type", "nonsense_t", JSON, "-I", &types]).with(1);
    let input = format!("{JSON}\n{{\n{JSON}\n");
    let ended = place.feed(["pub", "pose", "--type", "pose_t", "--lines", "-I", &types], input.as_bytes());
    ended.saying(1, "line 2 of the input");
    assert_eq!(place.published("pose"), 1);
}

/// A channel of an older version stores no types.
#[test]
fn where_no_type_can_be_left_the_message_is_published_all_the_same() {
    let (place, (_files, types)) = (Place::new(), types());
    place.run(["mk", "pose"]).with(0);
    std::fs::remove_file(place.path().join("pose/types")).unwrap();
    place.run(["pub", "pose", "--type", "pose_t", JSON, "-I", &types]).saying(0, "published anyway");
    let shown = place.run(["echo", "pose", "--newest", "-n1", "-I", &types]).with(0);
    assert!(shown.text().contains(": robot.pose_t\n"), "{shown:?}");
}

/// A publisher may have stored any data.
#[test]
fn hostile_descriptions_do_no_harm() {
    let (place, (_files, types)) = (Place::new(), types());
    place.run(["mk", "pose"]).with(0);
    let channel = place.domain().open_channel("pose").unwrap();
    let publisher = channel.publisher().unwrap();
    let deep: String = (0..20_000).map(|n| format!("struct t{n} {{ t{} x; }} ", n + 1)).collect();
    for (name, schema) in [
        ("\x1b[31mred", "struct \x1b[31mred { int8_t x; }"),
        ("robot.pose_t", "package robot; struct pose_t { pose_t x; }"),
        ("t0", &format!("{deep} struct t20000 {{ int8_t x; }}")),
        ("nothing", ""),
        ("big_t", "struct big_t { double x[2147483647]; }"),
        ("long", &format!("struct {0} {{ y{0} field; }}", "x".repeat(40_000))),
        ("signs", &"!".repeat(100_000)),
    ] {
        publisher.describe(name, 7, schema).unwrap();
    }
    place.run(["pub", "pose", "--type", "pose_t", JSON, "-I", &types]).with(0);
    // Parsing these schemas takes long: each struct contains every other.
    let all = |s: &str| (0..16).map(|n| format!("{s}{n} m{n}[n];")).collect::<String>();
    for n in 0..80 {
        let tangle: String =
            (0..16).map(|m| format!("struct x{n}_{m} {{ int32_t n; {} }}", all(&format!("x{n}_")))).collect();
        publisher.describe(&format!("x{n}_0"), 7, &tangle).unwrap();
    }
    for line in [&["echo", "pose", "--newest", "-n1"][..], &["info", "pose"]] {
        let ended = place.run(line).with(0);
        assert!(ended.text().contains("robot.pose_t"), "{ended:?}");
        assert!(!ended.text().chars().any(|c| c.is_control() && c != '\n'), "{ended:?}");
    }
}

#[test]
fn a_channel_that_pub_makes_has_room_for_longer_messages_of_the_type() {
    let (place, (_files, types)) = (Place::new(), types());
    let size =
        |channel: &str| place.run(["info", channel, "--json"]).with(0).json()[0]["max_message_size"].clone();
    let publish = |channel: &str, ty: &str, json: &str, more: &[&str]| {
        place.run(["pub", "-q", channel, "--type", ty, json, "-I", &types].iter().chain(more).copied())
    };
    publish("pose", "pose_t", JSON, &[]).with(0);
    assert_eq!(size("pose"), 512, "each is as long as the next");
    publish("path", "path_t", "{}", &[]).with(0);
    assert_eq!(size("path"), 4096, "a path may become longer");
    let long = format!(r#"{{"name": "{}"}}"#, "x".repeat(5000));
    publish("long", "path_t", &long, &[]).with(0);
    assert_eq!(size("long"), 20_096);
    publish("chosen", "path_t", "{}", &["--max-size", "64K"]).with(0);
    assert_eq!(size("chosen"), 65_536);
    publish("other", "path_t", "{}", &["--max-size", "64K", "--no-create"]).with(2);
}

#[test]
fn echo_reports_that_the_channel_has_other_types_than_expected() {
    let (place, (_files, types)) = (Place::new(), types());
    place.run(["pub", "-q", "pose", "--type", "pose_t", JSON, "-I", &types]).with(0);
    let waits = ["echo", "pose", "--type", "nosuch_t", "--timeout", "10ms"];
    let reported = place.run(waits).saying(4, "the channel has no type `nosuch_t`");
    assert!(reported.err.contains("robot.pose_t"), "{reported:?}");
    let right = place.run(["echo", "pose", "--type", "pose_t", "--timeout", "10ms"]).with(4);
    assert!(!right.err.contains("has no type"), "{right:?}");
}

/// A terminal treats U+009B like ESC [.
#[test]
fn nothing_that_a_terminal_obeys_is_in_the_json() {
    let (place, (_files, types)) = (Place::new(), types());
    let evil = "{\"name\": \"a\u{9b}31m\u{7f}b\"}";
    place.run(["pub", "-q", "path", "--type", "path_t", evil, "-I", &types]).with(0);
    place.run(["pub", "-q", "text", "a\u{9b}31m\u{7f}b"]).with(0);
    for channel in ["path", "text"] {
        let shown = place.run(["echo", channel, "--newest", "-n1", "--json"]).with(0);
        assert!(!shown.text().chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
        let line = &shown.json()[0];
        let said = if channel == "path" { &line["value"]["name"] } else { &line["text"] };
        assert_eq!(said, "a\u{9b}31m\u{7f}b");
    }
}

#[test]
fn types_of_the_variable_are_known_in_every_command() {
    let (place, files) = (Place::new(), Files::new());
    files.write("types/robot.lcm", "package robot;\nstruct known_t { int64_t n; }\n");
    let (types, log) = (files.at("types"), files.at("a.lcmlog"));
    let with = |arguments: &[&str]| {
        let variable = format!("/nowhere::{types}");
        Running::start(place.command(arguments.iter().copied()).env("SALTUS_TYPES", variable)).ended()
    };
    let hex = {
        with(&["pub", "typed", "--type", "robot.known_t", r#"{"n": 9007199254740993}"#, "-q"]).with(0);
        place.run(["echo", "typed", "--newest", "-n1", "-q", "--hex"]).with(0).text().trim().to_owned()
    };
    place.run(["pub", "plain", "--bytes", &hex, "-q"]).with(0);
    let row = with(&["echo", "plain", "--newest", "-n1", "--json"]).with(0);
    assert!(row.err.contains("warning: SALTUS_TYPES: `/nowhere` is not a directory"), "{}", row.err);
    assert_eq!(row.json()[0]["type"], "robot.known_t");
    assert_eq!(row.json()[0]["value"]["n"], "9007199254740993", "{row:?}");
    with(&["echo", "plain", "--newest", "-n1", "--type", "known_t"]).with(0);
    place.run(["record", "plain", "--start", "oldest", "-n", "1", "-q", "-o", &log]).with(0);
    let info = &with(&["log", "info", &log, "--json"]).with(0).json()[0];
    let types = info["channels"].as_array().unwrap().iter().find(|row| row["channel"] == "plain");
    assert_eq!(types.unwrap()["type"], "robot.known_t", "{info}");
    assert!(!with(&["log", "info", &log]).with(0).err.contains("unknown type"));

    // Without it, the remedy is printed once.
    for line in [&["echo", "plain", "--newest", "-n1"][..], &["log", "info", &log]] {
        let ended = place.run(line.iter().copied()).saying(0, "unknown type");
        let reported = ended.err.lines().filter(|line| line.contains("-I or $SALTUS_TYPES")).count();
        assert_eq!(reported, 1, "{}", ended.err);
    }
    let mcap = files.at("a.mcap");
    place.run(["log", "convert", &log, "-o", &mcap]).saying(0, "unknown type on 1 channel");
    let known = with(&["log", "convert", &log, "-o", &mcap, "-f"]).with(0);
    assert!(!known.err.contains("unknown type"), "{}", known.err);
}

#[test]
fn stamps_survive_programs_that_keep_numbers_as_doubles() {
    let (place, files) = (Place::new(), Files::new());
    let log = files.at("a.lcmlog");
    place.run(["pub", "imu", "x", "-q"]).with(0);
    place.run(["record", "--start", "oldest", "-n", "1", "-q", "-o", &log]).with(0);
    fn timestamps<'a>(value: &'a Value, name: &str, found: &mut Vec<(String, &'a Value)>) {
        match value {
            Value::Object(all) => all.iter().for_each(|(name, value)| timestamps(value, name, found)),
            Value::Array(all) => all.iter().for_each(|value| timestamps(value, name, found)),
            value => found.push((name.to_owned(), value)),
        }
    }
    const TIMESTAMPS: [&str; 7] =
        ["timestamp", "logged", "arrived", "first", "last", "created", "last_timestamp"];
    let mut checked = 0;
    for line in [
        &["echo", "imu", "--newest", "-n1", "--json"][..],
        &["echo", "-e", "imu", "--newest", "-n1", "--json"],
        &["info", "imu", "--json"],
        &["ls", "-l", "--json"],
        &["stat", "-n1", "-i", "50ms", "--json"],
        &["spy", "--once", "-i", "100ms", "--json"],
        &["log", "info", &log, "--json"],
        &["log", "cat", &log, "--json"],
    ] {
        let ended = place.run(line.iter().copied()).with(0);
        for row in ended.json() {
            let mut found = Vec::new();
            timestamps(&row, "", &mut found);
            for (name, value) in found {
                // A double represents every whole number up to 2^53.
                let whole = value.as_u64().or(value.as_i64().map(i64::unsigned_abs));
                assert!(whole.is_none_or(|n| n <= 1 << 53), "{line:?} {name}: {value}");
                if TIMESTAMPS.contains(&&*name) && !value.is_null() {
                    let text = value.as_str().unwrap_or_else(|| panic!("{line:?} {name}: {value}"));
                    assert!(text.split_once('.').is_some_and(|(_, part)| part.len() == 9), "{name}: {text}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked >= 9, "{checked} timestamps");
}
