//! ZeroMQ with pyzmq on the other side, and cases outside the conformance suite: addresses, dead processes, and
//! waiting.

#![cfg(feature = "zmq")]

#[path = "../../net/tests/support/mod.rs"]
mod support;

use saltus_domain::{Domain, Error, Missed, Options, Pattern, Publisher, Start, Subscriber};
use saltus_netns::{isolated, isolated_program};
use std::fs;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};
use support::{Peer, file, made, program, readable};

/// Long enough for a loaded machine; no test waits this long when all is well.
const LONG: Duration = Duration::from_secs(20);
const SIZES: [usize; 7] = [0, 1, 255, 256, 70_000, 1_000_000, 10_000_000];

/// A directory that is removed on drop.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Directory {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("saltus-zmq-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Relaxed));
        Directory(std::env::temp_dir().join(name))
    }
    fn url(&self) -> String {
        format!("zmq://{}", self.0.display())
    }
    /// Names of files that are not hidden.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().into_string().unwrap());
        names.filter(|name| !name.starts_with('.')).collect()
    }
    /// The address of the only socket.
    fn endpoint(&self) -> String {
        let names = self.names();
        assert_eq!(names.len(), 1, "{names:?}");
        format!("ipc://{}/{}", self.0.display(), names[0])
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn peer() -> Peer {
    let others = file("../../../net/tests/support"); // has the message builders of both sides
    Peer::start(program("python").arg(file("zmq_peer.py")).env("PYTHONPATH", others))
}

/// A subscriber to all messages on a channel from now on.
fn all(domain: &Domain, channel: &str) -> Subscriber {
    let options = Options::next(1000).start(Start::Now);
    domain.subscriber_with(Pattern::name(channel).unwrap(), options).unwrap()
}

/// Publishes until `received` returns true.
fn meet(publisher: &mut Publisher, mut received: impl FnMut() -> bool) {
    let start = Instant::now();
    loop {
        publisher.publish(b"").unwrap();
        if received() {
            return;
        }
        assert!(start.elapsed() < LONG, "they never met");
    }
}

/// Publishes until the peer receives what is published in `domain`.
fn is_received_by(peer: &mut Peer, domain: &Domain) {
    peer.tell("meet");
    meet(&mut domain.publisher("meet").unwrap(), || readable(peer.answers(), Duration::from_millis(10)));
    assert_eq!(peer.answer(), "ok");
}

/// Waits until `domain` receives what the peer publishes.
fn receives_from(domain: &Domain, peer: &mut Peer) {
    let mut subscriber = all(domain, "receives");
    let start = Instant::now();
    while subscriber.receive(Duration::from_millis(10)).unwrap().is_none() {
        peer.ask("publish receives 1 1");
        assert!(start.elapsed() < LONG, "they never met");
    }
}

/// Waits until `to` receives what is published in `from`.
fn settle(from: &Domain, to: &Domain) {
    let mut subscriber = all(to, "settle");
    let mut received = || subscriber.receive(Duration::from_millis(10)).unwrap().is_some();
    meet(&mut from.publisher("settle").unwrap(), &mut received);
}

fn both_directions(domain: &Domain, peer: &mut Peer) {
    let (mut publisher, mut subscriber) = (domain.publisher("there").unwrap(), all(domain, "back"));
    for (seed, size) in SIZES.into_iter().enumerate() {
        publisher.publish(&made(size, seed as u32)).unwrap();
        peer.ask(&format!("expect there {size} {seed}"));
        peer.ask(&format!("publish back {size} {seed}"));
        let message = subscriber.receive(LONG).unwrap().expect("a message in time");
        assert!(message.data == made(size, seed as u32), "{size} bytes");
        assert_eq!((message.missed, message.sender), (Missed::Unknown, None));
    }
}

#[test]
fn pyzmq_is_a_peer_in_a_directory_though_it_is_killed_and_started_again() {
    let directory = Directory::new();
    let domain = Domain::open(&directory.url()).unwrap();
    let _publisher = domain.publisher("there").unwrap();
    let (ours, theirs) = (directory.endpoint(), format!("ipc://{}/peer", directory.0.display()));
    let _subscriber = all(&domain, "back"); // it stays while peers start and stop
    for _ in 0..3 {
        let mut peer = peer();
        peer.ask(&format!("bind {theirs}"));
        peer.ask(&format!("connect {ours} 1000"));
        peer.ask("subscribe there");
        is_received_by(&mut peer, &domain);
        receives_from(&domain, &mut peer);
        both_directions(&domain, &mut peer);
        peer.tell("die");
        assert_eq!(peer.answer(), "");
        assert!(directory.names().contains(&"peer".to_string()), "it is its next one's name");
    }
}

#[test]
fn pyzmq_is_a_peer_over_tcp_though_it_is_killed_and_started_again() {
    isolated(|| {
        let domain = Domain::open("zmq://?bind=127.0.0.1:5555&connect=localhost:5556").unwrap();
        let _subscriber = all(&domain, "back");
        for _ in 0..3 {
            let mut peer = peer();
            peer.ask("bind tcp://127.0.0.1:5556");
            peer.ask("connect tcp://127.0.0.1:5555 1000");
            peer.ask("subscribe there");
            is_received_by(&mut peer, &domain);
            receives_from(&domain, &mut peer);
            both_directions(&domain, &mut peer);
            peer.tell("die");
            assert_eq!(peer.answer(), "");
        }
    });
}

#[test]
fn a_process_that_publishes_once_and_exits_reaches_existing_subscribers() {
    let directory = Directory::new();
    let (one, other) = (Domain::open(&directory.url()).unwrap(), Domain::open(&directory.url()).unwrap());
    let mut subscribers = [all(&one, "once"), all(&other, "once")];
    for n in 0..10 {
        let start = Instant::now();
        Domain::open(&directory.url()).unwrap().publisher("once").unwrap().publish(&[n]).unwrap();
        for subscriber in &mut subscribers {
            match subscriber.receive(Duration::from_secs(2)).unwrap() {
                Some(message) => assert_eq!(message.data, [n]),
                // It waits for half a second, and no longer: on a machine busy for that long, the wait may time
                // out.
                None => assert!(start.elapsed() > Duration::from_millis(2500), "message {n}"),
            }
        }
    }
    drop(subscribers);
    drop((one, other));
    assert_eq!(fs::read_dir(&directory.0).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn a_removed_directory_is_recreated_only_by_a_publisher() {
    let directory = Directory::new();
    let there = Domain::open(&directory.url()).unwrap();
    let mut subscriber = all(&there, "a");
    for _ in 0..2 {
        fs::remove_dir_all(&directory.0).unwrap();
        assert!(subscriber.receive(Duration::from_millis(100)).unwrap().is_none());
        assert!(!directory.0.exists());
        settle(&Domain::open(&directory.url()).unwrap(), &there);
    }
}

#[test]
fn a_message_of_another_shape_is_reported_once_and_skipped() {
    let directory = Directory::new();
    let domain = Domain::open(&directory.url()).unwrap();
    let mut subscriber = all(&domain, "odd");
    let mut peer = peer();
    peer.ask(&format!("bind ipc://{}/peer", directory.0.display()));
    receives_from(&domain, &mut peer);
    for parts in [3, 1, 3, 70] {
        peer.ask(&format!("parts odd {parts}"));
    }
    peer.ask("publish odd 5 1");
    let (mut loss_counts, mut payloads) = (Vec::new(), Vec::new());
    while loss_counts.is_empty() || payloads.is_empty() {
        match subscriber.receive(LONG) {
            Ok(message) => payloads.push(message.expect("a message in time").data.to_vec()),
            Err(e) => loss_counts.push(e.to_string()),
        }
    }
    assert!(subscriber.receive(Duration::from_millis(100)).unwrap().is_none());
    assert_eq!((loss_counts.len(), payloads), (1, vec![made(5, 1)]));
    assert!(
        loss_counts[0].contains("`odd`") && loss_counts[0].contains(" parts; here it has two"),
        "{loss_counts:?}"
    );
}

#[test]
fn a_slow_subscriber_delays_nobody_and_uses_at_most_its_high_water_mark() {
    let resident = || -> usize {
        let status = fs::read_to_string("/proc/self/statm").unwrap();
        status.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
    };
    let directory = Directory::new();
    let domain = Domain::open(&format!("{}?hwm=4&linger=0", directory.url())).unwrap();
    let mut publisher = domain.publisher("much").unwrap();
    let mut peer = peer();
    peer.ask(&format!("connect {} 1", directory.endpoint()));
    peer.ask("subscribe much");
    is_received_by(&mut peer, &domain);
    let before = resident();
    let message = vec![1; 4 << 20];
    for _ in 0..400 {
        publisher.publish(&message).unwrap(); // it never waits for the peer
    }
    let (more, published) = (resident().saturating_sub(before), 400 * message.len());
    assert!(more < published / 2, "{more} bytes of {published}"); // other tests of this process have messages too
}

#[test]
fn a_process_receives_its_own_messages_once() {
    isolated(|| {
        let domain = Domain::open("zmq://?bind=*:5555&connect=127.0.0.1:5555").unwrap();
        let mut before = all(&domain, "own"); // it connects before the address exists
        for n in 0..3 {
            let mut publisher = domain.publisher("own").unwrap();
            let mut after = all(&domain, "own");
            publisher.publish(&[n]).unwrap();
            for subscriber in [&mut before, &mut after] {
                let message = subscriber.receive(LONG).unwrap().expect("a message in time");
                assert_eq!((message.data, message.missed), (&[n][..], Missed::Unknown));
            }
            assert!(before.receive(Duration::from_millis(100)).unwrap().is_none(), "once only");
        }
    });
}

/// In its own program, as [below](the_sockets_of_the_dead_are_taken_away_and_ones_own): the address is bound again.
#[test]
fn over_tcp_messages_arrive_whole_and_a_publisher_may_restart() {
    isolated_program(|| {
        let there = Domain::open("zmq://?connect=127.0.0.1:5555,127.0.0.1:5556").unwrap();
        let mut subscriber = there.subscriber_with(Pattern::all(), Options::next(1000)).unwrap();
        for _ in 0..3 {
            let here = Domain::open("zmq://?bind=127.0.0.1:5555").unwrap();
            settle(&here, &there);
            let mut publisher = here.publisher("x".repeat(63)).unwrap();
            for size in [0, 30 << 20, 1] {
                publisher.publish(&made(size, 7)).unwrap();
                loop {
                    let message = subscriber.receive(LONG).unwrap().expect("a message in time");
                    if message.channel.as_bytes() != b"settle" {
                        break assert!(message.data == made(size, 7), "{size}");
                    }
                }
            }
        }
    });
}

/// In its own program, as the one above.
#[test]
fn addresses_that_cannot_be_had_are_named() {
    isolated_program(|| {
        let url = "zmq://?bind=127.0.0.1:5555";
        let (one, two) = (Domain::open(url).unwrap(), Domain::open(url).unwrap());
        one.publisher("a").unwrap();
        let loss_counts = two.publisher("a").unwrap_err().to_string();
        assert!(loss_counts.contains("publish at tcp://127.0.0.1:5555"), "{loss_counts}");
        drop(one);
        two.publisher("a").unwrap().publish(b"").unwrap();
        let nowhere = Domain::open("zmq://?connect=127.0.0.1:5556").unwrap();
        let loss_counts = nowhere.publisher("a").unwrap_err();
        assert!(
            matches!(&loss_counts, Error::Unsupported { what } if what.contains("bind=")),
            "{loss_counts}"
        );
    });
}

/// In its own program: a child started by another test holds this one's sockets too, from `fork` to `exec`.
#[test]
fn the_sockets_of_the_dead_are_taken_away_and_ones_own() {
    isolated_program(|| {
        let directory = Directory::new();
        fs::create_dir(&directory.0).unwrap();
        let live = UnixListener::bind(directory.0.join("saltus-1-live")).unwrap();
        drop(UnixListener::bind(directory.0.join("saltus-1-dead")).unwrap());
        drop(UnixListener::bind(directory.0.join("foreign")).unwrap());
        let hidden = directory.0.join(".saltus-sub-1-dead");
        for file in [&directory.0.join("saltus-no-socket"), &hidden] {
            fs::write(file, "").unwrap();
        }
        let domain = Domain::open(&directory.url()).unwrap();
        let publisher = domain.publisher("a").unwrap();
        let mut names = directory.names();
        names.sort();
        assert!(names[2].starts_with(&format!("saltus-{}-", std::process::id())), "{names:?}");
        assert_eq!(
            (names.len(), &*names[0], &*names[1], &*names[3]),
            (4, "foreign", "saltus-1-live", "saltus-no-socket")
        );
        assert!(!hidden.exists());
        drop((publisher, domain, live));
        Domain::open(&directory.url()).unwrap().subscriber("a").unwrap();
        names = directory.names();
        names.sort();
        assert_eq!(names, ["foreign", "saltus-no-socket"]);
    });
}
