//! The packet length follows what the path carries, on a virtual clock; and the effect on messages.

use saltus_links::{Badness, End, Pair};
use saltus_tunnel::{Config, Event, Key, Mtu, Order};

const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;

fn pair(mtu: Mtu, badness: Badness) -> Pair {
    let config = Config { order: Order::All, mtu, ..Config::new(Key::from_bytes([4; 32])) };
    Pair::new(&config, badness, 1).unwrap()
}

/// Sends a message of that length every 20 ms; returns how many arrived.
fn stream(pair: &mut Pair, len: usize, time: u64) -> u64 {
    let (end, mut came) = (pair.now + time, 0);
    while pair.now < end {
        pair.connecter.send(b"c", &vec![7; len], 100 * MS, pair.now).unwrap();
        pair.run(pair.now + 20 * MS, |_, at, event| {
            let Event::Message(message) = event else { return };
            assert!(at == End::Listener && message.payload == vec![7; len]);
            came += 1;
        });
    }
    came
}

fn mtu(pair: &Pair) -> usize {
    pair.connecter.stats().mtu.unwrap()
}

#[test]
fn packets_become_as_long_as_the_path_carries() {
    for carries in [576, 1280, 1420, 1500] {
        let mut pair = pair(Mtu::Probed, Badness { delay: 5 * MS, mtu: carries, ..Badness::default() });
        pair.run(10 * SECOND, |_, _, _| {});
        let found = mtu(&pair) as u64;
        assert!(found <= carries && found + 8 >= carries, "{carries}: {found}");
        let before = pair.connecter.stats();
        assert_eq!(stream(&mut pair, 30_000, SECOND), 50);
        let sent = pair.connecter.stats().sent_datagrams - before.sent_datagrams;
        // Headers take 72 bytes of each packet.
        let least = 50 * 30_000 * 5 / 4 / (carries - 72);
        assert!(sent >= least && sent < least * 11 / 10 + 120, "{carries}: {sent} {least}");
        assert!(pair.connecter.stats().loss.unwrap() < 0.02, "probes that do not pass are no loss");
    }
}

#[test]
fn when_the_path_becomes_narrow_messages_come_again_soon() {
    for loss in [0.0, 0.1] {
        let good = Badness { delay: 5 * MS, loss, mtu: 1500, ..Badness::default() };
        let mut pair = pair(Mtu::Probed, good);
        pair.run(10 * SECOND, |_, _, _| {});
        assert!(mtu(&pair) == 1500 && stream(&mut pair, 30_000, SECOND) >= 49);
        pair.there.set(Badness { mtu: 1300, ..good });
        stream(&mut pair, 30_000, 5 * SECOND);
        let came = stream(&mut pair, 30_000, 5 * SECOND);
        assert!(came > 245 && mtu(&pair) <= 1300, "{came} {}", mtu(&pair));
        // The other direction is as wide as before.
        assert_eq!(pair.listener.stats().mtu, Some(1500));
    }
}

#[test]
fn a_fixed_length_is_kept_and_nothing_longer_is_sent() {
    let mut pair = pair(Mtu::Fixed(1000), Badness { mtu: 1000, ..Badness::default() });
    pair.run(5 * SECOND, |_, _, _| {});
    assert_eq!((stream(&mut pair, 50_000, SECOND), mtu(&pair), pair.there.lost), (50, 1000, 0));
}

#[test]
fn an_outage_does_not_make_packets_short() {
    let good = Badness { delay: 5 * MS, ..Badness::default() };
    let mut pair = pair(Mtu::Probed, good);
    pair.run(5 * SECOND, |_, _, _| {});
    for direction in 0..3 {
        let dead = Badness { loss: 1.0, ..good };
        if direction != 1 {
            pair.there.set(dead);
        }
        if direction != 0 {
            pair.back.set(dead);
        }
        stream(&mut pair, 30_000, 900 * MS);
        pair.there.set(good);
        pair.back.set(good);
        pair.run(pair.now + SECOND, |_, _, _| {});
        assert_eq!((mtu(&pair), pair.connecter.stats().sessions), (1500, 1), "{direction}");
    }
}

#[test]
fn queued_messages_are_split_again_when_packets_get_shorter() {
    let config = Config {
        order: Order::All,
        pace: Some(saltus_tunnel::Pace { rate: 100_000, burst: 3000 }),
        ..Config::new(Key::from_bytes([4; 32]))
    };
    let mut pair = Pair::new(&config, Badness::default(), 1).unwrap();
    pair.run(5 * SECOND, |_, _, _| {});
    let before = pair.connecter.stats();
    assert_eq!(before.mtu, Some(1500));
    // One is partly sent, one is too long for the shorter datagrams to come, and one is short.
    for len in [40_000, 1300, 200] {
        pair.connecter.send(b"c", &vec![7; len], 3 * SECOND, pair.now).unwrap();
    }
    pair.run(pair.now + 200 * MS, |_, _, _| {});
    pair.connecter.send(b"d", &[7; 1300], 3 * SECOND, pair.now).unwrap();
    pair.connecter.refused(1472, pair.now);
    pair.there.set(Badness { mtu: 536, ..Badness::default() });
    let mut came = Vec::new();
    pair.run(pair.now + 4 * SECOND, |_, _, event| {
        let Event::Message(message) = event else { return };
        came.push(message.payload.len());
    });
    came.sort_unstable();
    assert_eq!(came, [1300, 40_000], "the others came before");
    let stats = pair.connecter.stats();
    assert_eq!(stats.dropped, before.dropped);
    assert_eq!(stats.accepted, stats.sent);
}
