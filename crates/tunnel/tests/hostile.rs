//! Effects of strangers, copies and restarts on a tunnel; and every message is counted.

use saltus_links::{Badness, Dice, End, Pair};
use saltus_tunnel::{Config, Event, Key, Order, Pace, Tunnel};
use std::net::SocketAddr;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;

fn config() -> Config {
    Config { order: Order::All, ..Config::new(Key::from_bytes([5; 32])) }
}

/// Hellos of earlier connections, as an attacker may have recorded them.
fn recorded(count: u64) -> Vec<Vec<u8>> {
    let to = "127.0.0.1:9".parse().unwrap();
    let hello = |seed| {
        let mut dice = Dice::new(seed);
        let random = Box::new(move |bytes: &mut [u8]| dice.fill(bytes));
        Tunnel::connect(config(), &[to], 0, random).unwrap().poll_transmit(0).unwrap().1
    };
    (1000..1000 + count).map(hello).collect()
}

fn stranger() -> SocketAddr {
    "192.0.2.66:6".parse().unwrap()
}

#[test]
fn replayed_hellos_keep_nobody_out() {
    let mut pair = Pair::new(&config(), Badness { delay: 50 * MS, ..Badness::default() }, 1).unwrap();
    let recorded = recorded(200);
    // At all times, also between the welcome and the first datagram of the welcomed end.
    while !pair.listener.is_connected() {
        assert!(pair.now < 10 * SECOND, "they find each other");
        for hello in &recorded {
            pair.listener.receive(&mut hello.clone(), stranger(), pair.now, |_| {});
        }
        pair.run(pair.now + 20 * MS, |_, _, _| {});
    }
    assert!(pair.connecter.is_connected());
}

#[test]
fn a_hello_that_is_repeated_is_answered_ten_times_a_second_at_most() {
    let mut listener = Tunnel::listen(config(), Box::new(|bytes| bytes.fill(7))).unwrap();
    let hello = recorded(1).remove(0);
    let mut answers = 0;
    for tick in 0..10_000_u64 {
        let now = tick * MS / 10;
        listener.receive(&mut hello.clone(), stranger(), now, |_| {});
        while listener.poll_transmit(now).is_some() {
            answers += 1;
        }
    }
    assert!((5..=11).contains(&answers), "{answers}");
}

#[test]
fn every_message_is_counted_whatever_happens_to_the_ends() {
    // Slow, so that messages are in transit when an end restarts.
    let config = Config { pace: Some(Pace { rate: 200_000, burst: 3000 }), ..config() };
    let bad = Badness { loss: 0.1, delay: 20 * MS, ..Badness::default() };
    let mut pair = Pair::new(&config, bad, 3).unwrap();
    pair.run(SECOND, |_, _, _| {});
    for round in 0..60 {
        for len in [30, 20_000, 60_000] {
            pair.connecter.send(&[b'a' + len as u8 % 5], &vec![1; len], 400 * MS, pair.now).unwrap();
        }
        if round % 20 == 10 {
            pair.restart(&config, End::Listener, 70 + round).unwrap();
        }
        pair.run(pair.now + 100 * MS, |_, _, _| {});
    }
    pair.run(pair.now + 3 * SECOND, |_, _, _| {});
    let stats = pair.connecter.stats();
    let d = stats.dropped;
    let counted = stats.sent + d.no_peer + d.superseded + d.expired + d.too_slow + d.full + d.too_long;
    assert!(d.no_peer > 0 && stats.sessions > 2, "{stats:?}");
    assert_eq!(stats.accepted, counted, "{stats:?}");
}

#[test]
fn incomplete_messages_at_the_end_of_a_session_are_counted() {
    let mut pair = Pair::new(&config(), Badness { delay: MS, ..Badness::default() }, 3).unwrap();
    pair.run(SECOND, |_, _, _| {});
    pair.connecter.send(b"c", &[1; 100_000], 60 * SECOND, pair.now).unwrap();
    let mut pieces = 0;
    while let Some((_, mut datagram)) = pair.connecter.poll_transmit(pair.now) {
        pieces += 1;
        if pieces < 20 {
            pair.listener.receive(&mut datagram, pair.connecter_at, pair.now, |_| {});
        }
    }
    pair.restart(&config(), End::Connecter, 9).unwrap();
    pair.run(pair.now + SECOND, |_, _, _| {});
    assert_eq!((pair.listener.stats().sessions, pair.listener.stats().dropped.incomplete), (2, 1));
}

#[test]
fn duplicated_and_reordered_packets_change_nothing() {
    let mut pair = Pair::new(&config(), Badness::default(), 1).unwrap();
    pair.run(SECOND, |_, _, _| {});
    let mut all = Vec::new();
    let mut came = 0;
    let mut count = |e: Event<'_>| came += u32::from(matches!(e, Event::Message(_)));
    for n in 0..50_u8 {
        pair.connecter.send(b"c", &[n; 3000], SECOND, pair.now).unwrap();
        while let Some((_, datagram)) = pair.connecter.poll_transmit(pair.now) {
            pair.listener.receive(&mut datagram.clone(), pair.connecter_at, pair.now, &mut count);
            all.push(datagram);
        }
    }
    let before = pair.listener.stats();
    for datagram in all.iter().rev().chain(&all) {
        pair.listener.receive(&mut datagram.clone(), stranger(), pair.now, &mut count);
    }
    let after = pair.listener.stats();
    assert_eq!((came, after.delivered), (50, 50));
    assert_eq!(after.rejected.copies - before.rejected.copies, 2 * all.len() as u64);
    // Nor do they redirect the answers to their source.
    let later = pair.now + 200 * MS;
    assert!(pair.listener.poll_transmit(later).is_some_and(|(to, _)| to == pair.connecter_at));
}

#[test]
fn a_lone_message_is_made_good_soon_however_long_its_deadline() {
    let mut pair = Pair::new(&config(), Badness { delay: MS, ..Badness::default() }, 1).unwrap();
    pair.run(SECOND, |_, _, _| {});
    let start = pair.now;
    pair.connecter.send(b"c", b"word", 3600 * SECOND, start).unwrap();
    // Its first copy is lost.
    while pair.connecter.stats().sent == 0 {
        pair.connecter.poll_transmit(pair.now).expect("it is sent at once");
    }
    let mut came = None;
    pair.run(start + 5 * SECOND, |now, _, e| {
        if matches!(e, Event::Message(_)) {
            came = Some(now - start);
        }
    });
    assert!(came.is_some_and(|after| after < SECOND), "{came:?}");
}
