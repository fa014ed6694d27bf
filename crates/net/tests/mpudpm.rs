//! LCM's network of many ports, with LCM 1.5.3 as the other side.

mod support;

use saltus_net::lcm::Received;
use saltus_net::lcm::mpudpm::{self, Listener, Publisher};
use saltus_net::udp::Options;
use std::time::{Duration, Instant};
use support::{Peer, alone, made, readable};

const PORTS: u16 = 10;

fn open() -> (Publisher, Listener) {
    let mut options = Options { recv_buf: Some(1 << 26), ..Options::default() };
    options.group.set_port(7900);
    mpudpm::open(&options, PORTS).unwrap()
}

fn peer() -> Peer {
    Peer::python("mpudpm://239.255.76.67:7900?nports=10&ttl=0&recv_buf_size=4194304")
}

/// Drains until a message on `channel` has arrived, which must be the one made from the seed. Listens to new
/// channels that begin with `prefix`.
fn expect(listener: &mut Listener, prefix: &str, (channel, size, seed): (&str, usize, u32)) {
    let end = Instant::now() + Duration::from_secs(20);
    let mut came = false;
    while !came {
        assert!(Instant::now() < end, "no message on {channel} within 20 s");
        readable(listener, Duration::from_millis(10));
        let sink = |m: Received<'_>| {
            assert!(!m.channel.starts_with(b"#!"), "LCM's own messages are not the caller's");
            if m.channel == channel.as_bytes() {
                assert!(m.payload == made(size, seed));
                came = true;
            }
        };
        listener.drain(1000, sink, |name| name.starts_with(prefix.as_bytes())).unwrap();
    }
}

#[test]
fn names_go_both_ways() {
    alone(|| {
        let (publisher, mut listener) = open();
        let mut peer = peer();
        for (seed, (to, from)) in [("POSE", "IMU"), ("A", "EXAMPLE"), ("CH0", "CH1")].into_iter().enumerate()
        {
            peer.ask(&format!("subscribe {to}"));
            let port = listener.subscribe(from.as_bytes()).unwrap().expect("a name, no pattern");
            assert!((7900..7910).contains(&port));
            for size in [0, 100, 70_000, 500_000] {
                publisher.publish(to.as_bytes(), &made(size, seed as u32)).unwrap();
                peer.ask(&format!("expect {to} {size} {seed}"));
                peer.ask(&format!("publish {from} {size} {seed}"));
                expect(&mut listener, "none", (from, size, seed as u32));
            }
        }
        assert_eq!(listener.dropped(), 0);
    });
}

#[test]
fn patterns_match_channels_created_later() {
    alone(|| {
        let (publisher, mut listener) = open();
        let mut peer = peer();
        // We receive from LCM: the first message may be missed, since it announces its port.
        assert_eq!(listener.subscribe(b"FROM.*").unwrap(), None);
        for channel in ["FROM1", "FROM2"] {
            let end = Instant::now() + Duration::from_secs(20);
            let known = |l: &Listener| l.channels().iter().any(|(name, _)| name == channel.as_bytes());
            while !known(&listener) {
                assert!(Instant::now() < end, "{channel} does not become known");
                peer.ask(&format!("publish {channel} 1 0"));
                readable(&listener, Duration::from_millis(50));
                listener.drain(1000, |_: Received<'_>| {}, |name| name.starts_with(b"FROM")).unwrap();
            }
            peer.ask(&format!("publish {channel} 1000 9"));
            let wanted = made(1000, 9);
            let mut came = false;
            while !came {
                assert!(Instant::now() < end, "nothing comes on {channel}");
                readable(&listener, Duration::from_millis(50));
                listener.drain(1000, |m: Received<'_>| came |= m.payload == wanted, |_| false).unwrap();
            }
        }
        // LCM receives from us.
        peer.ask("subscribe TO.*");
        let end = Instant::now() + Duration::from_secs(20);
        publisher.publish(b"TO1", &made(10, 1)).unwrap();
        peer.tell("expect TO.* 10 1");
        while !readable(peer.answers(), Duration::from_millis(50)) {
            assert!(Instant::now() < end, "LCM does not learn of our channel");
            publisher.publish(b"TO1", &made(10, 1)).unwrap();
            listener.drain(1000, |_: Received<'_>| {}, |_| false).unwrap();
        }
        assert_eq!(peer.answer(), "ok");
    });
}

#[test]
fn a_late_subscriber_asks_and_gets_answers() {
    alone(|| {
        let (publisher, mut first) = open();
        publisher.publish(b"EARLY", b"").unwrap();
        let (_, mut late) = open();
        assert_eq!(late.subscribe(b"E.*").unwrap(), None);
        let end = Instant::now() + Duration::from_secs(20);
        while late.channels().is_empty() {
            assert!(Instant::now() < end, "nobody answers");
            first.drain(100, |_: Received<'_>| {}, |_| false).unwrap();
            late.drain(100, |_: Received<'_>| {}, |name| name == b"EARLY").unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
        publisher.publish(b"EARLY", &made(50, 3)).unwrap();
        expect(&mut late, "", ("EARLY", 50, 3));
    });
}

#[test]
fn a_peer_with_another_number_of_ports_is_reported_once() {
    alone(|| {
        let (publisher, _first) = open();
        let mut options = Options::default();
        options.group.set_port(7900);
        let (_, mut other) = mpudpm::open(&options, PORTS + 1).unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        let mut reported = Vec::new();
        for n in 0..3 {
            publisher.publish(format!("NEW{n}").as_bytes(), b"").unwrap();
            assert!(readable(&other, end - Instant::now()));
            while readable(&other, Duration::ZERO) {
                reported.extend(other.drain(100, |_: Received<'_>| {}, |_| false).err());
            }
        }
        let reported: Vec<String> = reported.iter().map(ToString::to_string).collect();
        assert!(
            reported.len() == 1 && reported[0].contains("10 ports") && reported[0].contains("`nports`"),
            "{reported:?}"
        );
        assert!(other.channels().is_empty());
    });
}

#[test]
fn ports_are_left_when_nobody_needs_them() {
    alone(|| {
        let count = || std::fs::read_dir("/proc/thread-self/fd").unwrap().count();
        let (publisher, mut listener) = open();
        let before = count();
        let port = listener.subscribe(b"POSE").unwrap().unwrap();
        listener.listen(port).unwrap();
        assert_eq!(count(), before + 1);
        listener.leave(port);
        assert_eq!(count(), before + 1);
        listener.leave(port);
        listener.leave(port);
        assert_eq!(count(), before);
        let why = publisher.publish(b"#!mpudpm_CH2PRT_REQ", b"r").unwrap_err().to_string();
        assert!(why.contains("LCM reserves names"), "{why}");
        let why = mpudpm::open(&Options::default(), 60_000).err().unwrap().to_string();
        assert!(why.contains("nports"), "{why}");
    });
}
