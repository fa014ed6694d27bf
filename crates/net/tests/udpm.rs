//! Both sides of a group in networks of their own: the self test, threads, interfaces, unicast, memory.

mod support;

use saltus_net::Error;
use saltus_net::lcm::senders::Order;
use saltus_net::lcm::{Intake, Listener, Publisher, Received, SELF_TEST, Sink, Udpm, check};
use saltus_net::lcm::{reassembly::Limits, split::split};
use saltus_net::udp::{Options, Receiver};
use saltus_netns::{Space, isolated, join};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::process::Command;
use std::time::Duration;
use support::{Ear, made, readable};

fn run(words: &str) {
    let mut words = words.split(' ');
    assert!(Command::new(words.next().unwrap()).args(words).status().unwrap().success());
}

#[test]
fn sent_messages_are_received() {
    isolated(|| {
        let mut udpm = Udpm::open(&Options::default()).unwrap();
        let mut heard = Vec::new();
        udpm.check(|m: Received<'_>| heard.push((m.channel.to_vec(), m.payload.to_vec()))).unwrap();
        assert_eq!(heard[0], (SELF_TEST.to_vec(), b"lcm self test".to_vec()));
    });
}

#[test]
fn a_host_without_a_route_gets_the_command_to_type() {
    isolated(|| {
        run("ip route del 224.0.0.0/4");
        let why = Listener::open(&Options::default()).err().unwrap().to_string();
        assert!(why.contains("ip route add 224.0.0.0/4 dev lo"), "{why}");
        let publisher = Publisher::open(&Options::default()).unwrap();
        let why = publisher.publish(b"A", b"").unwrap_err().to_string();
        assert!(
            why.contains("239.255.76.67:7667") && why.contains("ip route add 224.0.0.0/4 dev lo"),
            "{why}"
        );
        for odd in ["nowhere", "10.77.66.55"] {
            let options = Options { iface: Some(odd.into()), ..Options::default() };
            for why in [Listener::open(&options).err().unwrap(), Publisher::open(&options).err().unwrap()] {
                let why = why.to_string();
                assert!(why.contains(odd) && why.contains("`ip address` lists them"), "{why}");
            }
        }
        // A named interface needs no route.
        let options = Options { iface: Some("lo".into()), ..Options::default() };
        Udpm::open(&options).unwrap().check(|_: Received<'_>| {}).unwrap();
        let options = Options { iface: Some("127.0.0.1".into()), ..Options::default() };
        Udpm::open(&options).unwrap().check(|_: Received<'_>| {}).unwrap();
    });
}

#[test]
fn a_listener_on_another_interface_reports_that_nothing_arrived() {
    isolated(|| {
        let (here, there) = (Space::new().unwrap(), Space::new().unwrap());
        join("other", (&here, Ipv4Addr::new(10, 9, 8, 1)), (&there, Ipv4Addr::new(10, 9, 8, 2)));
        here.run(|| {
            run("ip route replace 224.0.0.0/4 dev lo");
            let listener = Options { iface: Some("other".into()), ..Options::default() };
            let publisher = Publisher::open(&Options::default()).unwrap();
            let mut listener = Listener::open(&listener).unwrap();
            let why = check(&publisher, &mut listener, |_: Received<'_>| {}).unwrap_err();
            let Error::SelfTest { what, remedy } = why else { panic!("{why}") };
            assert!(
                what.contains("239.255.76.67:7667") && remedy.contains("interface lo"),
                "{what}; {remedy}"
            );
        });
    });
}

#[test]
fn a_named_interface_is_the_one_that_is_used() {
    isolated(|| {
        let (a, b, c) = (Space::new().unwrap(), Space::new().unwrap(), Space::new().unwrap());
        let at = |n, host| Ipv4Addr::new(10, 9, n, host);
        join("one", (&a, at(1, 1)), (&b, at(1, 2)));
        join("two", (&a, at(2, 1)), (&c, at(2, 2)));
        let options = |iface: &str| Options { ttl: 1, iface: Some(iface.into()), ..Options::default() };
        let ears = [(&b, "one"), (&c, "10.9.2.2")]
            .map(|(space, iface)| space.run(|| Ear::new(Listener::open(&options(iface)).unwrap())));
        let send = |iface: &str, word: &[u8]| {
            a.run(|| {
                let publisher = Publisher::open(&options(iface)).unwrap();
                publisher.publish(b"WORD", word).unwrap();
                publisher
            })
        };
        // All are kept: one that reused the port of a closed one would be mistaken for it, and its message for a
        // copy.
        let _publishers = [("one", "to b"), ("10.9.2.1", "to c"), ("one", "again"), ("two", "again")]
            .map(|(iface, word)| send(iface, word.as_bytes()));
        for (ear, words) in ears.iter().zip([b"to b", b"to c"]) {
            assert_eq!([ear.next().payload, ear.next().payload], [&words[..], b"again"]);
        }
    });
}

#[test]
fn a_plain_address_is_a_group_of_one() {
    isolated(|| {
        let options = Options { group: SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7667), ..Options::default() };
        let mut udpm = Udpm::open(&options).unwrap();
        udpm.check(|_: Received<'_>| {}).unwrap();
        let taken = Listener::open(&options).err().unwrap().to_string();
        assert!(taken.contains("ss -ulpn"), "{taken}");
        let publisher = Publisher::open(&options).unwrap();
        drop(udpm);
        for _ in 0..5 {
            publisher.publish(b"A", b"nobody listens, which is no error").unwrap();
        }
        let elsewhere = SocketAddrV4::new(Ipv4Addr::new(10, 1, 2, 3), 7667);
        let why =
            Listener::open(&Options { group: elsewhere, ..Options::default() }).err().unwrap().to_string();
        assert!(why.contains("10.1.2.3") && why.contains("ip address"), "{why}");
    });
}

#[test]
fn threads_publish_at_once_and_nothing_looks_lost() {
    isolated(|| {
        let options = Options { recv_buf: Some(1 << 28), ..Options::default() };
        let (publisher, listener) = Udpm::open(&options).unwrap().split();
        let ear = Ear::new(listener);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let publisher = &publisher;
                scope.spawn(move || {
                    for i in 0..200 {
                        let size = if thread % 2 == 0 { 100 } else { 70_000 };
                        publisher.publish(format!("T{thread}").as_bytes(), &made(size, i)).unwrap();
                    }
                });
            }
        });
        let mut next = [0; 4];
        for _ in 0..800 {
            let m = ear.next();
            let thread: usize = m.channel[1..].parse().unwrap();
            assert!(m.payload == made(m.payload.len(), next[thread]), "in order");
            assert!(matches!(m.order, Order::First | Order::Next) && m.lost == 0, "{:?}", m.order);
            next[thread] += 1;
        }
        assert_eq!(publisher.sent().messages, 800);
        assert_eq!(publisher.sent().bytes, 400 * 100 + 400 * 70_000);
        let listener = ear.end();
        let mut ports: Vec<u16> = listener.intake().senders().iter().map(|(from, _)| from.port()).collect();
        ports.sort_unstable();
        let mut own = publisher.ports();
        own.sort_unstable();
        assert_eq!(ports, own);
    });
}

#[test]
fn an_unsendable_message_is_an_error_and_counted() {
    isolated(|| {
        let (publisher, listener) = Udpm::open(&Options::default()).unwrap().split();
        let ear = Ear::new(listener);
        for name in [&b""[..], &[b'x'; 64], b"a\0b"] {
            assert!(matches!(publisher.publish(name, b""), Err(Error::Channel { .. })));
        }
        run("ip link set lo down");
        let why = publisher.publish(b"A", b"1").unwrap_err().to_string();
        assert!(why.contains("cannot send to 239.255.76.67:7667"), "{why}");
        assert!(publisher.publish(b"A", &made(100_000, 0)).is_err());
        run("ip link set lo up");
        run("ip route replace 224.0.0.0/4 dev lo");
        assert_eq!((publisher.sent().messages, publisher.sent().failed), (0, 5));
        publisher.publish(b"A", b"2").unwrap();
        publisher.publish(b"A", &made(100_000, 0)).unwrap();
        let first = ear.next();
        assert_eq!((first.payload, first.order, first.lost), (b"2".to_vec(), Order::First, 0));
        ear.expect("A", 100_000, 0);
    });
}

#[test]
fn messages_dropped_by_the_kernel_are_counted() {
    isolated(|| {
        let small = Options { recv_buf: Some(4096), ..Options::default() };
        let mut udpm = Udpm::open(&small).unwrap();
        assert!(udpm.listener().socket().buffer().unwrap() < 20_000);
        for i in 0..100 {
            udpm.publish(b"A", &made(1000, i)).unwrap();
        }
        let mut heard = 0_u64;
        let mut lost = 0;
        udpm.drain(1000, |m: Received<'_>| (heard, lost) = (heard + 1, lost + m.lost)).unwrap();
        assert!((1..100).contains(&heard));
        let dropped = u64::from(udpm.listener().socket().dropped().unwrap());
        assert_eq!(heard + dropped, 100);
        udpm.publish(b"A", b"").unwrap();
        udpm.drain(1, |m: Received<'_>| lost += m.lost).unwrap();
        assert_eq!(lost, dropped, "the sequence numbers show as many as the kernel");
    });
}

#[test]
fn buffers_are_as_asked_or_as_large_as_may_be() {
    isolated(|| {
        let buffer =
            |recv_buf| Receiver::open(&Options { recv_buf, ..Options::default() }).unwrap().buffer().unwrap();
        let default = buffer(Some(0));
        assert!(buffer(None) >= 2 * default, "more than the kernel's own choice, {default}");
        assert_eq!(buffer(Some(100_000)), 200_000, "the kernel doubles it for its bookkeeping");
    });
}

/// A sink that refuses channels that begin with `NO`.
struct Choosy(Vec<String>);

impl Sink for &mut Choosy {
    fn wants(&mut self, channel: &[u8]) -> bool {
        !channel.starts_with(b"NO")
    }
    fn message(&mut self, message: Received<'_>) {
        self.0.push(String::from_utf8_lossy(message.channel).into_owned());
    }
}

#[test]
fn long_messages_that_nobody_wants_are_not_put_together() {
    let mut intake = Intake::new(Limits::default());
    let mut sink = Choosy(Vec::new());
    let payload = made(500_000, 0);
    let from = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 9);
    for (sequence, channel) in ["NO1", "YES", "NO2"].into_iter().enumerate() {
        let pieces = split(sequence as u32, channel.as_bytes(), payload.len(), 10_000).unwrap();
        let mut datagrams: Vec<_> =
            pieces.map(|(header, piece)| [header.as_ref(), &payload[piece]].concat()).collect();
        datagrams.swap(0, 5); // some arrive before their message is known
        for datagram in datagrams {
            intake.take(from, &datagram, 0, 0, &mut &mut sink);
        }
    }
    assert_eq!(sink.0, ["YES"]);
    assert_eq!((intake.counters().unwanted, intake.reassembly().pending()), (2, 0));
    let senders = intake.senders().total();
    assert_eq!((senders.received, senders.lost, senders.copies), (3, 0, 0));
}

#[test]
fn an_idle_descriptor_is_not_readable() {
    isolated(|| {
        let mut udpm = Udpm::open(&Options::default()).unwrap();
        assert!(!readable(&udpm, Duration::ZERO));
        assert_eq!(udpm.drain(10, |_: Received<'_>| {}).unwrap(), 0);
        udpm.publish(b"A", b"").unwrap();
        assert!(readable(&udpm, Duration::from_secs(1)));
        assert_eq!(udpm.drain(10, |_: Received<'_>| {}).unwrap(), 1);
        assert!(!readable(&udpm, Duration::ZERO));
    });
}
