//! Programs with LCM's library and with ours, on one network: either receives what the other one publishes. The judges are LCM's own
//! programs too.

#[path = "support/instance.rs"]
mod instance;
mod support;

use instance::{Lcm, Received};
use saltus_netns::isolated;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use support::*;

/// A program that is killed in the end.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Running {
        Running(command.stdout(Stdio::piped()).spawn().unwrap_or_else(|e| panic!("{command:?}: {e}")))
    }
    fn output(&mut self) -> BufReader<ChildStdout> {
        BufReader::new(self.0.stdout.take().expect("its output"))
    }
    fn interrupt(&mut self) {
        // SAFETY: our own child, which was not waited for yet.
        unsafe { libc::kill(self.0.id() as i32, libc::SIGINT) };
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill(); // it has ended, mostly
        let _ = self.0.wait();
    }
}

/// `differential receive` with one library and `send` with the other; returns what was received.
fn exchange(program: &Path, from: &Library, to: &Library, url: &str, sizes: &[(u32, u32)]) -> Vec<usize> {
    let n: u32 = sizes.iter().map(|(n, _)| n).sum();
    // A hub has LCM's subscription a little later. On mpudpm:// LCM misses the first messages that match an expression.
    let is_later = url.starts_with("tcpq");
    let pattern = if is_later { "POSE|PROBE" } else { "POSE" };
    let mut receiver = Running::start(to.command(program).args(["receive", url, pattern, &n.to_string()]));
    let (mut lines, mut said) = (receiver.output(), String::new());
    lines.read_line(&mut said).expect("a line");
    assert_eq!(said, "subscribed\n");
    let poll = |lines: &BufReader<ChildStdout>| {
        let fd = std::os::fd::AsRawFd::as_raw_fd(lines.get_ref());
        let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
        // SAFETY: one record, which lives across the call.
        unsafe { libc::poll(&mut poll, 1, 100) > 0 }
    };
    let patience = Instant::now() + Duration::from_secs(20);
    while is_later && !poll(&lines) {
        assert!(Instant::now() < patience, "no probe arrives");
        run(from.command(program).args(["send", url, "PROBE", "1", "0"]));
    }
    for (n, size) in sizes {
        run(from.command(program).args(["send", url, "POSE", &n.to_string(), &size.to_string()]));
    }
    let mut rest = String::new();
    lines.read_to_string(&mut rest).expect("the rest");
    assert!(receiver.0.wait().expect("its end").success(), "{rest}");
    rest.lines()
        .filter(|line| *line != "ready")
        .map(|line| {
            assert!(line.contains(" POSE ") && line.ends_with("at a good time 1"), "{line}");
            line.split(' ').nth(2).unwrap().parse().unwrap()
        })
        .collect()
}

/// Both directions, over one network.
fn both_ways(name: &str, url: &str, before: impl FnOnce() -> Option<Running> + Send) {
    let (dir, theirs) = (scratch(name), theirs());
    let ours = ours(&dir);
    let program = theirs.build("differential.c", &dir.join("program"), &[]);
    isolated(|| {
        let _hub = before();
        // Short, as long as one datagram holds, one byte more, and three fragments: as many as any kernel's buffer holds.
        let sizes = [(20, 0), (1, 65499 - 5), (1, 65499 - 4), (1, 150_000)];
        let expected: Vec<usize> =
            sizes.iter().flat_map(|(n, size)| (0..*n).map(move |i| (size + i) as usize)).collect();
        for (from, to) in [(&theirs, &ours), (&ours, &theirs), (&ours, &ours)] {
            let received = exchange(&program, from, to, url, &sizes);
            assert_eq!(received, expected, "{url} from {} to {}", from.lib.display(), to.lib.display());
        }
    });
}

#[test]
fn either_library_receives_what_the_other_one_publishes_over_multicast() {
    both_ways("udpm", "udpm://239.255.76.67:7667?ttl=0&recv_buf_size=2000000", || None);
}

#[test]
fn either_library_receives_what_the_other_one_publishes_over_many_ports() {
    both_ways("mpudpm", "mpudpm://239.255.76.67:7667?nports=20&recv_buf_size=2000000", || None);
}

#[test]
fn either_library_receives_what_the_other_one_publishes_through_our_hub() {
    let saltus = saltus_peers::saltus();
    both_ways("tcpq", "tcpq://127.0.0.1:7700", || {
        let hub = Running::start(Command::new(saltus).args(["hub", "--listen", "127.0.0.1:7700"]));
        let patience = Instant::now() + Duration::from_secs(20);
        while std::net::TcpStream::connect("127.0.0.1:7700").is_err() {
            assert!(Instant::now() < patience, "the hub does not listen");
            std::thread::sleep(Duration::from_millis(10));
        }
        Some(hub)
    });
}

/// A program of LCM's wheel, which has its own library within.
fn tool(name: &str) -> PathBuf {
    theirs().lib.parent().expect("its packages").join("bin").join(name)
}

#[test]
fn what_lcms_logger_records_of_our_messages_our_library_plays_and_lcms_player_publishes_again() {
    let (dir, logger, player) = (scratch("logger"), tool("lcm-logger"), tool("lcm-logplayer"));
    isolated(|| {
        let log = dir.join("log");
        let url = "udpm://239.255.76.67:7667?ttl=0";
        let mut logger = Running::start(Command::new(&logger).args(["-q", "-l", url]).arg(&log));
        let sender = Lcm::open(url);
        // It has subscribed once the first message is in the log.
        let patience = Instant::now() + Duration::from_secs(20);
        while std::fs::metadata(&log).map_or(0, |file| file.len()) == 0 {
            assert!(Instant::now() < patience, "the logger records nothing");
            assert_eq!(sender.publish("FIRST", b"x"), 0);
            std::thread::sleep(Duration::from_millis(20));
        }
        for n in 0..20u8 {
            assert_eq!(sender.publish("POSE", &vec![n; 40_000]), 0);
            std::thread::sleep(Duration::from_millis(2)); // its queue holds 30
        }
        std::thread::sleep(Duration::from_millis(300));
        logger.interrupt();
        assert!(logger.0.wait().expect("its end").success());

        let file = Lcm::open(&format!("file://{}?speed=0", log.display()));
        let mut played = Received::new();
        file.subscribe("POSE", &mut played);
        while file.handle_timeout(1000) == 1 {}
        assert_eq!(played.len(), 20);

        let receiver = Lcm::open(&format!("{url}&recv_buf_size=2000000"));
        let mut again = Received::new();
        receiver.subscribe("POSE", &mut again);
        let player = Running::start(Command::new(&player).args(["-l", url]).arg(&log));
        receiver.handle_until(&mut again, 20);
        assert!(
            again == played && again.iter().enumerate().all(|(n, (_, data))| data == &vec![n as u8; 40_000])
        );
        drop(player);
    });
}

#[test]
fn lcms_source_is_received_and_lcms_sink_receives() {
    let (source, sink) = (tool("lcm-source"), tool("lcm-sink"));
    isolated(|| {
        let receiver = Lcm::open("");
        let mut list = Received::new();
        receiver.subscribe("FROM_SOURCE", &mut list);
        let running =
            Running::start(Command::new(&source).args(["-m", "FROM_SOURCE", "-s", "100", "-p", "1000"]));
        receiver.handle_until(&mut list, 50);
        drop(running);
        // The first four bytes count.
        let count = |data: &[u8]| u32::from_ne_bytes(data[..4].try_into().unwrap());
        for pair in list.windows(2) {
            assert_eq!(count(&pair[0].1) + 1, count(&pair[1].1));
        }

        let mut running = Running::start(Command::new(&sink).env("GLIB_UNBUFFERED", "1"));
        let mut output = running.output();
        let sender = Lcm::open("");
        let (said, says) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                let mut bytes = [0; 4096];
                while let Ok(len @ 1..) = output.read(&mut bytes) {
                    let _ = said.send(text(&bytes[..len])); // nobody waits any more
                }
            });
            let (patience, mut printed) = (Instant::now() + Duration::from_secs(20), String::new());
            while !printed.contains("hello from ours") {
                assert!(Instant::now() < patience, "lcm-sink printed: {printed}");
                assert_eq!(sender.publish("TO_SINK", b"hello from ours\0"), 0);
                printed.extend(says.recv_timeout(Duration::from_millis(5)));
            }
            drop(running);
        });
    });
}

/// Debian's programs of LCM, an older version, which load `liblcm.so.1`: their directory. `None`: this is another system.
fn of_debian() -> Option<PathBuf> {
    Command::new("apt-get").arg("--version").output().ok()?;
    let dir = saltus_peers::installed(env!("CARGO_TARGET_TMPDIR"), "liblcm-bin", &["liblcm-bin"], |dir| {
        let mut download = Command::new("apt-get");
        download.args(["download", "-qq", "liblcm-bin"]).current_dir(dir);
        if !output(&mut download).status.success() {
            // The lists of packages may be missing.
            run(Command::new("apt-get").args(["update", "-qq"]));
            run(&mut download);
        }
        let package = std::fs::read_dir(dir).expect("a directory").flatten().map(|entry| entry.path());
        let package = package.into_iter().find(|path| path.extension().is_some_and(|e| e == "deb"));
        run(Command::new("dpkg").arg("-x").arg(package.expect("a package")).arg(dir));
    });
    Some(dir.join("usr/bin"))
}

#[test]
fn debians_logger_and_player_run_unchanged_with_our_library_over_shared_memory() {
    let Some(programs) = of_debian() else {
        println!("skipped: there is no apt-get");
        return;
    };
    let (dir, domain) = (scratch("debian"), TestDomain::new());
    let (library, log) = (ours(&dir), dir.join("log"));
    let command = |name: &str| {
        let mut command = library.command(&programs.join(name));
        command.env("LCM_DEFAULT_URL", domain.url());
        command
    };
    let mut logger = Running::start(command("lcm-logger").arg(&log));
    let sender = Lcm::open(&domain.url());
    let patience = Instant::now() + Duration::from_secs(20);
    while std::fs::metadata(&log).map_or(0, |file| file.len()) == 0 {
        assert!(Instant::now() < patience, "the logger records nothing");
        assert_eq!(sender.publish("FIRST", b"x"), 0);
        std::thread::sleep(Duration::from_millis(20));
    }
    for n in 0..100u8 {
        assert_eq!(sender.publish("POSE", &vec![n; 1000]), 0);
        std::thread::sleep(Duration::from_millis(1)); // its queue holds 30
    }
    std::thread::sleep(Duration::from_millis(500));
    logger.interrupt();
    assert!(logger.0.wait().expect("its end").success());

    let receiver = Lcm::open(&domain.url());
    let mut again = Received::new();
    receiver.subscribe("POSE", &mut again);
    let mut player = Running::start(command("lcm-logplayer").arg(&log));
    receiver.handle_until(&mut again, 100);
    assert!(again.iter().enumerate().all(|(n, (_, data))| data == &vec![n as u8; 1000]));
    assert!(player.0.wait().expect("its end").success());
}
