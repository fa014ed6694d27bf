//! `dds://` with CycloneDDS as the other side, in separate network namespaces.

#![cfg(feature = "dds")]

#[path = "dds/peer.rs"]
mod peer;

use peer::{Peer, apart, imu, made, types};
use saltus_domain::{Domain, Options, Pattern, Publisher, Subscriber, Until};
use std::time::{Duration, Instant};

/// Longer than anything takes when all is well.
const LONG: Duration = Duration::from_secs(20);
/// Around the lengths at which fragments begin and packets are full.
const SIZES: [usize; 12] = [0, 1, 3, 4, 5, 1000, 1300, 1500, 63_000, 65_536, 200_001, 1 << 20];
const QOS: [&str; 2] = ["reliable", "best_effort"];

fn all(domain: &Domain, channel: &str) -> Subscriber {
    domain.subscriber_with(Pattern::name(channel).unwrap(), Options::next(100)).unwrap()
}

/// Publishes until the peer reports its first message.
fn meet(publisher: &mut Publisher, peer: &mut Peer, topic: &str, message: &[u8]) -> String {
    peer.tell(&format!("take {topic}"));
    loop {
        publisher.publish(message).unwrap();
        if let Some(answer) = peer.answer_within(Duration::from_millis(20)) {
            return answer;
        }
    }
}

/// Publishes until the peer reports that message; earlier messages may arrive first.
fn expect(publisher: &mut Publisher, peer: &mut Peer, topic: &str, message: &[u8], expected: &str) {
    let start = Instant::now();
    while meet(publisher, peer, topic, message) != expected {
        assert!(start.elapsed() < LONG, "{expected}");
    }
}

#[test]
fn bytes_of_any_length_reach_cyclone() {
    apart(|| {
        for qos in QOS {
            let domain = Domain::open(&format!("dds://7?patience=20000&reliability={qos}")).unwrap();
            let mut publisher = domain.publisher("out").unwrap();
            let mut peer = Peer::start(7);
            peer.ask(&format!("read out bytes {qos}"));
            assert_eq!(meet(&mut publisher, &mut peer, "out", b""), "0 0");
            for (i, size) in SIZES.into_iter().enumerate() {
                let (message, seed) = (made(size, i + 1), if size == 0 { 0 } else { i + 1 });
                if qos == "reliable" {
                    publisher.publish(&message).unwrap();
                    while peer.answer_to("take out") != format!("{size} {seed}") {}
                } else {
                    // It may be lost, but never arrives in part.
                    expect(&mut publisher, &mut peer, "out", &message, &format!("{size} {seed}"));
                }
            }
        }
    });
}

#[test]
fn bytes_of_any_length_arrive_from_cyclone() {
    apart(|| {
        for qos in QOS {
            let domain = Domain::open(&format!("dds://7?reliability={qos}")).unwrap();
            let mut subscriber = all(&domain, "in");
            let mut peer = Peer::start(7);
            peer.ask(&format!("write in bytes {qos}"));
            for (i, size) in SIZES.into_iter().enumerate() {
                let start = Instant::now();
                peer.ask(&format!("send in {size} {i}"));
                let wait = if qos == "reliable" { LONG } else { Duration::from_millis(200) };
                while subscriber.receive(wait).unwrap().is_none_or(|message| message.data != made(size, i)) {
                    assert!(qos == "best_effort" && start.elapsed() < LONG, "{qos}, {size} B");
                    peer.ask(&format!("send in {size} {i}"));
                }
                let message = subscriber.last().unwrap();
                // Losses before the first one are unknown.
                assert!(message.sender.is_some() && (i == 0 || message.missed.count().is_some()));
            }
        }
    });
}

/// QoS offered by one side and requested by the other match where DDS allows it.
#[test]
fn messages_of_ros_go_both_ways() {
    apart(|| {
        for qos in QOS {
            let url = format!("dds://7?names=ros2&types={}&reliability={qos}", types().display());
            let domain = Domain::open(&url).unwrap();
            let mut publisher = domain.publisher("imu").unwrap();
            let mut peer = Peer::start(7);
            peer.ask(&format!("read rt/imu imu {qos}"));
            expect(&mut publisher, &mut peer, "rt/imu", &imu(3), "0 3");
            expect(&mut publisher, &mut peer, "rt/imu", &imu(4), "0 4");

            for offered in QOS {
                let channel = format!("robot/{offered}");
                let mut subscriber = all(&domain, &channel);
                let mut peer = Peer::start(7);
                peer.ask(&format!("write rt/{channel} imu {offered}"));
                let send = format!("send rt/{channel} 0 6");
                peer.ask(&send);
                let (start, is_reliable) = (Instant::now(), [qos, offered] == ["reliable"; 2]);
                let wait = if is_reliable { LONG } else { Duration::from_millis(200) };
                // The peer may know the subscriber before this side knows the peer.
                while subscriber.receive(wait).unwrap().is_none() {
                    assert!(!is_reliable && start.elapsed() < LONG, "{offered} for {qos}");
                    peer.ask(&send);
                }
                assert_eq!(subscriber.last().unwrap().data, imu(6), "{offered} for {qos}");
            }
        }
    });
}

#[test]
fn bytes_have_a_name_in_ros() {
    apart(|| {
        let domain = Domain::open("dds://7?names=ros2").unwrap();
        let mut publisher = domain.publisher("raw").unwrap();
        let mut peer = Peer::start(7);
        peer.ask("read rt/raw rosbytes reliable");
        assert_eq!(meet(&mut publisher, &mut peer, "rt/raw", &made(10, 9)), "10 9");
    });
}

#[test]
fn an_unknown_type_is_handed_on_as_it_is() {
    apart(|| {
        let domain = Domain::open("dds://7?names=ros2").unwrap();
        let mut subscriber = all(&domain, "imu");
        let mut peer = Peer::start(7);
        peer.ask("write rt/imu imu reliable");
        peer.ask("send rt/imu 0 6");
        let message = subscriber.receive(LONG).unwrap().expect("a message in time");
        assert_eq!(message.data[..12], [0, 1, 0, 0, 6, 0, 0, 0, 5, 0, 0, 0], "header, seconds, nanoseconds");
    });
}

#[test]
fn a_peer_may_be_killed_and_come_back() {
    apart(|| {
        let domain = Domain::open("dds://7").unwrap();
        let (mut publisher, mut subscriber) = (domain.publisher("out").unwrap(), all(&domain, "in"));
        for round in 1..=3 {
            let mut peer = Peer::start(7);
            peer.ask("read out bytes reliable");
            peer.ask("write in bytes reliable");
            peer.ask(&format!("send in 1000 {round}"));
            let message = subscriber.receive(LONG).unwrap().expect("a message in time");
            assert_eq!(message.data, made(1000, round));
            let answer = meet(&mut publisher, &mut peer, "out", &made(100, round));
            assert!(answer.starts_with("100 "), "{answer}");
            peer.kill();
        }
    });
}

/// A stopped program has promised to acknowledge, and does not.
#[test]
fn a_hanging_program_delays_nobody_and_then_receives_the_newest() {
    apart(|| {
        // With a timeout of zero, unacknowledged messages are dropped immediately.
        for (qos, patience) in [("reliable", 1), ("reliable", 0), ("best_effort", 1)] {
            let url = format!("dds://7?patience={patience}&depth=16&reliability={qos}");
            let mut publisher = Domain::open(&url).unwrap().publisher("out").unwrap();
            let mut peer = Peer::start(7);
            peer.ask(&format!("read out bytes {qos}"));
            meet(&mut publisher, &mut peer, "out", b"");
            peer.stop(true);
            (0..1000).for_each(|_| publisher.publish(&[0; 1000]).expect("nobody is waited for"));
            peer.stop(false);
            expect(&mut publisher, &mut peer, "out", &made(10, 1), "10 1");
        }
    });
}

/// It counts until its lease ends, 10 s, and the publisher keeps 16 messages.
#[test]
fn a_subscriber_that_was_killed_costs_no_other_one_a_message() {
    apart(|| {
        let (here, there) = (Domain::open("dds://7?depth=16").unwrap(), Domain::open("dds://7").unwrap());
        let mut publisher = here.publisher("out").unwrap();
        let (mut survivor, mut peer) = (all(&there, "out"), Peer::start(7));
        peer.ask("read out bytes reliable");
        meet(&mut publisher, &mut peer, "out", b"");
        while survivor.receive(Duration::from_millis(20)).unwrap().is_none() {
            publisher.publish(b"").unwrap();
        }
        peer.kill();
        for n in 0..500 {
            let message = made(100, n);
            publisher.publish(&message).expect("nobody is waited for");
            let mut next = || survivor.receive(LONG).unwrap().expect("a message in time").data == message;
            // Only messages published before it was killed may arrive first.
            while !next() {
                assert_eq!(n, 0);
            }
            assert!(n == 0 || survivor.last().unwrap().missed.count() == Some(0));
        }
    });
}

/// Whether a machine reports that nothing listens there.
fn refuses(address: (&str, u16)) -> bool {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    socket.connect(address).unwrap();
    // The report arrives a moment after the datagram; the next call returns it.
    (0..20).any(|_| {
        let refused = socket.send(b"?").is_err_and(|e| e.kind() == std::io::ErrorKind::ConnectionRefused);
        std::thread::sleep(Duration::from_millis(10));
        refused
    })
}

#[test]
fn only_the_named_interface_is_listened_on() {
    let (Ok(robot), Ok(desk)) = (saltus_netns::Space::new(), saltus_netns::Space::new()) else {
        return saltus_netns::isolated(only_the_named_interface_is_listened_on);
    };
    saltus_netns::join("cable", (&robot, [10, 9, 8, 1].into()), (&desk, [10, 9, 8, 2].into()));
    let (mut here, mut outside) = robot.run(|| {
        let open = |url| all(&Domain::open(url).unwrap(), "x");
        (open("dds://7"), open("dds://7?iface=cable"))
    });
    desk.run(|| {
        let mut publisher = Domain::open("dds://7?iface=10.9.8.2").unwrap().publisher("x").unwrap();
        let start = Instant::now();
        while outside.receive(Duration::from_millis(20)).unwrap().is_none() {
            publisher.publish(b"x").unwrap();
            assert!(start.elapsed() < LONG);
        }
        // The ports of domain 7's first two participants.
        for (port, refused) in [(9160, true), (9161, true), (9162, false), (9163, false)] {
            assert_eq!(refuses(("10.9.8.1", port)), refused, "{port}");
        }
    });
    assert!(here.receive(Until::Poll).unwrap().is_none());
    assert!(!robot.run(|| refuses(("127.0.0.1", 9160))), "it listens on this machine");
}

/// Set in a process that runs one test on its own.
const ALONE: &str = "SALTUS_TEST_ALONE";

#[test]
fn a_domain_that_is_closed_leaves_nothing_behind() {
    if std::env::var_os(ALONE).is_none() {
        let this = std::env::current_exe().unwrap();
        let name = "a_domain_that_is_closed_leaves_nothing_behind";
        let status = std::process::Command::new(this).args(["--exact", name]).env(ALONE, "1").status();
        return assert!(status.unwrap().success());
    }
    apart(|| {
        let entries = |dir: &str| std::fs::read_dir(dir).unwrap().count();
        let counts = || (entries("/proc/self/fd"), entries("/proc/self/task"));
        let round = || {
            let (here, there) = (Domain::open("dds://7").unwrap(), Domain::open("dds://7").unwrap());
            let (mut publisher, mut subscriber) = (here.publisher("x").unwrap(), all(&there, "x"));
            let start = Instant::now();
            while subscriber.receive(Duration::from_millis(10)).unwrap().is_none() {
                publisher.publish(b"x").unwrap();
                assert!(start.elapsed() < LONG);
            }
            assert!(subscriber.receive(Until::Poll).is_ok());
        };
        let before = counts();
        (0..4).for_each(|_| round());
        // The library's discovery thread may be the last to hold the participant, and then closes it.
        let start = Instant::now();
        while counts().0 > before.0 || counts().1 > before.1 {
            assert!(start.elapsed() < LONG, "{:?} descriptors and threads, before {before:?}", counts());
            std::thread::sleep(Duration::from_millis(10));
        }
    });
}
