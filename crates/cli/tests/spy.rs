//! `saltus spy` in a real terminal: tmux draws, the test reads the screen.

mod support;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use support::terminal::Terminal;
use support::{Place, Running, until};

/// Files of a test, removed with its domain.
fn files(place: &Place) -> PathBuf {
    let directory = place.path().join(".test");
    fs::create_dir_all(&directory).expect("a directory of its own");
    directory
}

const TYPES: &str = "package robot;
// Where the robot is.
struct pose_t {
    int64_t utime;      // microseconds
    double position[3]; // [m] in the map
    double theta;       // Heading, radians.
    int32_t n;
    float ranges[n];    // metres
}
";

/// Publishes 50 poses per second until it is dropped.
fn poses(place: &Place) -> Running {
    let directory = files(place);
    fs::write(directory.join("robot.lcm"), TYPES).expect("room for a file");
    let include = directory.to_str().expect("a path of letters");
    let mut command =
        place.command(["pub", "POSE", "--type", "robot.pose_t", "-I", include, "--lines", "-r", "50"]);
    let mut running =
        Running::start(command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()));
    let mut input = running.input();
    std::thread::spawn(move || {
        let ranges: Vec<f64> = (0..200).map(|i| f64::from(i) * 0.25).collect();
        // Until the publisher is killed.
        for i in 0u64.. {
            let theta = (i as f64 / 20.0).sin();
            let line = serde_json::json!({
                "utime": i, "position": [i, -1.5, 0], "theta": theta, "n": 200, "ranges": ranges
            });
            if writeln!(input, "{line}").is_err() {
                return;
            }
        }
    });
    running
}

/// The lines of the table: those that begin with a mark.
fn rows(screen: &str) -> Vec<&str> {
    screen.lines().filter(|line| line.starts_with(['●', '○', '!'])).collect()
}

#[test]
fn rows_are_sorted_and_filtered_fields_seen_and_plotted_and_the_terminal_given_back() {
    let place = Place::new();
    let _poses = poses(&place);
    place.run(["pub", "alpha", "once", "--quiet"]).with(0);
    let terminal = Terminal::new(&place, &files(&place), (80, 24), "spy");

    let seen = |screen: &str| {
        rows(screen).len() == 2
            && rows(screen)
                .iter()
                .any(|row| row.starts_with('●') && row.contains("robot.pose_t") && row.contains(" Hz"))
            && rows(screen).iter().any(|row| row.starts_with('○') && row.contains("alpha"))
    };
    let table = terminal.until("two channels, of which one is stale", seen);
    assert!(rows(&table)[0].contains("alpha"), "sorted by name at first\n{table}");
    assert!(table.contains("2 channels · 1 stale") && table.contains("CHANNEL↑"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");

    // The type, then the rate.
    terminal.press(&["Right", "Right"]);
    terminal.until("sorted by rate", |s| {
        s.contains("RATE↓") && rows(s)[0].contains("POSE") && rows(s)[1].contains("alpha")
    });
    terminal.press(&["r"]);
    terminal.until("the other way round", |s| s.contains("RATE↑") && rows(s)[0].contains("alpha"));

    terminal.press(&["/"]);
    terminal.press(&["-l", "pose !alpha"]);
    terminal.press(&["Enter"]);
    terminal.until("filtered", |s| {
        s.contains("1 of 2 channels") && rows(s).len() == 1 && rows(s)[0].contains("POSE")
    });

    terminal.press(&["Enter"]);
    let tree = terminal.until("the fields", |s| s.contains("theta") && s.contains("▸ ranges"));
    let line = |name: &str| tree.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    assert!(line("utime").contains("µs") && line("theta").contains("rad  Heading"), "{tree}");
    assert!(line("▾ position").contains("double[3]") && line("[1]").contains("-1.5 m"), "{tree}");
    assert!(line("▸ ranges").contains("200, 0 to 49.75"), "{tree}");
    assert!(tree.contains("Where the robot is."), "{tree}");

    // Up from the last line: n, theta.
    terminal.press(&["G", "Up", "Up", "p"]);
    let plot =
        terminal.until("a plot", |s| s.contains("━━ POSE:theta") && s.contains("rad") && s.contains("0 s"));
    assert!(plot.contains("-10 s"), "{plot}");
    let braille = |s: &str| s.chars().filter(|c| ('\u{2801}'..='\u{28ff}').contains(c)).count();
    terminal.until("a line in it", |s| braille(s) > 20);
    terminal.press(&["o", "+"]);
    terminal
        .until("the plot alone, of half the time", |s| s.contains("plot · 1 number") && !s.contains("-10 s"));
    terminal.press(&["e"]);
    terminal.until("the file", |s| s.contains("wrote saltus-spy-1.csv"));
    let csv = fs::read_to_string(files(&place).join("saltus-spy-1.csv")).unwrap();
    assert!(csv.starts_with("time_s,\"POSE:theta [rad]\"\n") && csv.lines().count() > 10, "{csv}");
    terminal.press(&["Space"]);
    terminal.until("the keys again", |s| !s.contains("wrote") && s.contains("e CSV"));
    terminal.until("paused", |s| s.contains("PAUSED"));
    terminal.press(&["?"]);
    terminal
        .until("the help", |s| s.contains("Keys") && s.contains("write the plotted values to a CSV file"));

    // One by one: Escape and a letter together are another key.
    terminal.press(&["Escape"]);
    terminal.until("the help gone", |s| !s.contains("Keys"));
    terminal.press(&["q"]);
    let end = terminal.until("the end", |s| s.contains("ended with 0"));
    assert!(!end.contains("POSE"), "what was there before is there again\n{end}");
}

#[test]
fn once_prints_table_and_json_without_counting_as_a_subscriber() {
    let place = Place::new();
    let _poses = poses(&place);
    let mut row = serde_json::Value::Null;
    // The type appears with the first message.
    until("a channel with its type and rate", || {
        let rows = place.run(["spy", "--once", "--json", "-i", "500ms", "POSE"]).with(0).json();
        row = rows.into_iter().next().unwrap_or_default();
        row["type_name"] == "robot.pose_t" && row["rate_hz"].as_f64() > Some(1.0) && row["period_s"].is_f64()
    });
    assert_eq!(row["channel"], "POSE");
    assert_eq!(row["publishers"][0]["process"], "saltus", "{row}");
    assert_eq!(row["subscribers"].as_array().map(Vec::len), Some(0), "{row}");
    assert!(row["missed"].is_null(), "{row}");
    let text = place.run(["spy", "--once", "-i", "500ms"]).with(0);
    assert!(text.text().starts_with("CHANNEL") && text.text().contains("robot.pose_t"), "{text:?}");
}

#[test]
fn without_a_terminal_the_error_names_the_remedy() {
    Place::new().run(["spy"]).saying(2, "--once");
}

#[test]
fn sigterm_gives_the_terminal_back() {
    let place = Place::new();
    place.run(["pub", "alpha", "once", "--quiet"]).with(0);
    let terminal = Terminal::new(&place, &files(&place), (80, 24), "spy");
    terminal.until("a channel", |s| s.contains("alpha") && s.contains("saltus spy"));
    // SAFETY: kill only sends a signal, to a child of the shell that this test started and that has not ended.
    assert_eq!(unsafe { libc::kill(terminal.child(), libc::SIGTERM) }, 0);
    let end = terminal.until("the end", |s| s.contains("ended with 0"));
    assert!(!end.contains("alpha"), "what was there before is there again\n{end}");
}

#[test]
fn it_ends_with_its_terminal() {
    let place = Place::new();
    let terminal = Terminal::new(&place, &files(&place), (80, 24), "spy");
    terminal.until("the table", |s| s.contains("0 channels"));
    let spy = format!("/proc/{}/exe", terminal.child());
    drop(terminal);
    until("the end of the spy", || !std::fs::exists(&spy).unwrap_or(false));
}
