//! Tests of the whole demo: a supervisor, ten processes, channels in shared memory.
//!
//! No test here asserts speed.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

/// One robot at a time: they would compete for CPUs.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn demo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_robot-demo"));
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(args: &[&str]) -> (Output, Value) {
    let output = demo(&[args, &["--json"]].concat()).output().expect("the demo starts");
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| {
        panic!("no report ({e}): {}", String::from_utf8_lossy(&output.stderr));
    });
    (output, report)
}

fn assert_fine(output: &Output, report: &Value) {
    assert_eq!(report["verdict"]["failures"], Value::Array(Vec::new()), "{report:#}");
    assert_eq!(output.status.code(), Some(0));
    let left = report["domain"].as_str().and_then(|url| url.strip_prefix("shm://")).expect("a domain");
    assert!(!Path::new(left).exists(), "{left} was left behind");
}

/// A separate domain for this test.
fn place(what: &str) -> PathBuf {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    // Relaxed: only the uniqueness of the number matters.
    let n = NUMBER.fetch_add(1, Ordering::Relaxed);
    PathBuf::from(format!("/dev/shm/saltus-test-{}-{n}-{what}", std::process::id()))
}

/// The process IDs of the demo's children.
fn children(of: u32) -> Vec<u32> {
    let task = format!("/proc/{of}/task/{of}/children");
    let text = std::fs::read_to_string(task).unwrap_or_default();
    text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

fn is_alive(pid: u32) -> bool {
    // A zombie counts as dead.
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

fn signal(pid: u32, signal: i32) {
    // SAFETY: changes no memory; the process is a child of this test or of its child.
    assert_eq!(unsafe { libc::kill(pid as i32, signal) }, 0);
}

fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < end, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Starts a demo, and waits for its first status line, so that all processes are running.
fn started(args: &[&str]) -> (Child, Vec<u32>) {
    let mut child = demo(args).spawn().expect("the demo starts");
    let mut out = child.stdout.take().expect("a pipe");
    let mut text = String::new();
    until("a line with a tilt", || {
        let mut some = [0; 256];
        let n = out.read(&mut some).expect("the demo prints");
        assert!(n > 0, "the demo ended: {text}");
        text += &String::from_utf8_lossy(&some[..n]);
        text.contains("tilt")
    });
    // Reads the rest of its output, so that it does not block.
    std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
    let processes = children(child.id());
    assert!(processes.len() >= 9, "{processes:?}");
    (child, processes)
}

#[test]
fn the_robot_stands_and_leaves_nothing() {
    let _one = alone();
    let (output, report) = run(&["--seconds", "3"]);
    assert_fine(&output, &report);
    assert_eq!(report["ending"], "the time is up");
    assert!(report["robot"]["steps"].as_u64() > Some(1000), "{report:#}");
    assert!(report["hops"].as_array().map(Vec::len) > Some(20), "{report:#}");
    assert!(report["sensor_to_motor"]["count"].as_u64() > Some(1000), "{report:#}");
}

#[test]
fn without_control_the_robot_falls_and_reports_it() {
    let _one = alone();
    let (output, report) = run(&["--no-control"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(report["ending"], "it lies on the ground");
    // A second of simulated time, independent of the machine's speed.
    assert!(report["robot"]["fell_after_s"].as_f64().is_some_and(|s| s < 1.0), "{report:#}");
}

#[test]
fn the_robot_stays_up_while_processes_are_killed_and_frozen() {
    let _one = alone();
    let (output, report) = run(&["--chaos", "--seconds", "12", "--seed", "3"]);
    assert_fine(&output, &report);
    let incidents = report["incidents"].as_array().expect("incidents");
    let deeds = incidents.iter().filter(|i| i["what"] == "killed" || i["what"] == "frozen");
    // 66 are due; those more than a second late, because the machine was stopped, are left out.
    assert!(deeds.count() >= 40, "{report:#}");
    for incident in incidents {
        assert!(incident["pid"].as_u64() > Some(0) && incident["away_ms"].is_number(), "{incident:#}");
    }
    for role in ["balance", "estimator"] {
        assert!(incidents.iter().any(|i| i["role"] == role), "{role} was spared: {report:#}");
    }
}

#[test]
fn every_scan_of_a_log_arrives_even_when_the_driver_is_killed() {
    let _one = alone();
    let path = place("log.gz");
    let mut log = GzEncoder::new(std::fs::File::create(&path).expect("a file"), Compression::default());
    for k in 0..300 {
        // Timestamps that sometimes repeat or go back.
        let back = if k % 50 < 3 { 0.5 } else { 0.0 };
        let timestamp = k as f64 * 0.02 - back;
        let text = format!(
            "ODOM {k}\nFLASER 3 1.5 2.5 {k} 0 0 0 0 0 0 {timestamp} host {timestamp}\nFLASER broken\n"
        );
        log.write_all(text.as_bytes()).expect("space");
    }
    log.finish().expect("space");
    let (output, report) = run(&["--chaos", "--seed", "5", "--lidar", &path.to_string_lossy()]);
    std::fs::remove_file(&path).expect("it was there");
    assert_fine(&output, &report);
    assert_eq!(report["ending"], "the log of scans is over");
    let lidar = &report["lidar"];
    assert_eq!((lidar["published"].as_u64(), lidar["logged"].as_u64()), (Some(300), Some(300)), "{lidar:#}");
    assert_eq!(lidar["same_as_file"], true);
    let read = lidar["read"].as_str().unwrap_or_default();
    assert!(read.contains("300 ODOM") && read.contains("300 malformed lines"), "{read}");
}

#[test]
fn the_recorded_logs_come_through_to_the_byte() {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let dir = std::env::var_os("SALTUS_DATA").map_or(beside, PathBuf::from);
    if !dir.is_dir() {
        eprintln!("skipped: no recorded logs; set SALTUS_DATA to the directory that holds them");
        return;
    }
    let _one = alone();
    for (file, speed, scans) in [("intel.log.gz", "400", 910), ("freiburg-079.log.gz", "120", 4791)] {
        let path = dir.join(file);
        let (output, report) = run(&["--lidar", &path.to_string_lossy(), "--speed", speed]);
        assert_fine(&output, &report);
        assert_eq!(report["lidar"]["logged"].as_u64(), Some(scans), "{report:#}");
        assert_eq!(report["lidar"]["same_as_file"], true);
    }
}

#[test]
fn ctrl_c_ends_it_in_order() {
    let _one = alone();
    let (mut child, processes) = started(&["--seconds", "60"]);
    let domain = format!("/dev/shm/saltus-demo-{}", child.id());
    assert!(Path::new(&domain).is_dir());
    signal(child.id(), libc::SIGINT);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(!Path::new(&domain).exists());
    assert!(processes.into_iter().all(|pid| !is_alive(pid)));
}

#[test]
fn a_killed_supervisor_takes_its_processes_along_and_the_next_sweeps() {
    let _one = alone();
    let (mut child, processes) = started(&["--seconds", "60"]);
    let domain = format!("/dev/shm/saltus-demo-{}", child.id());
    // This also ends frozen processes.
    signal(processes[0], libc::SIGSTOP);
    signal(child.id(), libc::SIGKILL);
    child.wait().expect("it ends");
    until("the processes to die", || processes.iter().all(|pid| !is_alive(*pid)));
    assert!(Path::new(&domain).is_dir(), "no process was left to remove it");
    let (output, report) = run(&["--seconds", "1"]);
    assert_fine(&output, &report);
    assert!(!Path::new(&domain).exists(), "the next demo did not sweep");
}

/// A demo on its own terminal, and the other end of the terminal.
fn on_terminal(args: &[&str]) -> (Child, std::fs::File) {
    use std::os::fd::{AsRawFd, FromRawFd};
    use std::os::unix::process::CommandExt;
    let (mut ours, mut theirs) = (0, 0);
    let size = libc::winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: openpty fills two descriptors; name and mode may be null, the size is complete.
    let opened =
        unsafe { libc::openpty(&mut ours, &mut theirs, std::ptr::null_mut(), std::ptr::null(), &size) };
    assert_eq!(opened, 0, "no terminal can be had");
    // SAFETY: both were just opened, and have no other owner.
    let (ours, theirs) = unsafe { (std::fs::File::from_raw_fd(ours), std::fs::File::from_raw_fd(theirs)) };
    let end = || Stdio::from(theirs.try_clone().expect("a descriptor"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_robot-demo"));
    command.args(args).stdin(end()).stdout(end()).stderr(end());
    // SAFETY: only system calls between fork and exec: they create a session with this terminal.
    unsafe {
        command.pre_exec(|| {
            libc::setsid();
            libc::ioctl(0, libc::TIOCSCTTY, 0);
            Ok(())
        })
    };
    let child = command.spawn().expect("the demo starts");
    // SAFETY: changes no memory; the descriptor is open. Reads become nonblocking.
    unsafe { libc::fcntl(ours.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    (child, ours)
}

/// Reads the terminal's output until all these words have appeared.
fn shows(terminal: &mut std::fs::File, words: &[&str]) {
    let mut text = String::new();
    until(&format!("{words:?}"), || {
        let mut some = [0; 4096];
        while let Ok(n @ 1..) = terminal.read(&mut some) {
            text += &String::from_utf8_lossy(&some[..n]);
        }
        words.iter().all(|word| text.contains(word))
    });
}

/// Whether the terminal is in line mode, as a shell expects.
fn is_cooked(terminal: &std::fs::File) -> bool {
    use std::os::fd::AsRawFd;
    // SAFETY: all zeros is a valid termios.
    let mut mode: libc::termios = unsafe { std::mem::zeroed() };
    // SAFETY: tcgetattr fills a termios; the descriptor is open.
    assert_eq!(unsafe { libc::tcgetattr(terminal.as_raw_fd(), &mut mode) }, 0);
    mode.c_lflag & libc::ICANON != 0 && mode.c_lflag & libc::ECHO != 0
}

#[test]
fn keys_kill_freeze_push_and_end() {
    let _one = alone();
    let (mut child, mut terminal) = on_terminal(&["--seconds", "60"]);
    shows(&mut terminal, &["it stands", "k kill"]);
    assert!(!is_cooked(&terminal));
    terminal.write_all(b"kfp").expect("room");
    shows(&mut terminal, &["kills 1  freezes 1  pushes 1", ") killed, back after", ") frozen, back after"]);
    terminal.write_all(b"q").expect("room");
    shows(&mut terminal, &["verdict: the robot stood", "stopped by a key"]);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(is_cooked(&terminal), "the terminal was left without echo");
}

#[test]
fn a_killed_supervisor_leaves_the_terminal_as_it_was() {
    let _one = alone();
    let (mut child, mut terminal) = on_terminal(&["--seconds", "60"]);
    shows(&mut terminal, &["k kill"]);
    let domain = format!("/dev/shm/saltus-demo-{}", child.id());
    signal(child.id(), libc::SIGKILL);
    child.wait().expect("it ends");
    until("the terminal's mode", || is_cooked(&terminal));
    let (output, report) = run(&["--seconds", "1"]);
    assert_fine(&output, &report);
    assert!(!Path::new(&domain).exists(), "the next demo did not sweep");
}

#[test]
fn a_domain_that_is_in_use_is_left_alone() {
    let _one = alone();
    let dir = place("domain");
    let url = format!("shm://{}", dir.display());
    let domain = saltus_channel::Directory::open(&url).expect("a domain");
    domain.create("imu", &saltus_channel::Attributes::new()).expect("a channel");
    let output = demo(&["--domain", &url]).output().expect("the demo starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--domain"));
    let names: Vec<String> = domain.list().expect("a list").iter().map(|name| name.to_string()).collect();
    assert_eq!(names, ["imu"], "existing channels stay, and no others");
    domain.unlink("imu").expect("it was there");

    // In an empty directory it runs, and keeps the directory, which it did not create.
    let (output, report) = run(&["--seconds", "1", "--domain", &url]);
    assert_eq!(report["verdict"]["failures"], Value::Array(Vec::new()), "{report:#}");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(std::fs::read_dir(&dir).expect("it is there").count(), 0);
    std::fs::remove_dir(&dir).expect("it is empty");
}

#[test]
fn impossible_options_are_refused_in_words() {
    for (args, word) in [
        (&["--seconds", "-1"][..], "seconds"),
        (&["--speed", "0"], "speed"),
        (&["--lidar", "/nowhere/log"], "/nowhere/log"),
        (&["--lidar", env!("CARGO_MANIFEST_PATH")], "FLASER"),
        (&["--nonsense"], "usage"),
    ] {
        let output = demo(args).output().expect("the demo starts");
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() > Some(0) && words.contains(word), "{args:?}: {words}");
    }
}
