//! Messages through a hostile network in memory, on a virtual clock.

use proptest::prelude::*;
use saltus_net::lcm::packet::{Fragment, Packet, parse};
use saltus_net::lcm::reassembly::{Counters, Limits, Reassembly, Refused, Taken};
use saltus_net::lcm::senders::Order;
use saltus_net::lcm::split::split;
use saltus_net::lcm::{Intake, MESSAGE, Received};
use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddrV4};

fn sender(n: u16) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 1), 1000 + n)
}

fn made(size: usize, seed: usize) -> Vec<u8> {
    // Repeats after a prime number of bytes, so that misplaced pieces are detected.
    let mut bytes: Vec<u8> = (0..size.min(9973)).map(|i| ((i + seed) * 31 + i / 251) as u8).collect();
    while bytes.len() < size {
        bytes.extend_from_within(..bytes.len().min(size - bytes.len()));
    }
    bytes
}

/// The datagrams of a message.
fn datagrams(sequence: u32, channel: &str, payload: &[u8], datagram: usize) -> Vec<Vec<u8>> {
    let pieces = split(sequence, channel.as_bytes(), payload.len(), datagram).unwrap();
    pieces.map(|(header, piece)| [header.as_ref(), &payload[piece]].concat()).collect()
}

/// A piece of a message, built by hand.
fn fragment<'a>(size: u32, offset: u32, number: u16, payload: &'a [u8]) -> Fragment<'a> {
    let channel = (number == 0).then_some(&b"CH"[..]);
    Fragment { sequence: 7, size, offset, number, count: 100, channel, payload }
}

/// Messages to send: sender, size, and datagram size of each.
fn messages() -> impl Strategy<Value = Vec<(u16, usize, usize)>> {
    let size = prop_oneof![0..300_usize, 0..5_000_usize, Just(65_499), Just(100_000)];
    prop::collection::vec((0..3_u16, size, prop_oneof![256..2000_usize, Just(65_507)]), 1..25)
}

/// Puts messages on the network: (sender, sequence, datagram). Each sender counts its own.
fn sent(messages: &[(u16, usize, usize)]) -> Vec<(u16, u32, Vec<u8>)> {
    let mut next = HashMap::new();
    let mut network = Vec::new();
    for (i, &(from, size, datagram)) in messages.iter().enumerate() {
        let sequence = next.entry(from).or_insert(0_u32);
        let channel = format!("C{from}.{sequence}");
        let datagrams = datagrams(*sequence, &channel, &made(size, i), datagram);
        network.extend(datagrams.into_iter().map(|d| (from, *sequence, d)));
        *sequence += 1;
    }
    network
}

/// Receives datagrams and returns the delivered messages: (sender, sequence) and how often, each compared with the
/// original.
fn delivered(
    intake: &mut Intake,
    messages: &[(u16, usize, usize)],
    network: &[(u16, u32, Vec<u8>)],
) -> HashMap<(u16, u32), u32> {
    let mut wanted = HashMap::new();
    let mut next = HashMap::new();
    for (i, &(from, size, _)) in messages.iter().enumerate() {
        let sequence = next.entry(from).or_insert(0_u32);
        wanted.insert((from, *sequence), made(size, i));
        *sequence += 1;
    }
    let mut delivered = HashMap::new();
    for (now, (from, _, datagram)) in network.iter().enumerate() {
        let mut sink = |m: Received<'_>| {
            let key = (m.from.port() - 1000, m.sequence);
            assert_eq!(m.channel, format!("C{}.{}", key.0, key.1).as_bytes());
            assert!(m.payload == wanted[&key]);
            assert_eq!(m.stamp_ns, 5);
            assert!(m.order != Order::Copy);
            *delivered.entry(key).or_insert(0) += 1;
        };
        intake.take(sender(*from), datagram, 5, now as u64, &mut sink);
    }
    delivered
}

/// Order by key, with copies: a shuffle that shrinks well.
fn shuffled<T: Clone>(network: &[T], keys: &[u16], copies: &[bool]) -> Vec<T> {
    let mut with: Vec<(u16, T)> = Vec::new();
    for (i, item) in network.iter().enumerate() {
        with.push((keys[i % keys.len()].wrapping_mul(i as u16 | 1), item.clone()));
        if copies[i % copies.len()] {
            with.push((keys[(i * 7) % keys.len()], item.clone()));
        }
    }
    with.sort_by_key(|(key, _)| *key);
    with.into_iter().map(|(_, item)| item).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any order, any copies, senders and messages mixed: each message arrives once and unchanged.
    #[test]
    fn every_message_arrives_once(
        messages in messages(),
        keys in prop::collection::vec(any::<u16>(), 1..200),
        copies in prop::collection::vec(any::<bool>(), 1..20),
    ) {
        let mut intake = Intake::new(Limits::default());
        let network = shuffled(&sent(&messages), &keys, &copies);
        let delivered = delivered(&mut intake, &messages, &network);
        prop_assert_eq!(delivered.len(), messages.len());
        prop_assert!(delivered.values().all(|n| *n == 1));
        let total = intake.senders().total();
        prop_assert_eq!((total.received, total.lost, total.restarts), (messages.len() as u64, 0, 0));
        prop_assert_eq!(intake.reassembly().pending(), 0);
        prop_assert_eq!(intake.counters().datagrams, network.len() as u64);
    }

    /// Lost messages do not arrive, all others do, and the gaps are counted.
    #[test]
    fn losses_are_reported(messages in messages(), lost in prop::collection::vec(prop::bool::weighted(0.2), 1..50)) {
        let mut intake = Intake::new(Limits::default());
        let all = sent(&messages);
        let mut broken = std::collections::HashSet::new();
        let mut network = Vec::new();
        for (i, datagram) in all.into_iter().enumerate() {
            if lost[i % lost.len()] {
                broken.insert((datagram.0, datagram.1));
            } else {
                network.push(datagram);
            }
        }
        let delivered = delivered(&mut intake, &messages, &network);
        prop_assert!(delivered.keys().all(|key| !broken.contains(key)));
        prop_assert_eq!(delivered.len(), messages.len() - broken.len());
        for (from, counts) in intake.senders().iter() {
            let heard: Vec<u32> =
                delivered.keys().filter(|k| sender(k.0) == from).map(|k| k.1).collect();
            let (first, last) = (heard.iter().min().unwrap(), heard.iter().max().unwrap());
            prop_assert_eq!(counts.lost, u64::from(last - first + 1) - heard.len() as u64);
        }
    }

    /// Any fragments: no panic, bounded memory, and delivered messages have the size in their header.
    #[test]
    fn forged_fragments_do_no_harm(
        forged in prop::collection::vec((0..3_u16, 0..3_u32, 0..200_u32, 0..200_u32, 0..4_u16, 0..60_usize), 1..300),
    ) {
        let limits = Limits { messages: 4, bytes: 2000, message: 1 << 28, age_ns: 50 };
        let mut reassembly = Reassembly::new(limits);
        for (now, (from, sequence, size, offset, number, len)) in forged.into_iter().enumerate() {
            let payload = vec![1; len];
            let f = Fragment { sequence, ..fragment(size, offset, number, &payload) };
            if let Taken::Whole { payload, .. } = reassembly.take(sender(from), now as u64, &f) {
                prop_assert_eq!(payload.len(), size as usize);
                prop_assert!(payload.iter().all(|b| *b == 1), "every byte has come");
            }
            prop_assert!(reassembly.pending() <= 4);
        }
    }

    /// Any bytes are parsed or refused; parsed fields point into them.
    #[test]
    fn any_bytes_parse(mut bytes in prop::collection::vec(any::<u8>(), 0..200), magic in 0..3) {
        if let (Some(head), 1..) = (bytes.first_chunk_mut(), magic) {
            *head = if magic == 1 { *b"LC02" } else { *b"LC03" };
        }
        match parse(&bytes) {
            Ok(Packet::Short { channel, payload, .. }) => {
                prop_assert_eq!(8 + channel.len() + 1 + payload.len(), bytes.len());
            }
            Ok(Packet::Fragment(f)) => {
                let name = f.channel.map_or(0, |c| c.len() + 1);
                prop_assert_eq!(20 + name + f.payload.len(), bytes.len());
                prop_assert_eq!(f.channel.is_some(), f.number == 0);
            }
            Err(_) => {}
        }
    }
}

#[test]
fn a_length_in_a_header_reserves_no_memory() {
    let mut reassembly = Reassembly::new(Limits::default());
    for n in 0..60_000 {
        let f = fragment(MESSAGE as u32, if n % 2 == 0 { 0 } else { MESSAGE as u32 - 8 }, n % 2, b"12345678");
        assert_eq!(reassembly.take(sender(n), 0, &f), Taken::Pending);
        assert!(reassembly.memory() < 1 << 20, "{} B for 8 B of each of 1000 messages", reassembly.memory());
        assert!(reassembly.pending() <= 1000);
    }
    assert_eq!(reassembly.counters(), Counters { evicted: 59_000, ..Counters::default() });
}

#[test]
fn memory_is_bounded_and_the_newest_message_survives() {
    let mut reassembly = Reassembly::new(Limits::default());
    let piece = vec![1; 60_000];
    let bound = (64 << 20) + 2 * (40 << 20) + (17 << 20);
    for n in 0..40 {
        for i in 0..600 {
            let f = fragment(40_000_000, i * 60_000, i as u16 % 100, &piece);
            reassembly.take(sender(n), 0, &f);
            assert!(reassembly.memory() <= bound, "{} B", reassembly.memory());
        }
    }
    assert!(reassembly.counters().evicted >= 35);
    let mut whole = false;
    for i in 600..667 {
        let len = 60_000.min(40_000_000 - i * 60_000);
        let f = fragment(40_000_000, i as u32 * 60_000, 1, &piece[..len]);
        whole = matches!(reassembly.take(sender(39), 0, &f), Taken::Whole { payload, .. } if payload.len() == 40_000_000);
    }
    assert!(whole, "the last message, which need not give way to another");
}

/// Pieces of one byte each, with a gap before each, take far more memory than they carry.
#[test]
fn one_message_cannot_have_more_pieces_than_fragments() {
    let mut r = Reassembly::new(Limits::default());
    for n in 1..=2 * u32::from(u16::MAX) {
        let f = Fragment { count: u16::MAX, ..fragment(MESSAGE as u32, 2 * n, 1, b"x") };
        let expected = n > u32::from(u16::MAX);
        assert_eq!(r.take(sender(0), 0, &f) == Taken::Refused(Refused::TooMany), expected, "{n}");
    }
    assert!(r.memory() < 20 << 20, "{} B", r.memory());
}

/// An empty fragment is counted, but neither kept nor an obstacle to others.
#[test]
fn fragments_of_nothing_change_nothing() {
    let mut r = Reassembly::new(Limits::default());
    let from = sender(0);
    assert_eq!(r.take(from, 0, &fragment(6, 0, 0, b"ab")), Taken::Pending);
    let before = r.memory();
    for offset in [3, 4, 4, 5, 6] {
        assert_eq!(r.take(from, 0, &fragment(6, offset, 1, b"")), Taken::Pending);
    }
    assert_eq!((r.memory(), r.counters().copies), (before, 5));
    assert_eq!(r.take(from, 0, &fragment(6, 4, 2, b"ef")), Taken::Pending);
    let whole = Taken::Whole { channel: b"CH", payload: b"abcdef" };
    assert_eq!(r.take(from, 0, &fragment(6, 2, 1, b"cd")), whole);
}

#[test]
fn one_message_may_be_as_long_as_lcm_allows() {
    let mut intake = Intake::new(Limits::default());
    let payload = made(MESSAGE, 3);
    let mut lengths = Vec::new();
    for datagram in datagrams(0, "HUGE", &payload, 65_507) {
        let mut sink = |m: Received<'_>| lengths.push((m.payload == payload, m.payload.len()));
        intake.take(sender(0), &datagram, 0, 0, &mut sink);
    }
    assert_eq!(lengths, [(true, MESSAGE)]);
}

#[test]
fn contradictions_are_refused() {
    let mut r = Reassembly::new(Limits::default());
    let from = sender(0);
    let mut take = |size, offset, number, payload: &[u8]| match r.take(
        from,
        0,
        &fragment(size, offset, number, payload),
    ) {
        Taken::Refused(why) => Some(why),
        Taken::Pending => None,
        Taken::Whole { .. } => panic!("not whole"),
    };
    assert_eq!(take(10, 8, 1, b"abc"), Some(Refused::OutOfBounds));
    assert_eq!(take(u32::MAX, u32::MAX, 1, b"abc"), Some(Refused::OutOfBounds));
    assert_eq!(take(u32::MAX, 0, 1, b"abc"), Some(Refused::OutOfBounds), "longer than 2^28");
    assert_eq!(take(10, 0, 100, b"abc"), Some(Refused::Number));
    assert_eq!(take(10, 0, 0, b"abcd"), None);
    assert_eq!(take(10, 2, 1, b"cdef"), Some(Refused::Overlap), "half of it was there");
    assert_eq!(take(10, 1, 1, b"bc"), None, "a copy");
    assert_eq!(take(10, 8, 2, b"i"), None);
    assert_eq!(take(10, 6, 2, b"ghi"), Some(Refused::Overlap), "overlaps a piece beyond the gap");
    assert_eq!(take(10, 8, 2, b"ij"), Some(Refused::Overlap));
    assert_eq!(take(10, 8, 2, b"i"), None, "a copy");
    assert_eq!(take(20, 8, 2, b"ij"), None, "another message of that number");
    assert_eq!(take(20, 9, 2, b"jk"), Some(Refused::Overlap));
    assert_eq!(take(20, 7, 2, b"hi"), Some(Refused::Overlap));
    assert_eq!(r.counters(), Counters { copies: 2, refused: 9, restarted: 1, ..Counters::default() });
    assert_eq!(r.pending(), 1);
}

#[test]
fn another_size_starts_over() {
    let mut r = Reassembly::new(Limits::default());
    let from = sender(0);
    assert_eq!(r.take(from, 0, &fragment(10, 0, 0, b"abcde")), Taken::Pending);
    assert_eq!(r.take(from, 0, &fragment(6, 3, 1, b"xyz")), Taken::Pending);
    let whole = Taken::Whole { channel: b"CH", payload: b"uvwxyz" };
    assert_eq!(r.take(from, 0, &fragment(6, 0, 0, b"uvw")), whole);
    assert_eq!(r.counters(), Counters { completed: 1, restarted: 1, ..Counters::default() });
}

#[test]
fn stale_fragments_are_not_mixed_with_new_ones() {
    let mut r = Reassembly::new(Limits::default());
    let from = sender(0);
    assert_eq!(r.take(from, 0, &fragment(6, 0, 0, b"old")), Taken::Pending);
    assert_eq!(r.take(from, 6_000_000_000, &fragment(6, 3, 1, b"new")), Taken::Pending);
    assert_eq!((r.counters().expired, r.pending()), (1, 1));
    // A slow sender is not a stale one.
    let piece = |i: u32| fragment(10, i, u16::from(i > 0), b"s");
    for i in 0..9 {
        assert_eq!(
            r.take(sender(1), 10_000_000_000 + u64::from(i) * 4_000_000_000, &piece(i)),
            Taken::Pending
        );
    }
    assert!(matches!(r.take(sender(1), 46_000_000_000, &piece(9)), Taken::Whole { .. }));
}

#[test]
fn a_message_of_nothing_in_a_fragment() {
    let mut r = Reassembly::new(Limits::default());
    let whole = Taken::Whole { channel: b"CH", payload: b"" };
    assert_eq!(r.take(sender(0), 0, &fragment(0, 0, 0, b"")), whole);
    assert_eq!(r.take(sender(0), 0, &fragment(5, 0, 1, b"")), Taken::Pending);
    assert_eq!(r.take(sender(0), 0, &fragment(5, 0, 1, b"abcde")), Taken::Pending, "the channel is missing");
    let whole = Taken::Whole { channel: b"CH", payload: b"abcde" };
    assert_eq!(r.take(sender(0), 0, &fragment(5, 0, 0, b"")), whole);
}

#[test]
fn fragments_of_java_and_of_lcm_lite() {
    for size in [64_000, 7_892] {
        let mut r = Reassembly::new(Limits::default());
        let payload = made(300_000, 1);
        // As in Java: the first also holds the name, and so less of the message.
        let mut at = 0;
        let mut reported = None;
        while at < payload.len() {
            let room = if at == 0 { size - 3 } else { size };
            let end = payload.len().min(at + room);
            let f = fragment(300_000, at as u32, u16::from(at > 0), &payload[at..end]);
            if let Taken::Whole { payload: p, .. } = r.take(sender(0), 0, &f) {
                reported = Some(p == payload);
            }
            at = end;
        }
        assert_eq!(reported, Some(true));
    }
}
