//! LCM 1.5.3 as the other side, in a separate network namespace.

mod support;

use saltus_net::lcm::senders::Order;
use saltus_net::lcm::{DATAGRAM, Listener, Publisher, Udpm};
use saltus_net::udp::{Options, Pace, weight};
use std::time::{Duration, Instant};
use support::{ANSWER, Ear, Peer, alone, made, readable};

/// LCM sends as fast as it can: without large buffers, the kernel drops datagrams.
const URL: &str = "udpm://239.255.76.67:7667?ttl=0&recv_buf_size=4194304";

fn options() -> Options {
    Options { recv_buf: Some(1 << 29), ..Options::default() }
}

/// Sizes around every boundary for a channel whose name has `n` bytes: whole or fragments, one fragment more.
fn boundaries(n: usize) -> Vec<usize> {
    let (whole, fragment) = (65499 - n - 1, 65487);
    let edges = [whole, fragment - n - 1, 2 * fragment - n - 1, 3 * fragment - n - 1, 64000, 65507, 1 << 16];
    let mut sizes: Vec<usize> = edges.iter().flat_map(|edge| edge - 2..=edge + 2).collect();
    sizes.extend([0, 1, 2, 7, 8, 9, 1000, 1400, 300_000, 1_000_000, 10_000_000]);
    sizes
}

/// Datagrams that the kernel has dropped in this network, because their reader was late.
fn drops() -> u64 {
    let sockets = std::fs::read_to_string("/proc/thread-self/net/udp").unwrap();
    sockets.lines().skip(1).map(|line| line.split_whitespace().last().unwrap().parse::<u64>().unwrap()).sum()
}

/// Sends a message until LCM has it: again if, and only if, LCM was too late for a part of it. Returns how many
/// times.
fn deliver(publisher: &Publisher, peer: &mut Peer, channel: &str, size: usize, seed: u32) -> u32 {
    let (message, mut before, mut times) = (made(size, seed), drops(), 1);
    peer.tell(&format!("expect {channel} {size} {seed}"));
    publisher.publish(channel.as_bytes(), &message).unwrap();
    let start = Instant::now();
    while !readable(peer.answers(), Duration::from_secs(1)) {
        assert!(start.elapsed() < ANSWER, "LCM has not taken {size} bytes, seed {seed}, sent {times} times");
        let now = drops();
        if now > before {
            (before, times) = (now, times + 1);
            publisher.publish(channel.as_bytes(), &message).unwrap();
        }
    }
    assert_eq!(peer.answer(), "ok", "{size} bytes, seed {seed}, sent {times} times");
    times
}

/// Sends messages of these sizes to LCM's C library and back.
fn both_ways(channel: &str, sizes: &[usize], options: &Options) {
    both_ways_with(Peer::python(URL), channel, sizes, options);
}

/// Sends messages of these sizes to LCM and receives them from LCM, on channels with names as long as `channel`.
fn both_ways_with(mut peer: Peer, channel: &str, sizes: &[usize], options: &Options) {
    let (publisher, listener) = Udpm::open(options).unwrap().split();
    let ear = Ear::new(listener);
    peer.ask(&format!("subscribe {channel}"));
    let back = channel.to_lowercase();
    for (seed, &size) in sizes.iter().enumerate() {
        for _ in 0..deliver(&publisher, &mut peer, channel, size, seed as u32) {
            ear.expect(channel, size, seed as u32);
        }
        peer.ask(&format!("publish {back} {size} {seed}"));
        ear.expect(&back, size, seed as u32);
    }
    let listener = ear.end();
    let senders = listener.intake().senders().total();
    assert_eq!((senders.lost, senders.late, senders.copies), (0, 0, 0));
    let reassembly = listener.intake().reassembly();
    assert_eq!((reassembly.pending(), reassembly.counters().refused), (0, 0));
    assert_eq!(listener.socket().dropped().unwrap(), 0);
}

#[test]
fn sizes_around_every_boundary() {
    alone(|| both_ways("CH", &boundaries(2), &options()));
}

#[test]
fn java_with_its_fragments_of_64000_bytes() {
    alone(|| {
        let mut sizes = boundaries(2);
        sizes.retain(|size| *size <= 300_000);
        // Java drops the last byte of a message if name and message are a multiple of 64000.
        sizes.extend([127_996, 127_997, 127_999, 128_000, 191_999]);
        // Java's buffer cannot be larger than the kernel's 212,992 B: three datagrams, 40 ms of this.
        let pace = Some(Pace { rate: 5_000_000, burst: weight(DATAGRAM) });
        both_ways_with(Peer::java(URL), "CH", &sizes, &Options { pace, ..options() });
    });
}

#[test]
fn names_of_any_length() {
    alone(|| {
        both_ways("C", &[0, 5, 65497, 65498, 100_000], &options());
        both_ways(&"N".repeat(63), &boundaries(63), &options());
    });
}

#[test]
fn lcm_takes_small_datagrams() {
    alone(|| {
        for datagram in [256, 1472, 8000, DATAGRAM - 1] {
            both_ways(
                "SMALL",
                &[1, 100, 1463, 1464, 65499, 500_000],
                &Options { datagram, ..Options::default() },
            );
        }
    });
}

#[test]
fn a_message_of_200_megabytes() {
    alone(|| {
        // LCM's buffer can have at most 8 MB: 130 ms of this.
        let pace = Some(Pace { rate: 60_000_000, ..Pace::default() });
        both_ways("HUGE", &[200_000_000], &Options { pace, ..options() });
    });
}

#[test]
fn senders_at_the_same_time() {
    alone(|| {
        let ear = Ear::new(Listener::open(&options()).unwrap());
        let mut peers = [Peer::python(URL), Peer::python(URL), Peer::python(URL)];
        const EACH: u32 = 40;
        for (i, peer) in peers.iter_mut().enumerate() {
            for seed in 0..EACH {
                peer.tell(&format!("publish P{i} {} {seed}", 50_000 + seed * 7001));
            }
        }
        let mut next = [0; 3];
        while next != [EACH; 3] {
            let m = ear.next();
            let Some(i) = m.channel.strip_prefix("P").and_then(|i| i.parse::<usize>().ok()) else { continue };
            let seed = next[i];
            next[i] += 1;
            assert!(m.payload == made(50_000 + seed as usize * 7001, seed), "message {seed} of sender {i}");
            assert!(matches!(m.order, Order::First | Order::Next) && m.lost == 0);
        }
        let listener = ear.end();
        assert_eq!(listener.intake().senders().iter().filter(|(_, c)| c.received >= 40).count(), 3);
    });
}

#[test]
fn many_short_messages_are_all_counted() {
    alone(|| {
        let (publisher, listener) = Udpm::open(&options()).unwrap().split();
        let ear = Ear::new(listener);
        let mut peer = Peer::python(URL);
        peer.ask("subscribe TO");
        for seed in 0..2000 {
            peer.tell(&format!("publish FROM 64 {seed}"));
        }
        for seed in 0..2000 {
            assert_eq!(peer.answer(), "ok");
            let heard = ear.expect("FROM", 64, seed);
            assert!(heard.stamp_ns > 1_600_000_000_000_000_000, "the kernel's timestamp");
        }
        for seed in 0..2000 {
            publisher.publish(b"TO", &made(64, seed)).unwrap();
            peer.ask(&format!("expect TO 64 {seed}"));
        }
        peer.ask("quiet TO");
        let senders = ear.end().intake().senders().total();
        assert_eq!((senders.lost, senders.copies, senders.restarts), (0, 0, 0));
    });
}
