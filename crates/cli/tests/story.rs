//! End-to-end test with a log of a real robot: import, play, watch in the terminal and in the browser, and record again. The recording
//! equals the original.

mod support;

#[path = "../../web/tests/rig/chromium.rs"]
#[allow(dead_code, reason = "the tests of the page use all of it")]
mod chromium;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use chromium::{Chromium, DRAWN};
use saltus_log::{Log, Types};
use support::files::Files;
use support::terminal::Terminal;
use support::{Place, Running, recorded_logs, until};

const TYPES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../carmen/types");

/// A message of a log: its channel, its bytes, the name and the fingerprint of its type.
type Said = (String, Vec<u8>, String, u64);

/// The messages of a log, in the order of time. Types are the file's own, or those of `types`.
fn printed(path: &str, types: &Types) -> Vec<Said> {
    let (mut log, mut all) = (Log::open(path.as_ref()).expect("a log"), Vec::new());
    while let Some(event) = log.next().expect("an event") {
        let reported = event.about.and_then(|about| about.kind.as_ref());
        let kind = reported.or_else(|| types.of(event.data)).expect("a type that is known");
        let channel = String::from_utf8(event.channel.to_vec()).expect("text");
        all.push((channel, event.data.to_vec(), kind.name(), kind.fingerprint()));
    }
    all
}

fn messages(all: &[Said], channel: &str) -> usize {
    all.iter().filter(|one| one.0 == channel).count()
}

/// Asserts that two logs are equal, without printing all bytes.
#[track_caller]
fn assert_same(played: &[Said], recorded: &[Said]) {
    for (n, (a, b)) in played.iter().zip(recorded).enumerate() {
        assert_eq!((&a.0, &a.2, a.3), (&b.0, &b.2, b.3), "message {n}: channel and type");
        assert!(a.1 == b.1, "message {n} on {}: other bytes", a.0);
    }
    assert_eq!(played.len(), recorded.len());
}

/// A robot's log in LCM's format, and a running recorder of an MCAP file.
struct Stage {
    place: Place,
    files: Files,
    again: String,
    recorder: Running,
}

impl Stage {
    fn new(recorded: &Path) -> Stage {
        let (place, files) = (Place::new(), Files::new());
        let source = recorded.join("freiburg-079.log.gz");
        place
            .run(["import", "carmen", source.to_str().expect("text"), "-o", &files.at("fr079.lcmlog")])
            .with(0);
        let again = files.at("again.mcap");
        let recorder = place.start(["record", "-o", &again]);
        until("the file", || std::fs::exists(&again).expect("a path"));
        Stage { place, files, again, recorder }
    }

    /// Plays a log as a user would, but into channels deep enough for a late recorder.
    fn play(&self, log: &str, more: &[&str]) -> Running {
        let deep = self.place.url() + "?depth=4096";
        self.place.start(["play", log, "--domain", &deep].iter().chain(more))
    }

    /// Stops the recording, and returns its messages.
    fn recorded(self) -> Vec<Said> {
        self.recorder.signal(libc::SIGINT);
        let ended = self.recorder.ended().saying(0, "missed 0, dropped 0");
        let all = printed(&self.again, &Types::new());
        assert!(ended.err.contains(&format!("written {} (", all.len())), "{ended:?}");
        all
    }
}

#[test]
fn at_the_speed_of_life_with_a_spy_in_the_terminal() {
    let Some(recorded) = recorded_logs() else { return };
    let stage = Stage::new(&recorded);
    let (whole, short) = (stage.files.at("fr079.lcmlog"), stage.files.at("short.lcmlog"));
    stage.place.run(["log", "cut", &whole, "-o", &short, "--from", "100s", "--to", "103s"]).with(0);
    let mut types = Types::new();
    let text = std::fs::read_to_string(format!("{TYPES}/carmen.lcm")).expect("the types");
    types.add_all(&Arc::new(saltus_types::parse("carmen.lcm", &text).expect("types")));
    let original = printed(&short, &types);

    let terminal = Terminal::new(&stage.place, stage.files.path(), (150, 36), "spy");
    terminal.until("an empty table", |s| s.contains("0 channels"));
    let words = format!("played {},", original.len());
    stage.play(&short, &["-I", TYPES]).ended().saying(0, &words);
    let counted = |screen: &str| {
        ["LASER_FRONT", "LASER_FRONT_POSE", "ODOMETRY"].iter().all(|channel| {
            let mut rows = screen.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
            let count = messages(&original, channel).to_string();
            rows.any(|row| {
                row.get(1) == Some(channel) && row[2].starts_with("carmen.") && row.contains(&&count[..])
            })
        })
    };
    terminal.until("the channels with their types and counts", counted);
    terminal.picture("story-table.txt");
    terminal.press(&["g", "Enter"]);
    let (_, last, ..) = original.iter().rfind(|one| one.0 == "LASER_FRONT").expect("a scan");
    let utime = i64::from_be_bytes(last[8..16].try_into().expect("8 bytes")).to_string();
    let is_scan = |s: &str| {
        let line = |name: &str| s.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
        line("utime").contains(&utime) && line(" ranges ").contains("360, ") && line("rad0").contains("rad")
    };
    terminal.until("the last scan, decoded", is_scan);
    terminal.picture("story-scan.txt");
    terminal.press(&["q"]);
    terminal.until("the end", |s| s.contains("ended with 0"));
    drop(terminal); // it lies in the files of the stage
    assert_same(&original, &stage.recorded());
}

#[test]
fn twenty_times_as_fast_with_a_spy_in_the_browser() {
    let Some(recorded) = recorded_logs() else { return };
    let stage = Stage::new(&recorded);
    let [whole, mcap, long] = ["fr079.lcmlog", "fr079.mcap", "long.mcap"].map(|name| stage.files.at(name));
    stage.place.run(["log", "convert", &whole, "-o", &mcap, "-I", TYPES]).with(0);
    stage.place.run(["log", "cut", &mcap, "-o", &long, "--from", "100s", "--to", "260s"]).with(0);
    let original = printed(&long, &Types::new());

    let mut spy = stage.place.start(["spy", "--web", "--listen", "127.0.0.1:0"]);
    let mut url = String::new();
    BufReader::new(spy.output()).read_line(&mut url).expect("it says where");
    let mut browser = Chromium::start(1600, 1000);
    browser.scheme(true);
    let shown = "#open=LASER_FRONT,LASER_FRONT_POSE,ODOMETRY@fields&plot=ODOMETRY:x,ODOMETRY:theta";
    browser.open(&(url.trim().to_owned() + shown));
    browser.wait("document.querySelector('#totals')?.textContent.startsWith('0 channels')");
    let player = stage.play(&long, &["--speed", "20", "--json"]);
    for (channel, view) in [("LASER_FRONT", "laser"), ("LASER_FRONT_POSE", "pose")] {
        let card = format!("document.querySelector('[data-channel={channel}]')");
        browser.wait(&format!("{card}?.querySelector('.tabs .on')?.dataset.view === '{view}'"));
        browser.wait(&format!("{DRAWN}({card}.querySelector('canvas'))"));
    }
    browser.wait("/[0-9]/.test(document.querySelector('.plotted .legend b')?.textContent)");
    let ended = player.ended().with(0).json();
    assert_eq!((&ended[0]["played"], &ended[0]["refused"]), (&original.len().into(), &0.into()));
    for channel in ["LASER_FRONT", "LASER_FRONT_POSE", "ODOMETRY"] {
        // The page separates thousands with a thin space.
        let count = messages(&original, channel);
        browser.wait(&format!(
            "[...document.querySelectorAll('.space .row:not([hidden])')].some(row => [...row.children]\
             .some(cell => cell.textContent.trim() === '{channel}') && [...row.children].some(cell => \
             cell.textContent.replace(/[^0-9]/g, '') === '{count}'))"
        ));
    }
    browser.picture("story-dark.png");
    browser.scheme(false);
    browser.picture("story-light.png");
    assert_eq!(browser.complaints, Vec::<String>::new(), "the page's code has no errors");
    browser.open("about:blank");
    spy.signal(libc::SIGINT);
    spy.ended().with(0);
    assert_same(&original, &stage.recorded());
}
