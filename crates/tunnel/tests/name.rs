//! The other end returns with another address, and is found by its name. The test replaces the system's hosts file.

use saltus_netns::{isolated, refuse_call};
use saltus_os::clock;
use saltus_tunnel::{Config, Driver, Key};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// Five seconds of silence end a session; the rest is for a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// The hosts file of this thread and its children.
struct Hosts(PathBuf);

impl Hosts {
    fn new(name: &str) -> Hosts {
        let file = std::env::temp_dir().join(format!("saltus-{name}-{}", std::process::id()));
        fs::write(&file, "").unwrap();
        // SAFETY: changes only this thread's view of files.
        assert_eq!(unsafe { libc::unshare(libc::CLONE_NEWNS) }, 0, "{}", std::io::Error::last_os_error());
        let file_name = file.to_str().unwrap();
        for words in [["--make-rprivate", "/"].as_slice(), &["--bind", file_name, "/etc/hosts"]] {
            assert!(Command::new("mount").args(words).status().unwrap().success(), "mount {words:?}");
        }
        Hosts(file)
    }
    fn say(&self, address: &str) {
        fs::write(&self.0, format!("{address} robot.example\n")).unwrap();
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn config() -> Config {
    Config::new(Key::from_bytes([4; 32]))
}

/// Runs both ends until the condition is true of the two.
fn until(what: &str, ends: [&mut Driver; 2], done: impl Fn(bool, bool) -> bool) {
    let (start, [one, other]) = (Instant::now(), ends);
    while !done(one.is_connected(), other.is_connected()) {
        assert!(start.elapsed() < LONG, "{what}: {:?}, {:?}", one.trouble(), other.trouble());
        for end in [&mut *one, other] {
            end.turn(|_| {}).unwrap();
            end.wait(&[], clock::monotonic() + 5_000_000).unwrap();
        }
    }
}

fn moves(name: &str, tcp: bool) {
    let hosts = Hosts::new(name);
    hosts.say("127.0.0.2");
    let mut old = Driver::listen(config(), "127.0.0.2:7710", tcp).unwrap();
    let mut desk = Driver::connect(config(), "robot.example:7710", tcp).unwrap();
    until("they meet", [&mut desk, &mut old], |desk, robot| desk && robot);
    drop(old);
    hosts.say("127.0.0.3");
    let mut new = Driver::listen(config(), "127.0.0.3:7710", tcp).unwrap();
    until("they meet again", [&mut desk, &mut new], |desk, robot| desk && robot);
}

#[test]
fn an_unreachable_address_is_reported_and_the_tunnel_keeps_running() {
    isolated(|| {
        let hosts = Hosts::new("astray");
        hosts.say("127.0.0.2");
        let mut desk = Driver::connect(config(), "robot.example:7710", false).unwrap();
        refuse_call(libc::SYS_socket, Some(libc::AF_INET6 as u32), libc::EAFNOSUPPORT); // as on a machine without IPv6
        hosts.say("::1");
        let start = Instant::now();
        let reported = loop {
            desk.turn(|_| {}).unwrap();
            desk.wait(&[], clock::monotonic() + 5_000_000).unwrap();
            match desk.trouble().map(|trouble| trouble.to_string()) {
                Some(reported) if reported.contains("cannot open a UDP socket at [::]:0") => break reported,
                _ => assert!(start.elapsed() < LONG, "no error is reported"),
            }
        };
        assert!(reported.contains("not supported"), "{reported}");
        hosts.say("127.0.0.2");
        let mut robot = Driver::listen(config(), "127.0.0.2:7710", false).unwrap();
        until("they meet", [&mut desk, &mut robot], |desk, robot| desk && robot);
    });
}

#[test]
fn a_peer_with_a_new_address_is_found_by_udp() {
    isolated(|| moves("by-udp", false));
}

#[test]
fn a_peer_with_a_new_address_is_found_by_tcp() {
    isolated(|| moves("by-tcp", true));
}
