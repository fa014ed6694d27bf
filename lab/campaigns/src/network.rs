//! **A network whose peers die**: 10,000 messages per second from four peers, each of which publishes, subscribes,
//! is killed at random, and is restarted. The watcher must hear every live peer, receive every message whole and in
//! order, and not grow in memory, threads or descriptors.

use crate::child::{Child, End, spawn, until};
use crate::context::Context;
use crate::message::{check, fill};
use crate::namespace::enter;
use crate::report::{Failure, Skip, say};
use crate::rng::Rng;
use crate::shared::Words;
use saltus_domain::{Domain, Options, Pattern, Until};
use saltus_net::tcpq::{Hub, Limits};
use std::collections::HashMap;
use std::process::Command;
use std::sync::atomic::Ordering::Relaxed; // counters, and a word that is polled
use std::time::{Duration, Instant};

const PEERS: usize = 4;
/// Messages that a peer publishes at once, and how often: 10,000 per second in total.
const AT_ONCE: u64 = 5;
const PERIOD: Duration = Duration::from_millis(2);
/// Silence for this long means a hang.
const PATIENCE: Duration = Duration::from_secs(30);
/// Messages of each channel queued for the watcher.
const DEPTH: u64 = 32;
/// Most memory that a watcher may use in addition at the end, compared with after the first quarter, in KiB: what
/// its channels can hold, 32 messages of up to 256 KiB each, and as much for reassembly.
const GROWTH: u64 = 2 * PEERS as u64 * DEPTH * 256;

/// Words shared by all processes.
const STOP: usize = 0;
/// Messages that the watcher has received from the present peer in each seat.
const HEARD: usize = 1;
/// How often each seat was reoccupied.
const LIFE: usize = HEARD + PEERS;
const WORDS: usize = LIFE + PEERS;

pub fn run(context: &Context) -> Result<(), Failure> {
    let seed = context.seed();
    say(&format!("  seed {seed}"));
    let time = context.time(6, 3600) / 2;
    context.report.check("peers on a multicast group die", || {
        alone()?;
        soak(&|| Ok("udpm://239.255.76.67:7667".into()), None, time, seed)
    });
    context.report.check("clients of a hub die", || {
        let mut hub = Hub::bind("127.0.0.1:0", Limits::default())?;
        let url = format!("tcpq://{}", hub.address());
        let hub = spawn(move || Ok(hub.run()?))?;
        soak(&|| Ok(url.clone()), Some(hub), time, seed)
    });
    Ok(())
}

/// Moves this process into a separate network, in which multicast goes to the loopback.
fn alone() -> Result<(), Failure> {
    enter(libc::CLONE_NEWNET)?;
    for arguments in ["link set lo up multicast on", "route add 224.0.0.0/4 dev lo"] {
        let done = Command::new("ip").args(arguments.split(' ')).status();
        let done = done.map_err(|e| Skip::because(format!("cannot run `ip`: {e}")))?;
        if !done.success() {
            return Err(format!("`ip {arguments}` failed").into());
        }
    }
    Ok(())
}

fn soak(
    url: &dyn Fn() -> Result<String, Failure>,
    mut hub: Option<Child>,
    time: Duration,
    seed: u64,
) -> Result<String, Failure> {
    let (words, mut rng) = (Words::new(WORDS)?, Rng::new(seed));
    let (url, words) = (url()?, &words);
    let hub_before = hub.as_ref().map(|hub| Held::of(hub.pid));
    let mut watcher = spawn(|| watch(&url, words, time))?;
    let mut peers = Vec::new();
    for seat in 0..PEERS {
        peers.push(spawn(|| publish(&url, words, seat))?);
    }
    let all_heard = |what: &str| {
        let heard = |seat: usize| words[HEARD + seat].load(Relaxed) > 0;
        match until(PATIENCE, || (0..PEERS).all(heard)) {
            true => Ok(()),
            false => Err(format!("{what}: messages of some living publishers did not arrive")),
        }
    };
    all_heard("at the start")?;
    let (end, mut kills) = (Instant::now() + time, 0);
    while Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20 + rng.below(200)));
        let seat = rng.below(PEERS as u64) as usize;
        if peers[seat].kill() != End::Signal(libc::SIGKILL) {
            return Err("a peer ended by itself".into());
        }
        kills += 1;
        words[LIFE + seat].fetch_add(1, Relaxed);
        words[HEARD + seat].store(0, Relaxed);
        peers[seat] = spawn(|| publish(&url, words, seat))?;
    }
    all_heard("at the end")?;
    words[STOP].store(1, Relaxed);
    watcher.finish(PATIENCE)?;
    drop(peers);
    let mut found = format!("{kills} kills, messages of all living publishers arrived");
    if let (Some(hub), Some(before)) = (&mut hub, hub_before) {
        // The clients have exited; the hub must have freed their queues too.
        let held = || Held::of(hub.pid);
        if !until(PATIENCE, || held().descriptors <= before.descriptors && held().threads == before.threads) {
            return Err(format!("the hub held {before:?} and holds {:?} without clients", held()).into());
        }
        found += ", the hub holds nothing of theirs";
    }
    Ok(found)
}

/// Resources of a process.
#[derive(Clone, Copy, Debug)]
struct Held {
    threads: usize,
    descriptors: usize,
    /// KiB.
    memory: u64,
}

impl Held {
    fn of(pid: i32) -> Held {
        let count = |what| std::fs::read_dir(format!("/proc/{pid}/{what}")).map_or(0, Iterator::count);
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
        let memory = line.and_then(|l| l.split_whitespace().next()?.parse().ok()).unwrap_or(0);
        Held { threads: count("task"), descriptors: count("fd"), memory }
    }
}

/// Length of message `seq` of life `key`: short, and sometimes several datagrams. A new life may get the port of an
/// earlier one, and counts from the start: LCM's receivers distinguish remaining datagrams of the earlier life by
/// their lengths.
fn len_of(key: u64, seq: u64) -> usize {
    if seq.is_multiple_of(97) { 150_000 + (key as u32 % 10_000) as usize } else { 16 + (seq % 300) as usize }
}

/// A peer: publishes until it is killed, and receives from the others.
fn publish(url: &str, words: &Words, seat: usize) -> Result<(), Failure> {
    let domain = Domain::open(url)?;
    let mut others = domain.subscriber_with(Pattern::all(), Options::newest())?;
    let mut publisher = domain.publisher(format!("peer_{seat}"))?;
    let key = (seat as u64) << 32 | words[LIFE + seat].load(Relaxed);
    let (mut seq, mut message) = (0, Vec::new());
    loop {
        for _ in 0..AT_ONCE {
            seq += 1;
            message.resize(len_of(key, seq), 0);
            fill(key, seq, &mut message[16..]);
            message[..8].copy_from_slice(&key.to_le_bytes());
            message[8..16].copy_from_slice(&seq.to_le_bytes());
            publisher.publish(&message)?;
        }
        let due = Instant::now() + PERIOD;
        while let Some(left) = due.checked_duration_since(Instant::now()) {
            others.receive(Until::For(left))?;
        }
    }
}

/// State of one life of a peer.
#[derive(Clone, Copy, Default)]
struct Peer {
    last: u64,
    received: u64,
    missed: u64,
}

/// Receives from all peers until it is stopped, and then checks its own resources.
fn watch(url: &str, words: &Words, time: Duration) -> Result<(), Failure> {
    let domain = Domain::open(url)?;
    let mut subscriber = domain.subscriber_with(Pattern::regex("peer_[0-9]+")?, Options::next(DEPTH))?;
    let mut peers: HashMap<u64, Peer> = HashMap::new();
    let (start, mut early, mut total, mut dropped) = (Instant::now(), None, 0, 0);
    while words[STOP].load(Relaxed) == 0 {
        let Some(message) = subscriber.receive(Duration::from_millis(100))? else { continue };
        let word = |i: usize| {
            message.data.get(8 * i..8 * i + 8).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes)
        };
        let (Some(key), Some(seq)) = (word(0), word(1)) else { return Err("a message is too short".into()) };
        check(key, seq, &message.data[16..])?;
        if message.data.len() != len_of(key, seq) {
            return Err(format!("message {seq} has {} B", message.data.len()).into());
        }
        let peer = peers.entry(key).or_default();
        // Long messages are sent concurrently with short ones, and may arrive after some that were sent later.
        if seq <= peer.last && seq.is_multiple_of(97) == peer.last.is_multiple_of(97) {
            return Err(format!("message {seq} arrived after {}", peer.last).into());
        }
        peer.last = peer.last.max(seq);
        peer.received += 1;
        peer.missed += message.missed.count().unwrap_or(0);
        if peer.received + peer.missed > peer.last {
            return Err(
                format!("{} received and {} missed of {}", peer.received, peer.missed, peer.last).into()
            );
        }
        (total, dropped) = (total + 1, dropped + message.dropped);
        let (seat, life) = ((key >> 32) as usize, key & 0xffff_ffff);
        if words[LIFE + seat].load(Relaxed) == life {
            words[HEARD + seat].fetch_add(1, Relaxed);
        }
        if early.is_none() && start.elapsed() > time / 4 {
            early = Some(Held::of(std::process::id() as i32));
        }
    }
    let (early, late) = (early.ok_or("nothing was received")?, Held::of(std::process::id() as i32));
    let same = (early.threads, early.descriptors) == (late.threads, late.descriptors);
    if !same || late.memory > early.memory + GROWTH {
        return Err(format!("the watcher held {early:?} and holds {late:?}").into());
    }
    let missed: u64 = peers.values().map(|p| p.missed).sum();
    say(&format!(
        "       received {total} messages of {} lives, missed {missed}, dropped {dropped}; {early:?}, and at the end {} KiB",
        peers.len(),
        late.memory
    ));
    Ok(())
}
