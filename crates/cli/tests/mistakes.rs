//! Mistakes on the command line: each gives one sentence with the error and a remedy, the same in every command.

mod support;

use support::{Ended, Place, files::Files};

/// Runs a command line, and expects this exit code, and one line with these words.
#[track_caller]
fn refused(place: &Place, line: &str, code: i32, words: &str) {
    let ended = place.run(line.split(' ')).saying(code, words);
    assert_eq!(ended.err.lines().count(), 1, "{line}: {}", ended.err);
    assert!(!ended.err.contains("to pass '") && !ended.err.contains("received 0"), "{line}: {}", ended.err);
}

#[test]
fn a_channel_that_does_not_exist_is_named_with_the_one_that_may_be_meant() {
    let place = Place::new();
    place.run(["pub", "imu", "x", "-q"]).with(0);
    for line in [
        "echo ium",
        "echo ium --newest -n 1",
        "rm ium",
        "info ium",
        "stat ium -n 1",
        "ls ium",
        "chmod 600 ium",
        "pub ium x --no-create",
        "types show --channel ium",
    ] {
        refused(&place, line, 3, "no channel `ium` in ");
        refused(&place, line, 3, "did you mean `imu`?");
        refused(&place, &line.replace("ium", "nothing"), 3, "`nothing` in ");
        refused(&place, &line.replace("ium", "nothing"), 3, ": `saltus ls` lists all channels");
    }
    refused(&place, "echo *", 3, "a name, not a pattern; `saltus echo -e REGEX` prints several channels");
}

#[test]
fn a_channel_that_never_appears_is_reported_at_start_and_end_of_recording() {
    let (place, files) = (Place::new(), Files::new());
    place.run(["pub", "imu", "x", "-q"]).with(0);
    let record = |names: &[&str], out: &str| {
        let more = ["--duration", "200ms", "--start", "oldest", "-o", &files.at(out)].map(str::to_owned);
        let arguments = ["record"].iter().chain(names).map(|word| (*word).to_owned());
        place.run(arguments.chain(more))
    };
    let ended = record(&["ium"], "a.mcap").with(3);
    let lines: Vec<&str> = ended.err.lines().filter(|line| line.contains("did you mean `imu`?")).collect();
    assert_eq!(lines.len(), 2, "{}", ended.err);
    assert!(lines[0].starts_with("saltus: warning: ") && lines[0].ends_with("; waiting for it"), "{lines:?}");
    record(&["imu", "nothing*"], "b.mcap").saying(3, "matches `nothing*`");
    record(&["imu"], "c.mcap").with(0);
    record(&["-v", "ium"], "d.mcap").with(0);

    // A channel that appears during the recording is not an error.
    let running = place.start(["record", "late", "-n", "1", "-o", &files.at("e.mcap")]);
    support::until("the file", || files.names().contains(&"e.mcap".to_owned()));
    let publisher = place.start(["pub", "late", "x", "-r", "50", "-q"]);
    running.ended().with(0);
    publisher.signal(libc::SIGINT);
    publisher.ended().with(0);
}

#[test]
fn verbs_of_other_tools_lead_to_ours() {
    let place = Place::new();
    for (verb, ours) in [
        ("topic", "`saltus ls`"),
        ("topic list", "`saltus ls`"),
        ("list", "`saltus ls`"),
        ("hz", "`saltus stat`"),
        ("top", "`saltus spy`"),
        ("plot", "`saltus spy`"),
        ("watch", "`saltus spy`"),
        ("cat", "`saltus echo` or `saltus log cat`"),
        ("bag", "`saltus record`, `saltus play` or `saltus log`"),
        ("dump", "`saltus info` or `saltus log cat`"),
        ("recordx", "`saltus record`"),
        ("log convertx", "`saltus log convert`"),
    ] {
        refused(&place, verb, 2, &format!("did you mean {ours}?"));
    }
    refused(&place, "xyzzy", 2, "unknown command `xyzzy`: `saltus --help` lists all commands");
}

#[test]
fn options_of_habit_lead_to_ours() {
    let place = Place::new();
    for (line, words) in [
        ("echo imu --once", "unknown option `--once` of `saltus echo`: did you mean `-n 1`?"),
        ("echo imu -1", "did you mean `-n 1`?"),
        ("echo imu gps", "it takes one name; `-e REGEX` selects several channels"),
        ("mk a -1", "did you mean `--if-missing`?"),
        ("mk a -n 10", "did you mean `--depth`?"),
        ("mk a --frames 10", "did you mean `--depth`?"),
        ("play x --repeat", "did you mean `--loop`?"),
        ("record -c A", "did you mean `--regex`?"),
        ("record -s", "did you mean `--strftime`?"),
        ("demo --seconds 5", "did you mean `--duration`?"),
        ("log filter a b", "unexpected argument `b` of `saltus log filter`: did you mean `-o b`?"),
        ("echo imu --newst", "did you mean `--newest`?"),
        ("ls --xyzzy", "`saltus ls --help` lists the options of `saltus ls`"),
        ("gen --domain shm:// x", "`saltus gen --help` lists the options"),
    ] {
        if cfg!(feature = "demo") || !line.starts_with("demo") {
            refused(&place, line, 2, words);
        }
    }
    place.run(["pub", "imu", "hello", "-r", "-5"]).saying(2, "expected a rate");
    place.run(["echo", "imu", "-n", "-5"]).saying(2, "expected a whole number, 1 or more");
    place.run(["--domain", "shm://x", "gen", "--lang", "c", "x.lcm"]).saying(2, "does not use --domain");
}

#[test]
fn a_time_without_a_unit_is_seconds_in_every_command() {
    let place = Place::new();
    place.run(["pub", "imu", "x", "-q"]).with(0);
    place.run(["echo", "imu", "--timeout", "0.05"]).saying(4, "within 50ms");
    place.run(["echo", "imu", "--duration", "0.05"]).saying(0, "received 0");
    place.run(["stat", "-i", "0.05", "--duration", "0.3"]).with(0);
}

/// Missing files, in each command that reads files.
fn readers(place: &Place, path: &str) -> Vec<(&'static str, Ended)> {
    let out = place.path().with_extension("out.mcap").display().to_string();
    let run = |line: &str| {
        place.run(
            line.split(' ').map(|word| word.replace("FILE", path).replace("OUT", &out)).collect::<Vec<_>>(),
        )
    };
    [
        "log info FILE",
        "log cat FILE",
        "log filter FILE -o OUT",
        "log cut FILE -o OUT --from 1",
        "log convert FILE -o OUT",
        "log repair FILE -o OUT",
        "log merge FILE -o OUT",
        "log export FILE --format csv",
        "import carmen FILE -o OUT",
        "play FILE",
        "serve --foxglove FILE",
        "spy --web --play FILE",
        "report FILE",
        "pub imu --file FILE",
        "gen --lang c FILE",
        "types check FILE",
        "types show pose_t -I FILE",
        "tunnel listen 127.0.0.1:0 --key FILE",
    ]
    .map(|line| (line, run(line)))
    .into()
}

#[test]
fn a_missing_file_is_the_same_sentence_in_every_command() {
    let place = Place::new();
    for (line, ended) in readers(&place, "/nowhere/x") {
        let sentence = "saltus: cannot read `/nowhere/x`: no such file or directory; ";
        assert!(ended.code == Some(1) && ended.err.starts_with(sentence), "{line}: {ended:?}");
        assert_eq!(ended.err.lines().count(), 1, "{line}: {}", ended.err);
    }
}

#[test]
fn an_output_that_exists_is_the_same_sentence_in_every_command() {
    let (place, files) = (Place::new(), Files::new());
    let log = files.at("a.lcmlog");
    place.run(["pub", "imu", "x", "-q"]).with(0);
    place.run(["record", "--start", "oldest", "-n", "1", "-q", "-o", &log]).with(0);
    let hgrm = files.at("a.hlog");
    place.run(["hiccup", "--duration", "50ms", "-q", "-o", &hgrm]).with(0);
    for name in ["b.mcap", "b.csv", "b.html", "b.hlog"] {
        files.write(name, "precious");
    }
    let (mcap, csv, html, hlog) =
        (files.at("b.mcap"), files.at("b.csv"), files.at("b.html"), files.at("b.hlog"));
    for (line, out) in [
        (&["record", "-o", &mcap][..], &mcap),
        (&["log", "filter", &log, "-o", &mcap], &mcap),
        (&["log", "cut", &log, "--from", "0", "-o", &mcap], &mcap),
        (&["log", "convert", &log, "-o", &mcap], &mcap),
        (&["log", "repair", &log, "-o", &mcap], &mcap),
        (&["log", "merge", &log, "-o", &mcap], &mcap),
        (&["log", "export", &log, "-o", &csv], &csv),
        (&["import", "carmen", &log, "-o", &mcap], &mcap),
        (&["report", &hgrm, "-o", &html], &html),
        (&["hiccup", "--duration", "50ms", "-o", &hlog], &hlog),
        (&["stat", "--latency", "--duration", "50ms", "-o", &hlog], &hlog),
    ] {
        let ended = place.run(line.iter().copied()).with(1);
        let sentence = format!("saltus: `{out}` exists: choose another name, or overwrite it with --force\n");
        assert_eq!(ended.err, sentence, "{line:?}");
    }
    for name in ["b.mcap", "b.csv", "b.html", "b.hlog"] {
        assert_eq!(files.read(name), b"precious", "{name}");
    }
}

#[test]
fn no_message_has_a_number_of_the_system() {
    let (place, files) = (Place::new(), Files::new());
    place.run(["pub", "imu", "x", "-q"]).with(0);
    let wrong = files.write("wrong.lcm", "struct a_t { nosuch_t x; }");
    let mut all: Vec<(String, Ended)> = Vec::new();
    for path in ["/nowhere/x", "/proc/self/mem", "/dev/null/x", files.at("").trim_end_matches('/')] {
        all.extend(readers(&place, path).into_iter().map(|(line, ended)| (format!("{line} {path}"), ended)));
    }
    for line in [
        "record -o /dev/null/x.mcap",
        "record -o /proc/nowhere/x.mcap",
        "man -o /dev/null/x",
        "gen --lang c -o /dev/null/x WRONG",
        "types check WRONG",
        "ls --domain shm:///nowhere/x",
        "pub x y --domain shm:///nowhere/x",
        "mk x --domain shm:///proc/x",
        "mk huge --max-size 1G --depth 1000000",
        "hub --listen 192.0.2.1:1",
        "serve --foxglove --listen 192.0.2.1:1",
        "spy --web --listen 192.0.2.1:1",
        "spy --web --views /nowhere",
        "ls --domain zmq:///nowhere/x",
        "ls --domain file:///nowhere/x",
        "ls --domain udpm://239.255.76.67:0",
        "ls --domain tcpq://192.0.2.1:1?timeout=1ms",
        "bridge file:///nowhere/x shm://",
        "hiccup --duration 1ms -o /dev/null/x",
        "hiccup --duration 1 -- /nowhere/x",
        "report /dev/null -o /dev/null/x.html",
        "stat --latency --duration 1ms -o /dev/null/x",
        "log export /dev/null -o /dev/null/x.csv",
        "import carmen /dev/null -o /dev/null/x",
        "tunnel connect 192.0.2.1:x --key /dev/null",
        "completions nosuch",
    ] {
        let words: Vec<String> = line.split(' ').map(|word| word.replace("WRONG", &wrong)).collect();
        all.push((line.to_owned(), place.run(words)));
    }
    for (line, ended) in &all {
        let text = format!("{}{}", ended.err, String::from_utf8_lossy(&ended.out));
        assert!(!text.contains("os error"), "{line}: {text}");
        assert!(!text.contains("Os {") && !text.contains("kind:"), "{line}: {text}");
    }
    let failed = all.iter().filter(|(_, ended)| ended.code != Some(0)).count();
    assert!(failed > 60, "{failed} mistakes of {}", all.len());
}

#[test]
fn a_diagnostic_of_a_line_of_a_megabyte_is_bounded() {
    let (place, files) = (Place::new(), Files::new());
    let long = "x".repeat(1 << 20);
    let file = files.write("long.lcm", format!("struct a_t {{ nosuch_t {long}; }}"));
    for command in [&["types", "check", &file][..], &["gen", "--lang", "c", &file, "--dry-run"]] {
        let ended = place.run(command.iter().copied()).with(1);
        assert!(ended.out.len() + ended.err.len() < 20_000, "{}", ended.out.len() + ended.err.len());
    }
    let ended = place.feed(["pub", "imu", "--lines"], long.as_bytes());
    assert!(ended.err.len() < 20_000, "{}", ended.err.len());
}

#[test]
fn the_recorder_reports_created_directories() {
    let (place, files) = (Place::new(), Files::new());
    let out = files.at("new/directory/x.mcap");
    place.run(["record", "--duration", "50ms", "-o", &out]).saying(0, "made the directory");
    let ended = place.run(["record", "--duration", "50ms", "-f", "-o", &out]).with(0);
    assert!(!ended.err.contains("made the directory"), "{}", ended.err);
}

#[test]
fn without_channels_the_spy_shows_what_to_type() {
    let place = Place::new();
    refused(&place, "ls", 0, "no channels yet in ");
    refused(&place, "ls", 0, "try `saltus pub hello hi -r 1`");
    refused(&place, "ls --domain shm://nobody-was-here", 0, "-r 1 --domain shm://nobody-was-here`");
    place.run(["mk", "imu"]).with(0);
    place.run(["rm", "imu"]).with(0);
    refused(&place, "ls", 0, "no channels yet in ");
}
