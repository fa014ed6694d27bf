//! The same program with LCM's library and with ours prints the same: what LCM does is what we do.

mod support;

use std::path::{Path, PathBuf};
use support::*;

/// The program `differential.c`, built for both libraries.
struct Pair {
    theirs: (Library, PathBuf),
    ours: (Library, PathBuf),
    dir: PathBuf,
}

impl Pair {
    fn new(name: &str) -> Pair {
        let dir = scratch(name);
        let (theirs, ours) = (theirs(), ours(&dir));
        let build = |library: &Library, name: &str| library.build("differential.c", &dir.join(name), &[]);
        let (a, b) = (build(&theirs, "for-theirs"), build(&ours, "for-ours"));
        Pair { theirs: (theirs, a), ours: (ours, b), dir }
    }

    /// What a call prints with each library, which must be the same. Twice with ours: the program that was built for LCM too.
    #[track_caller]
    fn same(&self, words: &[&str]) -> String {
        let theirs = run(self.theirs.0.command(&self.theirs.1).args(words).current_dir(&self.dir));
        for program in [&self.ours.1, &self.theirs.1] {
            self.clean();
            let ours = run(self.ours.0.command(program).args(words).current_dir(&self.dir));
            if let Some(difference) = difference(&theirs, &ours) {
                panic!("{} {words:?}: {difference}", program.display());
            }
        }
        self.clean();
        theirs
    }
    /// Removes what a call has written.
    fn clean(&self) {
        let _ = std::fs::remove_file(self.dir.join("written")); // not there, mostly
    }
}

#[test]
fn the_library_has_the_name_and_the_functions_of_lcms_and_no_others() {
    let dir = scratch("names");
    let (theirs, ours) = (theirs(), ours(&dir));
    let names = |library: &Library| {
        let symbols = run(std::process::Command::new("nm")
            .args(["-D", "--defined-only"])
            .arg(library.lib.join("liblcm.so.1")));
        let names = symbols.lines().filter_map(|line| line.split(" T ").nth(1)).map(String::from);
        names.collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(names(&theirs), names(&ours));
    assert_eq!(names(&ours).len(), 16);
    let about = run(std::process::Command::new("readelf").arg("-d").arg(ours.lib.join("liblcm.so.1")));
    assert!(about.contains("soname: [liblcm.so.1]"), "{about}");
}

#[test]
fn a_program_takes_our_library_by_a_preload_too() {
    let dir = scratch("preload");
    let (theirs, ours) = (theirs(), ours(&dir));
    let program = theirs.build("differential.c", &dir.join("program"), &[]);
    let mut command = theirs.command(&program);
    let output = output(command.args(["urls", "mem://"]).env("LD_PRELOAD", ours.lib.join("liblcm.so.1")));
    assert_eq!(text(&output.stdout), "mem://: 1\n", "LCM has no such URL");
}

/// The networks on which calls are compared. On `mpudpm://` the order of channels is not promised, and LCM misses the first messages of
/// some.
const NETWORKS: [&str; 2] = ["memq://", "udpm://239.255.76.67:7667?ttl=0"];

#[test]
fn subscriptions_queues_and_return_values_are_those_of_lcm() {
    let pair = Pair::new("calls");
    saltus_netns::isolated(|| {
        for url in NETWORKS {
            let lines = pair.same(&["calls", url]).lines().count();
            assert!(lines > 1000, "{url}: {lines} lines");
        }
    });
}

#[test]
fn handlers_may_do_what_they_may_in_lcm() {
    let pair = Pair::new("handlers");
    saltus_netns::isolated(|| NETWORKS.iter().for_each(|url| drop(pair.same(&["handlers", url]))));
}

#[test]
fn random_calls_have_the_results_that_they_have_in_lcm() {
    let pair = Pair::new("random");
    saltus_netns::isolated(|| {
        // More of them in `cargo xtask test --all`.
        let seeds = std::env::var("SALTUS_TEST_SEEDS").map_or(20, |n| n.parse().expect("a number"));
        for seed in 1..=seeds {
            for url in NETWORKS {
                pair.same(&["random", url, &seed.to_string(), "300"]);
            }
        }
    });
}

#[test]
fn a_signal_ends_a_wait_as_in_lcm() {
    let (dir, theirs) = (scratch("signals"), theirs());
    let ours = ours(&dir);
    let program = theirs.build("signals.c", &dir.join("program"), &[]);
    let domain = TestDomain::new();
    saltus_netns::isolated(|| {
        let expected = run(theirs.command(&program).arg("udpm://"));
        for url in ["udpm://", &domain.url()] {
            let difference = difference(&expected, &run(ours.command(&program).arg(url)));
            assert!(difference.is_none(), "{url}: {}", difference.unwrap_or_default());
        }
    });
}

#[test]
fn a_log_is_played_as_by_lcm() {
    let pair = Pair::new("play");
    write_events(&pair.dir.join("log"), &[1000, 1001, 1500, 1500, 1400, 61500]);
    for options in ["", "?speed=0", "?speed=-1", "?speed=2&mode=r", "?speed=0.5", "?color=red"] {
        pair.same(&["play", &format!("file://log{options}")]);
    }
    std::fs::write(pair.dir.join("empty"), "").unwrap();
    std::fs::write(pair.dir.join("text"), "no log at all\n".repeat(100)).unwrap();
    pair.same(&["play", "file://empty"]);
    pair.same(&["play", "file://text"]);
}

/// A log of events on A and on OTHER at these times.
fn write_events(path: &Path, times: &[i64]) {
    let mut bytes = Vec::new();
    for (i, time) in times.iter().enumerate() {
        let channel = if i == 1 { "OTHER" } else { "A" };
        event(&mut bytes, i as i64, *time, channel, &vec![i as u8; i]);
    }
    std::fs::write(path, bytes).unwrap();
}

fn event(to: &mut Vec<u8>, number: i64, time: i64, channel: &str, data: &[u8]) {
    to.extend(0xeda1da01u32.to_be_bytes());
    to.extend(number.to_be_bytes());
    to.extend(time.to_be_bytes());
    to.extend((channel.len() as u32).to_be_bytes());
    to.extend((data.len() as u32).to_be_bytes());
    to.extend(channel.as_bytes());
    to.extend(data);
}

#[test]
fn urls_open_and_fail_as_in_lcm() {
    let pair = Pair::new("urls");
    saltus_netns::isolated(|| {
        pair.same(&[
            "urls",
            "",
            "udpm://",
            "udpm://239.255.76.67",
            "udpm://239.1.1.1:7000?ttl=1",
            "udpm://?color=red",
            "udpm://?ttl=abc",
            "udpm://?recv_buf_size=100000&transmit_only",
            "udpm:",
            "udpm",
            "foo://",
            "://",
            "udpm://1.2.3.4:5",
            "udpm://localhost:7667",
            "udpm://239.255.76.67:99999",
            "memq://",
            "memq://abc?x=1",
            "mpudpm://",
            "mpudpm://239.255.76.67:7667?nports=10",
            "tcpq://",
            "tcpq://127.0.0.1:1",
            "file://",
            "file:///nowhere/at/all",
            "file://written?mode=w",
            "file://written?mode=q",
        ]);
    });
}

#[test]
fn without_a_route_for_multicast_no_network_opens() {
    let pair = Pair::new("unrouted");
    saltus_netns::isolated(|| {
        saltus_netns::ip("route del 224.0.0.0/4 dev lo");
        pair.same(&["urls", "udpm://", "mpudpm://"]);
    });
}

#[test]
fn logs_are_read_as_by_lcm_whole_and_damaged() {
    let pair = Pair::new("logs");
    let mut sound = Vec::new();
    for i in 0..100 {
        event(
            &mut sound,
            i,
            1000 + 10 * i,
            ["A", "B", "LONG_NAME"][i as usize % 3],
            &vec![i as u8; 7 * i as usize],
        );
    }
    let damaged: Vec<(&str, Vec<u8>)> = vec![
        ("sound", sound.clone()),
        ("empty", Vec::new()),
        ("cut", sound[..sound.len() - 3].to_vec()),
        ("cut-in-header", sound[..40].to_vec()),
        ("junk-before", [b"some junk", &sound[..]].concat()),
        ("junk-behind", [&sound[..], b"some junk"].concat()),
        ("little-behind", [&sound[..], b"abc"].concat()),
        ("junk-between", [&sound[..29], b"junk", &sound[29..]].concat()),
        ("long-name", {
            let mut bytes = sound.clone();
            bytes[20..24].copy_from_slice(&1000u32.to_be_bytes());
            bytes
        }),
        ("no-name", {
            let mut bytes = sound.clone();
            bytes[20..24].copy_from_slice(&0u32.to_be_bytes());
            bytes
        }),
        ("negative", {
            let mut bytes = sound.clone();
            bytes[24..28].copy_from_slice(&(-1i32).to_be_bytes());
            bytes
        }),
        ("text", b"this is not a log\n".repeat(20)),
    ];
    for (name, bytes) in damaged {
        std::fs::write(pair.dir.join(name), bytes).unwrap();
        pair.same(&["log", name]);
    }
    // Between two times LCM lands before or behind. Of these it finds each.
    pair.same(&["seek", "sound", "-1", "0", "1000", "1010", "1500", "1990", "2000", "1000000", "1000"]);
    pair.same(&["log", "nowhere"]);
    pair.same(&["write", "nowhere/at/all", "w"]);
}

#[test]
fn a_log_that_one_library_wrote_is_byte_for_byte_that_of_the_other() {
    let pair = Pair::new("written");
    let write = |(library, program): &(Library, PathBuf), file: &str| {
        let mut printed = String::new();
        for mode in ["w", "a", "a"] {
            printed += &run(library.command(program).args(["write", file, mode]).current_dir(&pair.dir));
        }
        (printed, std::fs::read(pair.dir.join(file)).unwrap())
    };
    let (theirs, ours) = (write(&pair.theirs, "by-theirs"), write(&pair.ours, "by-ours"));
    assert_eq!(theirs.0, ours.0);
    assert!(theirs.1 == ours.1 && theirs.1.len() > 3000);
    pair.same(&["log", "by-theirs", "by-ours"]);
}
