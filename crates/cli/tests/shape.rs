//! mk, rm, ls, info, chmod and sweep: the configuration of channels.

mod support;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use support::Place;

/// Names that break careless tools: slashes, blanks, dots, pattern characters, control bytes, not UTF-8, the longest.
fn weird_names() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = [
        "/scan",
        "robot/arm.left",
        ".hidden",
        "..",
        "a b",
        "50%",
        "%41",
        "x*[y]?",
        "back\\slash",
        "größe",
        "-n",
        "~",
    ]
    .map(|name| name.as_bytes().to_vec())
    .into();
    names.push(b"line\nfeed".to_vec());
    names.push(b"\x1b[31mred".to_vec());
    names.push(b"\xff\xfe".to_vec());
    names.push(b"\x01".to_vec());
    names.push(vec![b'n'; 63]);
    names.push(vec![0xf0; 63]);
    names
}

#[test]
fn mk_makes_what_was_asked_for() {
    let place = Place::new();
    place
        .run(["mk", "imu", "--depth", "20", "--max-size", "2K", "--mode", "660", "--reserve-publishers", "2"])
        .with(0);
    let info = &place.run(["info", "imu", "--json"]).with(0).json()[0];
    assert_eq!(info["channel"], "imu");
    assert_eq!(info["depth"], 20);
    assert_eq!(info["max_message_size"], 2048);
    assert_eq!(info["mode"], "660");
    assert!(info["memory"].as_u64().unwrap() > 20 * 2048, "{info}");
}

#[test]
fn mk_keeps_or_replaces_only_on_request() {
    let place = Place::new();
    place.run(["mk", "imu"]).with(0);
    place.run(["mk", "imu"]).saying(1, "--if-missing");
    place.run(["mk", "imu", "--if-missing"]).with(0);
    place.run(["mk", "imu", "--if-missing", "--max-size", "1M"]).saying(0, "is unchanged");
    place.run(["mk", "imu", "--replace", "--max-size", "1K"]).with(0);
    assert_eq!(place.run(["info", "imu", "--json"]).with(0).json()[0]["max_message_size"], 1024);
    place.run(["mk", "new", "--replace"]).with(0);
    place.run(["mk", "imu", "--replace", "--if-missing"]).with(2);
}

#[test]
fn a_mode_its_owner_could_not_use_is_refused() {
    let place = Place::new();
    for mode in ["444", "066", "000", "8", "1777"] {
        let ended = place.run(["mk", "imu", "--mode", mode]).with(2);
        assert!(ended.err.contains("mode"), "{ended:?}");
    }
    place.run(["ls", "imu"]).with(3);
    place.run(["mk", "imu"]).with(0);
    place.run(["chmod", "444", "imu"]).with(2);
}

#[test]
fn any_name_of_1_to_63_bytes_works() {
    let place = Place::new();
    let names = weird_names();
    for name in &names {
        let name = OsStr::from_bytes(name);
        place.run([OsStr::new("mk"), OsStr::new("--"), name]).with(0);
        place.run([OsStr::new("pub"), OsStr::new("--"), name, OsStr::new("hello")]).with(0);
        let echo = ["echo", "--newest", "-n1", "--raw", "--"].map(OsStr::new);
        assert_eq!(place.run(echo.into_iter().chain([name])).with(0).out, b"hello");
    }
    let listed = place.run(["ls"]).with(0);
    assert_eq!(listed.text().lines().count(), names.len(), "a line for each name: {listed:?}");
    assert!(!listed.text().chars().any(|c| c.is_control() && c != '\n'), "no control bytes: {listed:?}");
    for shown in listed.text().lines() {
        let info = &place.run(["info", "--json", "--", shown]).with(0).json();
        assert_eq!(info.len(), 1, "{shown} is one channel");
        assert_eq!(info[0]["channel"], shown, "what is printed means the channel");
    }
    place
        .run(
            [b"rm".as_slice(), b"--"]
                .into_iter()
                .chain(names.iter().map(|n| n.as_slice()))
                .map(OsStr::from_bytes),
        )
        .with(0);
    assert_eq!(place.run(["ls"]).with(0).text(), "");
}

#[test]
fn a_name_that_cannot_be_is_a_usage_error() {
    let place = Place::new();
    place.run(["mk", ""]).with(2);
    place.run(["mk", &"n".repeat(64)]).saying(2, "63");
    place.run(["pub", &"n".repeat(64), "x"]).with(2);
}

#[test]
fn names_are_listed_escaped_and_json_too() {
    let place = Place::new();
    place.run([OsStr::new("mk"), OsStr::from_bytes(b"a\\b\n\xff")]).with(0);
    assert_eq!(place.run(["ls"]).with(0).text(), "a\\\\b\\n\\xFF\n");
    assert_eq!(place.run(["ls", "--json"]).with(0).json()[0]["channel"], "a\\\\b\\n\\xFF");
}

#[test]
fn patterns_mean_the_same_in_all_commands() {
    let place = Place::new();
    for name in ["robot/arm", "robot/leg", "imu", "im*"] {
        place.run(["mk", name]).with(0);
    }
    let listed = |pattern: &str| -> Vec<String> {
        let names = |command: &[&str]| -> Vec<String> {
            let ended = place.run(command.iter().copied().chain(["--json", pattern])).with(0);
            ended.json().iter().map(|line| line["channel"].as_str().unwrap().to_owned()).collect()
        };
        let ls = names(&["ls"]);
        assert_eq!(ls, names(&["info"]), "info and ls agree about {pattern}");
        assert_eq!(ls, names(&["stat", "-n1", "-i50ms"]), "stat and ls agree about {pattern}");
        ls
    };
    assert_eq!(listed("robot*"), ["robot/arm", "robot/leg"]);
    assert_eq!(listed("[ij]m?"), ["im*", "imu"]);
    assert_eq!(listed("im*"), ["im*"], "an exact name comes first");
    assert_eq!(listed("im\\*"), ["im*"]);
    place.run(["chmod", "600", "robot/*"]).with(0);
    assert_eq!(
        place.run(["info", "--json", "*"]).with(0).json().iter().filter(|i| i["mode"] == "600").count(),
        2
    );
    place.run(["rm", "*g", "robot*"]).with(0);
    assert_eq!(place.run(["ls"]).with(0).text(), "im*\nimu\n");
}

#[test]
fn a_missing_channel_is_exit_code_3_in_all_commands() {
    let place = Place::new();
    for _ in 0..2 {
        for command in [&["rm"][..], &["ls"], &["info"], &["stat", "-n1"], &["chmod", "600"], &["echo"]] {
            place.run(command.iter().copied().chain(["nothing"])).saying(3, "nothing");
        }
        place.run(["pub", "nothing", "x", "--no-create"]).saying(3, "nothing");
        place.run(["rm", "no*"]).saying(3, "matches");
        place.run(["rm", "-f", "nothing", "no*"]).with(0);
        // The same again in a domain that exists.
        place.run(["mk", "other"]).with(0);
        place.run(["rm", "other"]).with(0);
    }
}

#[test]
fn rm_goes_on_after_what_is_not_there() {
    let place = Place::new();
    place.run(["mk", "a"]).with(0);
    place.run(["mk", "b"]).with(0);
    place.run(["rm", "a", "nothing", "b"]).saying(3, "nothing");
    assert_eq!(place.run(["ls"]).with(0).text(), "");
}

#[test]
fn an_empty_domain_is_no_error() {
    let place = Place::new();
    assert_eq!(place.run(["ls"]).with(0).text(), "");
    assert_eq!(place.run(["sweep"]).with(0).text(), "0 leftovers removed\n");
    assert!(!place.path().exists(), "looking makes nothing");
}

#[test]
fn ls_shows_the_participants() {
    let place = Place::new();
    place.run(["mk", "imu"]).with(0);
    place.run(["pub", "imu", "one", "-n3"]).with(0);
    let echo = place.start(["echo", "imu"]);
    place.until_subscribed("imu", 1);
    let long = &place.run(["ls", "-l", "--json"]).with(0).json()[0];
    assert_eq!(long["published"], 3);
    assert_eq!(long["publishers"], 0, "the publisher is gone: {long}");
    assert_eq!(long["subscribers"], 1);
    let table = place.run(["ls", "-l"]).with(0);
    assert!(table.text().starts_with("MODE"), "{table:?}");
    assert!(table.text().lines().nth(1).is_some_and(|line| line.ends_with("imu")), "{table:?}");
    echo.signal(libc::SIGINT);
    echo.ended().with(0);
}

#[test]
fn info_lists_publishers_and_subscribers_by_process() {
    let place = Place::new();
    let publisher = place.start(["pub", "imu", "hello", "-r", "50"]);
    place.until_published("imu", 1);
    let echo = place.start(["echo", "imu"]);
    place.until_subscribed("imu", 1);
    let info = &place.run(["info", "imu", "--json"]).with(0).json()[0];
    assert_eq!(info["publishers"][0]["pid"], publisher.id());
    assert_eq!(info["publishers"][0]["process"], "saltus");
    assert_eq!(info["publishers"][0]["alive"], true);
    assert_eq!(info["subscribers"][0]["pid"], echo.id());
    let words = place.run(["info", "imu"]).with(0);
    assert!(words.text().contains(&format!("pid {}", echo.id())), "{words:?}");
    publisher.signal(libc::SIGTERM);
    publisher.ended().with(0);
    echo.signal(libc::SIGTERM);
    echo.ended().with(0);
}

#[test]
fn sweep_removes_what_the_dead_left_and_nothing_else() {
    let place = Place::new();
    place.run(["pub", "imu", "kept"]).with(0);
    let echo = place.start(["echo", "imu"]);
    place.until_subscribed("imu", 1);
    echo.signal(libc::SIGKILL);
    assert_eq!(echo.ended().code, None);
    assert_eq!(place.run(["sweep"]).with(0).text(), "1 leftover removed\n");
    assert_eq!(place.run(["sweep", "--json"]).with(0).json()[0]["removed"], 0);
    assert_eq!(place.run(["echo", "imu", "--newest", "-n1", "--raw"]).with(0).out, b"kept");
}

#[test]
fn an_impossible_domain_is_reported_in_words() {
    let place = Place::new();
    for url in ["nonsense", "udpm://", "shm:///etc", "shm://a/b"] {
        let ended = place.run(["--domain", url, "mk", "imu"]);
        assert!(matches!(ended.code, Some(1 | 2)), "{url}: {ended:?}");
        assert!(ended.err.starts_with("saltus: "), "{url}: {ended:?}");
    }
}

#[test]
fn the_option_stands_before_the_variable_and_anywhere() {
    let (place, other) = (Place::new(), Place::new());
    place.run(["mk", "imu", "--domain", &other.url()]).with(0);
    place.run(["--domain", &other.url(), "ls", "imu"]).with(0);
    place.run(["ls", "imu"]).with(3);
    other.run(["ls", "imu"]).with(0);
}

#[test]
fn a_missing_domain_is_reported() {
    let place = Place::new();
    let url = place.url();
    for command in [&["ls"] as &[&str], &["ls", "-l", "--json"], &["stat", "-n1", "-i", "34ms"]] {
        let ended = place.run(command.iter().copied()).saying(0, "no channels yet in");
        assert!(ended.err.contains(&url), "{ended:?}");
    }
    place.run(["pub", "-q", "x", "y"]).with(0);
    assert_eq!(place.run(["ls"]).with(0).err, "");
}
