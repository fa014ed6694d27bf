//! Two ends in memory, on a virtual clock, over links that lose, delay, reorder and limit.

use saltus_links::{Badness, End, Pair};
use saltus_tunnel::{Config, Event, Key, Mtu, Order, Pace, Redundancy, Tunnel, parity};
use std::collections::BTreeMap;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1000 * MS;

fn config() -> Config {
    Config { order: Order::All, ..Config::new(Key::from_bytes([3; 32])) }
}

/// The listener's messages: for each number in the payload, its arrival time.
type Got = BTreeMap<u32, u64>;

fn number(payload: &[u8]) -> u32 {
    u32::from_le_bytes(payload[..4].try_into().unwrap())
}

fn message(number: u32, len: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..len).map(|i| (i as u32 ^ number) as u8).collect();
    bytes[..4].copy_from_slice(&number.to_le_bytes());
    bytes
}

fn connected(config: &Config, badness: Badness, seed: u64) -> Pair {
    let mut pair = Pair::new(config, badness, seed).unwrap();
    while !(pair.connecter.is_connected() && pair.listener.is_connected()) {
        assert!(pair.now < 30 * SECOND, "they find each other");
        pair.run(pair.now + 10 * MS, |_, _, _| {});
    }
    pair
}

/// Sends `count` messages of `len` bytes, one every `period`, with that deadline.
fn stream(pair: &mut Pair, count: u32, len: usize, period: u64, deadline: u64) -> Got {
    let mut got = Got::new();
    let start = pair.now;
    let mut take = |now: u64, end: End, event: Event<'_>| {
        let Event::Message(arrived) = event else { return };
        assert_eq!(end, End::Listener);
        let n = number(arrived.payload);
        assert_eq!(arrived.payload, message(n, len), "what is delivered is what was sent");
        assert_eq!(got.insert(n, now), None, "once");
        let true_age = now - start - u64::from(n) * period;
        assert!(true_age < deadline + 60 * MS, "not late: {true_age}");
    };
    for n in 0..count {
        pair.connecter.send(b"channel", &message(n, len), deadline, pair.now).unwrap();
        pair.run(start + u64::from(n + 1) * period, &mut take);
    }
    pair.run(pair.now + deadline + SECOND, &mut take);
    got
}

#[test]
fn without_loss_everything_comes_in_order_and_at_once() {
    let mut pair = connected(&config(), Badness { delay: 10 * MS, ..Badness::default() }, 1);
    for len in [4, 100, 1000, 1200, 5000, 1_000_000] {
        let start = pair.now;
        let got = stream(&mut pair, 20, len, 20 * MS, 100 * MS);
        assert_eq!(got.len(), 20);
        for (n, when) in got {
            let age = when - start - u64::from(n) * 20 * MS;
            assert!(age <= 11 * MS, "{len}: {age}");
        }
    }
    let stats = pair.listener.stats();
    assert_eq!((stats.delivered, stats.recovered, stats.dropped), (120, 0, Default::default()));
    assert_eq!(pair.connecter.stats().sent, 120);
    assert_eq!(stats.rejected, Default::default());
    assert_eq!(pair.connecter.stats().round_trip, Some(20_000));
}

#[test]
fn the_delivered_share_is_that_of_the_binomial_distribution() {
    let loss = 0.18;
    let config = Config { redundancy: Redundancy::Fixed(0.25), mtu: Mtu::Fixed(1228), ..config() };
    let mut pair = connected(&config, Badness { loss, delay: MS, ..Badness::default() }, 5);
    let before = pair.connecter.stats();
    let count = 1500;
    let got = stream(&mut pair, count, 24 * 1000, 5 * MS, 100 * MS);
    let stats = pair.connecter.stats();
    let parity = (stats.sent_parity - before.sent_parity) / u64::from(count);
    let fails = parity::failure(21 + parity as usize, parity as usize, loss);
    let expected = f64::from(count) * fails;
    let lost = f64::from(count - got.len() as u32);
    assert!(expected > 40.0, "{expected} are enough to compare");
    assert!((lost - expected).abs() < 4.0 * expected.sqrt(), "{lost} lost, {expected} expected");
}

#[test]
fn at_its_designed_loss_nearly_all_messages_arrive() {
    let badness = Badness { loss: 0.1, delay: 20 * MS, jitter: 5 * MS, ..Badness::default() };
    let mut pair = connected(&config(), badness, 7);
    // Of 128 fragments, 1 in 50,000 fails.
    let got = stream(&mut pair, 500, 150_000, 10 * MS, 200 * MS);
    assert!(got.len() >= 499, "{}", got.len());
    // Of short ones, 1 in 1,000.
    for (period, count) in [(MS, 20_000), (50 * MS, 2000)] {
        let before = pair.connecter.stats();
        let got = stream(&mut pair, count, 64, period, 100 * MS);
        let lost = count - got.len() as u32;
        assert!(f64::from(lost) < f64::from(count) * 1e-3 + 4.0 * (f64::from(count) * 1e-3).sqrt(), "{lost}");
        let stats = pair.connecter.stats();
        let price = (stats.sent_parity - before.sent_parity) as f64 / f64::from(count);
        assert!(price < if period == MS { 0.5 } else { 2.01 }, "{price}");
    }
}

#[test]
fn redundancy_follows_the_loss() {
    let config = Config { redundancy: Redundancy::Auto, ..config() };
    let mut pair = connected(&config, Badness { delay: 5 * MS, ..Badness::default() }, 3);
    let mut parity = Vec::new();
    for loss in [0.0, 0.2, 0.4, 0.0] {
        pair.there.set(Badness { loss, delay: 5 * MS, ..Badness::default() });
        stream(&mut pair, 400, 50_000, 10 * MS, 100 * MS);
        let before = pair.connecter.stats().sent_parity;
        let got = stream(&mut pair, 1000, 50_000, 10 * MS, 100 * MS);
        assert!(got.len() >= 998, "{loss}: {}", got.len());
        parity.push((pair.connecter.stats().sent_parity - before) / 1000);
        let measured = pair.connecter.stats().loss.unwrap();
        assert!((measured - loss).abs() < 0.05, "{measured} {loss}");
    }
    assert!(parity[0] < 3 && parity[1] > 12 && parity[2] > 40 && parity[3] < 3, "{parity:?}");
}

#[test]
fn adaptive_redundancy_repairs_most_bursts() {
    let config = Config { redundancy: Redundancy::Auto, ..config() };
    let badness = Badness { loss: 0.05, burst: 8.0, delay: 5 * MS, ..Badness::default() };
    let mut pair = connected(&config, badness, 3);
    let got = stream(&mut pair, 1000, 200_000, 10 * MS, 200 * MS);
    assert!(got.len() > 980, "{}", got.len());
}

#[test]
fn under_congestion_the_newest_goes_first_and_age_stays_bounded() {
    // 2 MB/s are produced, 0.5 MB/s may be sent.
    let pace = Some(Pace { rate: 500_000, burst: 5000 });
    let config = Config { order: Order::Newest, pace, ..config() };
    let mut pair = connected(&config, Badness { delay: 10 * MS, loss: 0.1, ..Badness::default() }, 2);
    let start = pair.now;
    let (mut newest, mut oldest_ever, mut pulses, mut count) = (None, 0, 0, 0);
    for n in 0..1000_u32 {
        pair.connecter.send(b"camera", &message(n, 20_000), 200 * MS, pair.now).unwrap();
        pair.connecter.send(b"pulse", &message(n, 50), 50 * MS, pair.now).unwrap();
        pair.run(start + u64::from(n + 1) * 10 * MS, |_, _, event| {
            let Event::Message(arrived) = event else { return };
            if arrived.channel == b"pulse" {
                pulses += 1;
                return;
            }
            let n = number(arrived.payload);
            assert!(newest.is_none_or(|newest| n > newest), "nothing goes back");
            (newest, count) = (Some(n), count + 1);
        });
        if n > 50 {
            oldest_ever = oldest_ever.max(n - newest.unwrap());
        }
    }
    let stats = pair.connecter.stats();
    assert!(oldest_ever < 20, "the newest is never more than 200 ms old: {oldest_ever}");
    assert!(count > 120 && pulses > 850, "{count} {pulses}");
    assert!(stats.dropped.superseded > 500, "{stats:?}");
    let most = 500_000 * 10 + 5000 + 2000;
    assert!(stats.sent_bytes + 28 * stats.sent_datagrams < most, "the rate is kept: {stats:?}");
}

#[test]
fn a_message_that_cannot_be_sent_in_time_is_not_started() {
    let pace = Some(Pace { rate: 100_000, burst: 3000 });
    let mut pair = connected(&Config { pace, ..config() }, Badness::default(), 2);
    assert_eq!(stream(&mut pair, 10, 50_000, 100 * MS, 100 * MS).len(), 0);
    let stats = pair.connecter.stats();
    assert_eq!((stats.dropped.too_slow, stats.sent), (10, 0));
    let most = saltus_tunnel::Error::TooLong { len: 0, most: 0 };
    let reported = pair.connecter.send(b"c", &vec![0; 20 << 20], SECOND, pair.now).unwrap_err();
    assert_eq!(std::mem::discriminant(&reported), std::mem::discriminant(&most));
}

#[test]
fn messages_that_arrive_too_late_are_dropped() {
    // A queue in the link delays everything by 300 ms after a while.
    let bad = Badness { delay: 10 * MS, rate: 100_000, queue: 30_000, ..Badness::default() };
    let mut pair = connected(&config(), bad, 2);
    let got = stream(&mut pair, 300, 1000, 5 * MS, 100 * MS);
    let stats = pair.listener.stats();
    assert!(got.len() < 200 && stats.dropped.late > 50, "{} {stats:?}", got.len());
}

#[test]
fn either_end_may_start_again_or_move() {
    let config = config();
    let mut pair = connected(&config, Badness { loss: 0.2, delay: 20 * MS, ..Badness::default() }, 11);
    for (round, end) in [End::Connecter, End::Listener, End::Listener, End::Connecter].into_iter().enumerate()
    {
        pair.restart(&config, end, 100 + round as u64).unwrap();
        let limit = pair.now + 10 * SECOND;
        let is_up = |pair: &Pair| pair.connecter.is_connected() && pair.listener.is_connected();
        let mut came = 0;
        while !(is_up(&pair) && came > 5) {
            assert!(pair.now < limit, "{end:?}");
            pair.connecter.send(b"c", &message(1, 10), 100 * MS, pair.now).unwrap();
            pair.run(pair.now + 10 * MS, |_, _, e| came += u32::from(matches!(e, Event::Message(_))));
        }
    }
    // The connecter's address changes: the listener follows, without a new session.
    let sessions = pair.listener.stats().sessions;
    pair.connecter_at.set_port(77);
    pair.run(pair.now + SECOND, |_, _, _| {});
    pair.listener.send(b"c", &message(1, 10), 100 * MS, pair.now).unwrap();
    let mut came = 0;
    pair.run(pair.now + SECOND, |_, _, e| came += u32::from(matches!(e, Event::Message(_))));
    assert_eq!((came, pair.listener.stats().sessions), (1, sessions));
}

#[test]
fn a_connecter_knocks_at_every_address_of_a_name() {
    let to = ["[::1]:9", "192.0.2.1:9", "127.0.0.1:9"].map(|at| at.parse().unwrap());
    let mut connecter = Tunnel::connect(config(), &to, 0, Box::new(|bytes| bytes.fill(7))).unwrap();
    let mut knocked = Vec::new();
    while knocked.len() < 6 {
        let (at, _) = connecter.poll_transmit(connecter.next_timeout()).unwrap();
        knocked.push(at);
    }
    assert_eq!(knocked, [to, to].concat());
}

#[test]
fn a_vanished_end_is_detected_and_found_again() {
    let mut pair = connected(&config(), Badness { delay: MS, ..Badness::default() }, 4);
    let dead = Badness { loss: 1.0, ..Badness::default() };
    pair.there.set(dead);
    pair.back.set(dead);
    let mut lost = 0;
    pair.run(pair.now + 10 * SECOND, |_, _, e| lost += u32::from(e == Event::Lost));
    assert_eq!((lost, pair.connecter.is_connected(), pair.listener.is_connected()), (2, false, false));
    pair.connecter.send(b"c", b"nobody", SECOND, pair.now).unwrap();
    assert_eq!(pair.connecter.stats().dropped.no_peer, 1);
    pair.there.set(Badness::default());
    pair.back.set(Badness::default());
    pair.run(pair.now + 2 * SECOND, |_, _, _| {});
    assert!(pair.connecter.is_connected() && pair.listener.is_connected());
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = || {
        let bad = Badness { loss: 0.3, burst: 3.0, delay: MS, jitter: 9 * MS, ..Badness::default() };
        let mut pair = connected(&config(), bad, 9);
        let got = stream(&mut pair, 200, 3000, 3 * MS, 50 * MS);
        (got, pair.connecter.stats(), pair.listener.stats())
    };
    assert_eq!(run(), run());
}
