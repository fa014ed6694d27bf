//! Clients with costly expressions and a client that invents names do not delay other clients.
//!
//! Measure with `cargo test --release -p saltus-net --test tcpq_flood -- --nocapture`.

use saltus_net::tcpq::{Hub, Limits, PORT, frame};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::*};
use std::time::{Duration, Instant};

/// Longer than anything takes.
const LONG: Duration = Duration::from_secs(120);

/// An LCM client that has sent its hello and these frames.
fn client(hub: SocketAddr, frames: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(hub).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream.set_nodelay(true).unwrap();
    stream
        .write_all(&[&0x2876_17fbu32.to_be_bytes()[..], &0x0100u32.to_be_bytes(), frames].concat())
        .unwrap();
    stream.read_exact(&mut [0; 8]).unwrap();
    stream
}

fn subscribing(expressions: impl IntoIterator<Item = String>) -> Vec<u8> {
    let mut out = Vec::new();
    expressions.into_iter().for_each(|one| frame::subscribe(&mut out, one.as_bytes()));
    out
}

/// Clients with costly expressions. Without optimization, compiling these takes many times as long.
const CLIENTS: usize = if cfg!(debug_assertions) { 24 } else { 240 };

/// A mark: it is returned when all before it is done.
const MARK: [u8; 4] = [0, 0, 0, 4];

/// Bytes of memory that this process uses, without shared memory.
fn used() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() * 1024
}

#[test]
fn costly_expressions_and_invented_names_delay_nobody() {
    assert_eq!(PORT, 7700);
    let mut hub = Hub::bind("127.0.0.1:0", Limits::default()).unwrap();
    let (address, stop) = (hub.address(), hub.stop());
    let serving = std::thread::spawn(move || {
        hub.run().unwrap();
        hub
    });
    let (before, start) = (used(), Instant::now());
    let costly = |client: usize| {
        subscribing((0..64).map(move |n| format!("(.*a){{12}}.*b{{7}}|(x|y|z){{300}}{client}_{n}")))
    };
    let mut crowd: Vec<TcpStream> = (0..CLIENTS).map(|n| client(address, &costly(n))).collect();
    for one in &mut crowd {
        one.write_all(&MARK).unwrap();
        one.read_exact(&mut [0; 4]).unwrap();
    }
    let subscribed = start.elapsed();
    let mut well = client(address, &subscribing(["POSE".to_string()]));
    let mut inventor = client(address, &[]);
    let inventor_end = inventor.try_clone().unwrap();
    let mut flood = Vec::new();
    for n in 0..1000 {
        frame::publish(&mut flood, format!("{n}{}", "xyzab".repeat(180)).as_bytes(), b"");
    }
    flood.extend(MARK);
    let (over, mut memory) = (AtomicBool::new(false), 0);
    let (mut longest, mut first, mut times) = (Duration::ZERO, Duration::ZERO, 0);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            // Otherwise the test ends before.
            let done = inventor.write_all(&flood).and_then(|()| inventor.read_exact(&mut [0; 4]));
            over.store(done.is_ok(), Release);
        });
        let (mut pose, start) = (Vec::new(), Instant::now());
        frame::publish(&mut pose, b"POSE", b"1");
        let mut answer = vec![0; pose.len()];
        while !over.load(Acquire) && start.elapsed() < Duration::from_secs(5) {
            let at = Instant::now();
            well.write_all(&pose).unwrap();
            well.read_exact(&mut answer).unwrap();
            if times == 0 {
                first = at.elapsed()
            } else {
                longest = longest.max(at.elapsed())
            }
            times += 1;
            std::thread::sleep(Duration::from_millis(1));
        }
        inventor_end.shutdown(std::net::Shutdown::Both).unwrap();
        memory = used().saturating_sub(before);
        stop.stop();
    });
    let counts = serving.join().unwrap().total();
    let accepted = CLIENTS as u64 * 64 - counts.refused;
    let (done, took) = (over.load(Acquire), start.elapsed());
    println!(
        "{times} messages of a client that does no harm: the first, on a new channel, came back after {first:?}, others after {longest:?} \
         at most; {} MB for {accepted} expressions; subscribing took {subscribed:?}, all {took:?} (the names were done: {done})",
        memory >> 20
    );
    // Far more than a slow machine needs, and far less than a hub needs that matches everything in one pass.
    assert!(longest < Duration::from_secs(1), "{longest:?}");
    assert!(memory < 400 << 20, "{memory} bytes");
    assert!(times > 10 && accepted > CLIENTS as u64, "{times} {accepted}");
}

#[test]
fn a_turn_accepts_so_few_clients_that_the_others_need_not_wait() {
    let mut hub = Hub::bind("127.0.0.1:0", Limits::default()).unwrap();
    let waiting: Vec<_> = (0..100).map(|_| std::net::TcpStream::connect(hub.address()).unwrap()).collect();
    let mut joined = Vec::new();
    while joined.iter().sum::<usize>() < waiting.len() {
        hub.turn(0).unwrap();
        joined.push(hub.told().len());
        assert!(joined.len() < 10_000, "{joined:?}");
    }
    assert!(joined.iter().all(|joined| *joined <= 32), "{joined:?}");
}
