//! The hub and its clients over the loopback: slow and invalid clients, a hub that stops and restarts, and LCM's
//! own.

mod support;

use saltus_net::tcpq::{Client, Hub, Limits, QueueLimits, Stats, Stop, Told, frame};
use saltus_netns::{isolated, isolated_program};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use support::{Peer, jar, made, readable};

/// Long enough for a loaded machine; no test waits this long when all is well.
const LONG: Duration = Duration::from_secs(60);

/// The address of a hub in its own network. The kernel does not assign this port by itself: it is free while the
/// hub is stopped.
const ADDRESS: &str = "127.0.0.1:7700";

/// A hub in a thread. It stops on drop.
struct Running {
    address: SocketAddr,
    stop: Stop,
    seen: Arc<Mutex<(Stats, Vec<Told>, usize)>>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn new(limits: Limits) -> Running {
        Running::at("127.0.0.1:0", limits)
    }
    fn at(address: &str, limits: Limits) -> Running {
        let mut hub = Hub::bind(address, limits).unwrap();
        let (address, stop, seen) = (hub.address(), hub.stop(), Arc::default());
        let reported: Arc<Mutex<(Stats, Vec<Told>, usize)>> = Arc::clone(&seen);
        let thread = thread::spawn(move || {
            while !hub.is_stopped() {
                hub.turn(u64::MAX).unwrap();
                let mut seen = reported.lock().unwrap();
                (seen.0, seen.2) = (hub.total(), hub.clients().iter().map(|c| c.stats.subscriptions).sum());
                seen.1.extend(hub.told());
            }
        });
        Running { address, stop, seen, thread: Some(thread) }
    }
    fn client(&self) -> Client {
        Client::open(&[self.address]).unwrap()
    }
    fn total(&self) -> Stats {
        self.seen.lock().unwrap().0
    }
    /// Waits until `seen` is true of the hub's counters.
    fn until(&self, what: &str, seen: impl Fn(&Stats, &[Told], usize) -> bool) {
        until(what, || {
            let now = self.seen.lock().unwrap();
            seen(&now.0, &now.1, now.2)
        });
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.stop();
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || thread::panicking());
    }
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < LONG, "{what}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Publishes. A hub that could not run for a tenth of a second accepts nothing: then it tries again.
fn publish(client: &Client, channel: &[u8], payload: &[u8]) {
    until("the hub takes a message", || client.publish(channel, payload).is_ok());
}

/// The next messages of a client, as channel and payload.
fn hear(client: &Client, count: usize) -> Vec<(String, Vec<u8>)> {
    let (mut heard, start) = (Vec::new(), Instant::now());
    while heard.len() < count {
        assert!(start.elapsed() < LONG, "{} of {count} messages came", heard.len());
        if readable(client, LONG) {
            let mut keep = |m: saltus_net::tcpq::Arrived<'_>| {
                heard.push((String::from_utf8(m.channel.to_vec()).unwrap(), m.payload.to_vec()));
            };
            client.drain(&mut keep).unwrap();
        }
    }
    assert_eq!(heard.len(), count);
    heard
}

/// A connection that sends these bytes.
fn raw(hub: &Running, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(hub.address).unwrap();
    stream.write_all(bytes).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream
}
const HELLO: &[u8] = b"\x28\x76\x17\xfb\0\0\x01\0";

#[test]
fn a_subscription_holds_when_it_returns() {
    let hub = Running::new(Limits::default());
    let sender = hub.client();
    for n in 0..50 {
        let listener = hub.client();
        listener.subscribe(b"A").unwrap();
        sender.publish(b"A", &[n]).unwrap();
        assert_eq!(hear(&listener, 1), [("A".to_string(), vec![n])]);
        // Another client during traffic is no reason to lose messages.
        listener.subscribe(b"B.*").unwrap();
        sender.publish(b"A", &[n]).unwrap();
        sender.publish(b"BC", &[n]).unwrap();
        assert_eq!(hear(&listener, 2).last().unwrap().0, "BC");
    }
}

#[test]
fn what_a_client_published_before_it_ended_reaches_the_hub() {
    let hub = Running::new(Limits::default());
    let listener = hub.client();
    listener.subscribe(b"A").unwrap();
    for n in 0..100 {
        let sender = hub.client();
        publish(&sender, b"A", &made(200_000, n));
        publish(&sender, b"A", &made(200_000, n + 1));
        drop(sender);
        let heard = hear(&listener, 2);
        assert!(heard[0].1 == made(200_000, n) && heard[1].1 == made(200_000, n + 1), "client {n}");
    }
}

#[test]
fn messages_of_all_sizes_come_whole_and_in_order() {
    let hub = Running::new(Limits::default());
    let (sender, listener) = (hub.client(), hub.client());
    listener.subscribe(b".*").unwrap();
    for size in [0, 1, 7, 1000, 65_535, 65_536, 262_131, 262_132, 1 << 20, 30_000_000] {
        thread::scope(|s| {
            s.spawn(|| publish(&sender, b"SIZE", &made(size, 1)));
            assert!(hear(&listener, 1)[0].1 == made(size, 1), "{size} bytes");
        });
    }
    assert!(sender.publish(b"SIZE", &vec![0; (1 << 28) + 1]).unwrap_err().to_string().contains("268435457"));
}

#[test]
fn threads_may_publish_at_the_same_time() {
    let hub = Running::new(Limits::default());
    let (sender, listener) = (hub.client(), hub.client());
    listener.subscribe(b".*").unwrap();
    thread::scope(|s| {
        for n in 0..4_u8 {
            let sender = &sender;
            s.spawn(move || {
                for i in 0..500_usize {
                    publish(sender, &[b'A' + n], &vec![n; i * 7]);
                }
            });
        }
        let mut next = [0; 4];
        for (channel, payload) in hear(&listener, 2000) {
            let n = channel.as_bytes()[0] - b'A';
            assert_eq!(payload, vec![n; next[usize::from(n)] * 7]);
            next[usize::from(n)] += 1;
        }
    });
}

#[test]
fn a_client_that_never_reads_delays_nobody() {
    let queue = QueueLimits { bytes: 1 << 20, ..QueueLimits::default() };
    let hub = Running::new(Limits { queue, ..Limits::default() });
    let mut hello = HELLO.to_vec();
    frame::subscribe(&mut hello, b".*");
    let mut deaf = raw(&hub, &hello);
    let (sender, listener) = (hub.client(), hub.client());
    listener.subscribe(b".*").unwrap();
    hub.until("both subscribe", |_, _, subscriptions| subscriptions == 2);
    const COUNT: usize = 300;
    for n in 0..COUNT {
        let message = made(100_000, n as u32);
        publish(&sender, b"CAMERA", &message);
        assert!(hear(&listener, 1)[0].1 == message, "message {n}");
    }
    // The hub updates its counters at the end of a turn: the last message may be received before.
    hub.until("every message came", |total, _, _| total.received == COUNT as u64);
    let total = hub.total();
    assert!(total.dropped > 0, "{total:?}");
    // When it finally reads, it receives whole messages, in order, including the newest.
    let mut bytes = Vec::new();
    let mut newest = Vec::new();
    frame::publish(&mut newest, b"CAMERA", &made(100_000, COUNT as u32 - 1));
    let mut buffer = vec![0; 1 << 20];
    while !bytes.ends_with(&newest) {
        let n = deaf.read(&mut buffer).unwrap();
        assert!(n > 0);
        bytes.extend_from_slice(&buffer[..n]);
    }
    let (mut decoder, mut input, mut last, mut got) = (frame::Decoder::new(), &bytes[8..], 0, 0);
    while let Some(frame::Frame::Publish { payload, .. }) = decoder.next(&mut input).unwrap() {
        let n = (last..COUNT).find(|&n| payload == made(100_000, n as u32)).expect("in order");
        (last, got) = (n + 1, got + 1);
    }
    assert_eq!((last, got + total.dropped), (COUNT, COUNT as u64));
}

#[test]
fn a_client_that_breaks_the_protocol_is_disconnected_and_logged() {
    let hub = Running::new(Limits { clients: 3, ..Limits::default() });
    let reason = |text: &str| {
        hub.until(text, |_, reported, _| {
            reported.iter().any(|t| matches!(t, Told::Left(_, reason) if reason.to_string().contains(text)))
        });
    };
    let mut rude = raw(&hub, b"GET / HTTP/1.1\r\n\r\n");
    reason("first word 0x47455420");
    // Its connection ends: with a reset, since it was not read to its end, or normally.
    let mut rest = Vec::new();
    let _ = rude.read_to_end(&mut rest);
    assert_eq!(rest.len() % 8, 0);
    let _late = raw(&hub, &[HELLO, b"\0\0\0\x63"].concat());
    reason("unknown type 99");
    let _one = [raw(&hub, HELLO), raw(&hub, HELLO), raw(&hub, HELLO)];
    let _more = raw(&hub, b"");
    reason("the maximum number of clients is reached");
}

/// In its own program: a child started by another test holds this one's sockets too, from `fork` to `exec`, and so
/// keeps the address.
#[test]
fn a_hub_may_come_and_go() {
    isolated_program(|| {
        let client = Client::open(&[ADDRESS.parse().unwrap()]).unwrap();
        let why = client.publish(b"A", b"x").unwrap_err().to_string();
        assert!(why.contains(ADDRESS) && why.contains("saltus hub"), "{why}");
        client.subscribe(b"A").unwrap();
        let reported = |what: &str| {
            until(what, || client.drain(&mut |_| {}).is_err());
            let start = Instant::now();
            while start.elapsed() < Duration::from_millis(300) {
                assert!(client.drain(&mut |_| {}).is_ok(), "{what}, once");
                thread::sleep(Duration::from_millis(5));
            }
        };
        reported("an error that there is no hub");
        for round in 0..3_u8 {
            let hub = Running::at(ADDRESS, Limits::default());
            until("the client is back", || {
                let _ = client.drain(&mut |_| {});
                client.is_connected()
            });
            hub.until("and has subscribed", |_, _, subscriptions| subscriptions == 1);
            client.publish(b"A", &[round]).unwrap();
            assert_eq!(hear(&client, 1)[0].1, [round]);
            drop(hub);
            reported("an error that the hub is gone");
            assert!(client.publish(b"A", b"x").is_err());
        }
    });
}

/// In its own program, as the one above.
#[test]
fn a_client_that_only_publishes_detects_a_lost_hub() {
    isolated_program(|| {
        let hub = Running::at(ADDRESS, Limits::default());
        let client = hub.client();
        client.publish(b"A", b"x").unwrap();
        drop(hub);
        let why = client.publish(b"A", b"y").unwrap_err().to_string();
        assert!(why.contains("no connection"), "{why}");
        let hub = Running::at(ADDRESS, Limits::default());
        until("it is back", || client.publish(b"A", b"z").is_ok());
        hub.until("the message came", |total, _, _| total.received == 1);
    });
}

/// Exchanges messages between LCM's client and ours in both directions, over a hub; returns their number. `settled`
/// waits until both have subscribed, where the hub is ours.
fn both_ways(peer: &mut Peer, client: &Client, settled: impl Fn()) -> u64 {
    peer.ask("subscribe TO");
    client.subscribe(b"FROM|OTHER").unwrap();
    settled();
    // LCM's hub cannot confirm a subscription. It has ours when a message of LCM's client has arrived, and LCM's
    // when one of ours has. A readable client does not prove that: the hub's hello may be late as well.
    let (mut last, mut newest) = (0_u32, Vec::new());
    until("a message of LCM's comes", || {
        last += 1;
        peer.ask(&format!("publish OTHER 4 {last}"));
        readable(client, Duration::from_millis(50));
        client.drain(&mut |m| newest = m.payload.to_vec()).unwrap();
        !newest.is_empty()
    });
    until("the last of them comes", || {
        client.drain(&mut |m| newest = m.payload.to_vec()).unwrap();
        newest == made(4, last)
    });
    // The last message that LCM's client expected may arrive again.
    let mut ours = 0;
    peer.tell("expect TO 4 1000");
    until("a message of ours comes", || {
        ours += 1;
        publish(client, b"TO", &made(4, 1000));
        readable(peer.answers(), Duration::from_millis(50))
    });
    assert_eq!(peer.answer(), "ok", "the first of ours");
    for (seed, size) in [0, 1, 100, 65_536, 1_000_000, 20_000_000].into_iter().enumerate() {
        peer.tell(&format!("expect TO {size} {seed}"));
        publish(client, b"TO", &made(size, seed as u32));
        assert_eq!(peer.answer(), "ok", "{size} bytes to LCM");
        peer.tell(&format!("publish FROM {size} {seed}"));
        let heard = hear(client, 1);
        assert!(heard[0].0 == "FROM" && heard[0].1 == made(size, seed as u32), "{size} bytes from LCM");
        assert_eq!(peer.answer(), "ok");
    }
    12 + u64::from(last) + ours
}

/// LCM's clients, in C and in Java.
const PEERS: [fn(&str) -> Peer; 2] = [Peer::python, Peer::java];

#[test]
fn lcms_clients_and_ours_meet_at_our_hub() {
    for peer in PEERS {
        let hub = Running::new(Limits::default());
        // LCM for Java may subscribe twice.
        let settled = || hub.until("both subscribe", |_, _, subscriptions| subscriptions >= 2);
        let count = both_ways(&mut peer(&format!("tcpq://{}", hub.address)), &hub.client(), settled);
        hub.until("all were sent", |total, _, _| total.sent == count);
        assert_eq!(hub.total().dropped, 0);
    }
}

/// LCM's hub, which stops on drop.
struct Java(Child);
impl Drop for Java {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn lcms_clients_and_ours_meet_at_lcms_hub() {
    let jar = jar(); // if it is missing, building it needs the network
    isolated(|| {
        let address: SocketAddr = ADDRESS.parse().unwrap();
        let mut java = Command::new("java");
        java.arg("-cp").arg(&jar).arg("lcm.lcm.TCPService").arg(address.port().to_string());
        let _java =
            Java(java.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("Java is installed"));
        until("LCM's hub listens", || TcpStream::connect(address).is_ok());
        for peer in PEERS {
            let client = Client::open(&[address]).unwrap();
            both_ways(&mut peer(&format!("tcpq://{address}")), &client, || {});
        }
    });
}
