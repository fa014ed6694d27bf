//! How commands end: Ctrl-C, SIGTERM, closed pipes, full disks, refused permissions.

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use support::{Place, Running, until};

/// Asserts that no subscribers or publishers are left after a command.
fn assert_no_residue(place: &Place, name: &str) {
    let info = place.domain().open_channel(name).expect("the channel is still there").info().expect("info");
    assert!(info.subscribers.is_empty(), "no counters of a subscriber that ended: {:?}", info.subscribers);
    assert!(info.lanes.iter().all(|lane| !lane.alive), "no lease of a publisher that ended");
    assert_eq!(place.run(["sweep"]).with(0).text(), "0 leftovers removed\n");
}

#[test]
fn ctrl_c_ends_echo_well_and_leaves_nothing() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        let place = Place::new();
        place.run(["mk", "imu"]).with(0);
        let echo = place.start(["echo", "imu"]);
        place.until_subscribed("imu", 1);
        place.run(["pub", "imu", "x"]).with(0);
        until("the message is received", || {
            place.run(["info", "imu", "--json"]).json()[0]["subscribers"][0]["received"] == 1
        });
        echo.signal(signal);
        let ended = echo.ended().saying(0, "received 1, missed 0");
        assert_eq!(ended.text().lines().count(), 1, "what came is printed: {ended:?}");
        assert_no_residue(&place, "imu");
    }
}

#[test]
fn ctrl_c_ends_a_wait_for_a_channel() {
    let place = Place::new();
    place.run(["mk", "other"]).with(0);
    let echo = place.start(["echo", "imu", "--wait"]);
    until("echo waits", || waits_in(echo.id(), "nanosleep"));
    echo.signal(libc::SIGINT);
    echo.ended().with(0);
}

#[test]
fn ctrl_c_ends_pub_well_and_leaves_nothing() {
    for rate in ["0", "1000", "0.001"] {
        let place = Place::new();
        let publisher = place.start(["pub", "imu", "x", "-r", rate]);
        place.until_published("imu", 1);
        publisher.signal(libc::SIGINT);
        publisher.ended().saying(0, "published");
        assert_no_residue(&place, "imu");
    }
}

#[test]
fn ctrl_c_ends_pub_while_it_waits_for_a_line() {
    let place = Place::new();
    let mut publisher = Running::start(place.command(["pub", "imu", "--lines"]).stdin(Stdio::piped()));
    let input = publisher.input();
    until("the publisher is there", || {
        place.domain().open_channel("imu").is_ok_and(|c| c.info().unwrap().lanes.iter().any(|l| l.alive))
    });
    publisher.signal(libc::SIGINT);
    publisher.ended().saying(0, "published 0 messages");
    drop(input);
    assert_no_residue(&place, "imu");
}

#[test]
fn ctrl_c_ends_stat_well_and_leaves_nothing() {
    let place = Place::new();
    place.run(["pub", "imu", "x"]).with(0);
    let mut stat = place.start(["stat", "--interval", "50ms"]);
    let mut lines = BufReader::new(stat.output());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    assert!(line.contains("CHANNEL"), "{line}");
    stat.signal(libc::SIGINT);
    stat.ended().with(0);
    assert_no_residue(&place, "imu");
}

#[test]
fn ctrl_c_ends_pub_while_it_reads_its_message() {
    let place = Place::new();
    let mut publisher = Running::start(place.command(["pub", "imu", "--file", "-"]).stdin(Stdio::piped()));
    let _input = publisher.input();
    until("pub waits for its message", || waits_in(publisher.id(), "poll"));
    publisher.signal(libc::SIGINT);
    publisher.ended().with(0);
}

#[test]
fn the_second_ctrl_c_kills() {
    let place = Place::new();
    fs::create_dir(place.path()).unwrap();
    let fifo = place.path().join("fifo");
    let c_path = std::ffi::CString::new(fifo.to_str().unwrap()).unwrap();
    // SAFETY: the path is a string that ends with a zero byte.
    assert_eq!(unsafe { libc::mkfifo(c_path.as_ptr(), 0o600) }, 0);
    // Opening a pipe without a writer blocks, and the first signal cannot end that.
    let publisher = place.start(["pub", "imu", "--file", fifo.to_str().unwrap()]);
    until("pub waits for the pipe", || waits_in(publisher.id(), "wait_for_partner"));
    publisher.signal(libc::SIGINT);
    until("the first signal is handled", || !handles(publisher.id(), libc::SIGINT));
    publisher.signal(libc::SIGINT);
    assert_eq!(publisher.ended().code, None, "ended by the signal");
}

#[test]
fn ctrl_c_ends_echo_that_is_stuck_in_a_full_pipe() {
    let place = Place::new();
    place.run(["mk", "imu", "--max-size", "64K"]).with(0);
    // Its output has no reader.
    let mut echo = place.start(["echo", "imu", "--raw"]);
    let _unread = echo.output();
    place.until_subscribed("imu", 1);
    let publisher = place.start(["pub", "imu", &"x".repeat(60_000), "-r", "1000"]);
    place.until_published("imu", 10);
    until("echo is stuck", || waits_in(echo.id(), "pipe_w"));
    echo.signal(libc::SIGINT);
    echo.ended().with(0);
    publisher.signal(libc::SIGTERM);
    publisher.ended().with(0);
}

#[test]
fn a_closed_pipe_ends_echo_quietly() {
    let place = Place::new();
    let publisher = place.start(["pub", "imu", "x", "-r", "0"]);
    place.until_published("imu", 1);
    let mut echo = place.start(["echo", "imu"]);
    let mut first = String::new();
    BufReader::new(echo.output()).read_line(&mut first).unwrap();
    let ended = echo.ended().with(0);
    assert_eq!(ended.err, "", "head -1 has its line and nobody complains");
    assert!(first.contains(": x"), "{first}");
    publisher.signal(libc::SIGINT);
    publisher.ended().with(0);
}

#[test]
fn a_closed_pipe_ends_echo_even_without_messages() {
    let place = Place::new();
    place.run(["mk", "imu"]).with(0);
    let mut echo = place.start(["echo", "imu"]);
    place.until_subscribed("imu", 1);
    drop(echo.output());
    assert_eq!(echo.ended().with(0).err, "");
    assert_no_residue(&place, "imu");
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    let place = Place::new();
    place.run(["pub", "imu", "x", "-q"]).with(0);
    for arguments in [
        "ls",
        "ls -l",
        "info imu",
        "stat -n1 -i50ms",
        "echo imu --newest -n1",
        "sweep",
        "man",
        "completions bash",
        "--help",
        "help pub",
        "--version",
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ended = Running::start(place.command(arguments.split(' ')).stdout(writer)).ended().with(0);
        assert_eq!(ended.err, "", "{arguments}");
    }
}

#[test]
fn a_full_disk_is_reported() {
    let place = Place::new();
    place.run(["pub", "imu", "x", "-q"]).with(0);
    for arguments in ["ls", "info imu", "echo imu --newest -n1 -q", "man", "stat -n1 -i50ms"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        Running::start(place.command(arguments.split(' ')).stdout(full)).ended().saying(1, "standard output");
    }
}

#[test]
fn a_refused_permission_is_reported_with_a_remedy() {
    let place = Place::new();
    place.run(["mk", "secret", "--mode", "600"]).with(0);
    // SAFETY: geteuid only returns a number.
    let root = unsafe { libc::geteuid() } == 0;
    let copy = std::env::temp_dir().join(format!("saltus-test-{}", std::process::id()));
    // Not in this process: a process started by another test would inherit the writable copy, which then could not be executed.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_saltus")).arg(&copy).status().unwrap();
    assert!(copied.success());
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    if !root {
        fs::set_permissions(place.path().join("secret/data"), fs::Permissions::from_mode(0o000)).unwrap();
    }
    let run = |arguments: &str| {
        let mut command = place.command_of(&copy, arguments.split(' '));
        // Root may read everything, so this runs as another user.
        if root {
            command.uid(65_534).gid(65_534);
        }
        Running::start(&mut command).ended()
    };
    for arguments in ["echo secret", "pub secret x", "info secret"] {
        let ended = run(arguments).saying(1, "secret");
        assert!(ended.err.contains("permission") || ended.err.contains("chmod"), "{arguments}: {ended:?}");
    }
    if root {
        run("rm secret").with(1);
        run("chmod 666 secret").with(1);
        place.run(["chmod", "644", "secret"]).with(0);
        run("info secret").with(0);
        run("pub secret x").saying(1, "secret");
    }
    fs::remove_file(&copy).unwrap();
}

#[test]
fn a_damaged_channel_is_reported_and_can_be_replaced() {
    let place = Place::new();
    place.run(["mk", "imu"]).with(0);
    fs::write(place.path().join("imu/data"), [0x5a; 8192]).unwrap();
    for arguments in ["echo imu", "pub imu x", "info imu"] {
        place.run(arguments.split(' ')).saying(1, "imu");
    }
    place.run(["ls"]).with(0);
    place.run(["mk", "imu", "--replace"]).with(0);
    place.run(["pub", "imu", "x"]).with(0);
    fs::write(place.path().join("imu/data"), b"").unwrap();
    place.run(["rm", "imu"]).with(0);
}

#[test]
fn usage_errors_end_with_2() {
    let place = Place::new();
    for arguments in [
        "",
        "nonsense",
        "ls --nonsense",
        "echo",
        "echo x --timeout 5d",
        "mk x --max-size 1KB",
        "stat --interval 1ms",
    ] {
        let ended = place.run(arguments.split(' ').filter(|a| !a.is_empty())).with(2);
        assert!(
            ended.out.is_empty() && (arguments.is_empty() || ended.err.starts_with("saltus: ")),
            "{ended:?}"
        );
    }
}

/// Whether the process handles signals, and sleeps in a kernel function whose name contains this.
fn waits_in(pid: u32, function: &str) -> bool {
    let mut name = String::new();
    let read = fs::File::open(format!("/proc/{pid}/wchan")).and_then(|mut f| f.read_to_string(&mut name));
    // If the kernel hides the function's name, sleeping is sufficient.
    let there = read.is_ok() && (name.contains(function) || name == "0" || name.is_empty());
    there && handles(pid, libc::SIGINT) && status(pid, "State:").starts_with('S')
}

/// Whether the process has a handler for the signal.
fn handles(pid: u32, signal: libc::c_int) -> bool {
    u64::from_str_radix(&status(pid, "SigCgt:"), 16).is_ok_and(|mask| mask & (1 << (signal - 1)) != 0)
}

fn status(pid: u32, field: &str) -> String {
    let all = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    all.lines().find_map(|l| l.strip_prefix(field)).unwrap_or_default().trim().to_owned()
}
