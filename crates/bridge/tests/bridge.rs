//! The promises of a bridge.

use saltus_bridge::{Bridge, Rename, Route};
use saltus_domain::{Description, Domain, Error, Options, Pattern, Subscriber, Until};
use std::thread;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(30);

fn all(domain: &Domain) -> Subscriber {
    domain.subscriber_with(Pattern::all(), Options::next(100)).unwrap()
}

/// All messages that arrive, as text: at least as many as expected, and then those that follow until no more
/// arrive.
fn drain(bridge: &mut Bridge, subscriber: &mut Subscriber, expected: usize) -> Vec<String> {
    let mut got = Vec::new();
    let (start, mut quiet) = (Instant::now(), Instant::now());
    while quiet.elapsed() < SHORT || (got.len() < expected && start.elapsed() < LONG) {
        while bridge.step(Until::Poll).unwrap() > 0 {
            quiet = Instant::now();
        }
        while let Some(m) = subscriber.receive(Until::Poll).unwrap() {
            got.push(format!("{} {}", m.channel, String::from_utf8_lossy(m.data)));
            quiet = Instant::now();
        }
        thread::sleep(Duration::from_millis(1));
    }
    got
}

/// Runs the bridge until its counts of carried and own messages are exactly these.
fn until_counts(bridge: &mut Bridge, expected: (u64, u64)) {
    let (start, counts) = (Instant::now(), |bridge: &Bridge| (bridge.counts().carried, bridge.counts().own));
    while counts(bridge) != expected && start.elapsed() < LONG {
        bridge.step(SHORT).unwrap();
    }
    bridge.step(SHORT).unwrap();
    assert_eq!(counts(bridge), expected);
}

#[test]
fn chosen_channels_are_carried_under_new_names() {
    let (a, b) = (Domain::open("mem://").unwrap(), Domain::open("mem://").unwrap());
    let mut bridge = Bridge::new();
    let rename: Rename = "s/^/robot_/".parse().unwrap();
    bridge.add(Route::new(&a, &b).channels(Pattern::regex("p.*").unwrap()).rename(rename)).unwrap();
    let mut there = all(&b);
    for name in ["pose", "image", "path"] {
        a.publisher(name).unwrap().publish(b"1").unwrap();
    }
    let mut got = drain(&mut bridge, &mut there, 2);
    got.sort();
    assert_eq!(got, ["robot_path 1", "robot_pose 1"]);
    assert_eq!((bridge.counts().received, bridge.counts().carried), (2, 2));
}

#[test]
fn no_message_loops() {
    let pairs =
        [("mem://", "mem://"), ("mem://", "udpm://"), ("udpm://239.255.76.67", "udpm://239.255.76.68")];
    saltus_netns::isolated(|| {
        for (from, to) in pairs {
            let (a, b) = (Domain::open(from).unwrap(), Domain::open(to).unwrap());
            let mut bridge = Bridge::new();
            bridge.add(Route::new(&a, &b)).unwrap();
            bridge.add(Route::new(&b, &a)).unwrap();
            let (mut at_a, mut at_b) = (all(&a), all(&b));
            // On a network, the other program is a separate one; in a memory domain, another publisher is enough.
            let other = |url: &str, own: &Domain| {
                if url == "mem://" { own.clone() } else { Domain::open(url).unwrap() }
            };
            let (a, b) = (other(from, &a), other(to, &b));
            for n in 0..5 {
                a.publisher("x").unwrap().publish(format!("a{n}").as_bytes()).unwrap();
            }
            assert_eq!(drain(&mut bridge, &mut at_b, 5).len(), 5, "{from} to {to}");
            for n in 0..5 {
                b.publisher("x").unwrap().publish(format!("b{n}").as_bytes()).unwrap();
            }
            let came = drain(&mut bridge, &mut at_a, 10);
            assert_eq!(came.iter().filter(|m| m.starts_with("x b")).count(), 5, "{from} to {to}: {came:?}");
            assert_eq!(came.len(), 10);
            assert_eq!(drain(&mut bridge, &mut at_b, 5).len(), 5, "its own five, and nothing again");
            // The messages it carried return last.
            until_counts(&mut bridge, (10, 10));
        }
    });
}

#[test]
fn within_a_domain_only_what_gets_a_new_name_is_carried() {
    let a = Domain::open("mem://").unwrap();
    let mut bridge = Bridge::new();
    bridge.add(Route::new(&a, &a).rename("s/^left_/right_/".parse().unwrap())).unwrap();
    let mut there = all(&a);
    a.publisher("left_arm").unwrap().publish(b"1").unwrap();
    a.publisher("base").unwrap().publish(b"1").unwrap();
    let mut got = drain(&mut bridge, &mut there, 3);
    got.sort();
    assert_eq!(got, ["base 1", "left_arm 1", "right_arm 1"]);
    until_counts(&mut bridge, (1, 2));
}

#[test]
fn counts_that_a_transport_lacks_are_unknown() {
    saltus_netns::isolated(|| {
        let (to, from) = (Domain::open("mem://").unwrap(), Domain::open("mpudpm://").unwrap());
        let mut bridge = Bridge::new();
        bridge.add(Route::new(&to, &from)).unwrap();
        bridge.add(Route::new(&from, &to)).unwrap();
        assert!(bridge.routes().all(|counts| counts.missed().is_none()), "nothing came");
        let other = Domain::open("mpudpm://").unwrap();
        let mut publishers = [to.publisher("x").unwrap(), other.publisher("y").unwrap()];
        let start = Instant::now();
        while bridge.routes().any(|counts| counts.received == 0) {
            // Messages are lost until a network of many ports has announced its channels.
            publishers.iter_mut().for_each(|publisher| publisher.publish(b"1").unwrap());
            bridge.step(SHORT).unwrap();
            assert!(start.elapsed() < LONG);
        }
        let missed: Vec<_> = bridge.routes().map(|counts| counts.missed()).collect();
        assert_eq!(missed, [Some(0), None]);
    });
}

#[test]
fn a_limit_of_the_rate_keeps_the_newest() {
    let (a, b) = (Domain::open("mem://").unwrap(), Domain::open("mem://").unwrap());
    let mut bridge = Bridge::new();
    bridge.add(Route::new(&a, &b).max_rate(20.0)).unwrap();
    let mut there = b.subscriber_with(Pattern::all(), Options::next(100)).unwrap();
    let mut publisher = a.publisher("x").unwrap();
    let start = Instant::now();
    for n in 1..=15u8 {
        publisher.publish(&[n]).unwrap();
        bridge.step(Until::Poll).unwrap();
    }
    assert_eq!(there.receive(Until::Poll).unwrap().unwrap().data, [1]);
    // The newest is carried when it is due, though no more messages are published.
    while there.receive(Until::Poll).unwrap().is_none_or(|m| m.data != [15]) {
        bridge.step(SHORT).unwrap();
        assert!(start.elapsed() < LONG);
    }
    assert!(start.elapsed() >= Duration::from_millis(50));
    let counts = bridge.counts();
    assert_eq!(counts.carried + counts.passed, 15);
}

/// A shared-memory domain that is removed on drop.
struct Shm(Domain, String);
impl Shm {
    fn new(name: &str) -> Shm {
        let dir = format!("/dev/shm/saltus-bridge-test-{}-{name}", std::process::id());
        Shm(Domain::open(&format!("shm://{dir}")).unwrap(), dir)
    }
}
impl Drop for Shm {
    fn drop(&mut self) {
        let domain = saltus_channel::Directory::open(&format!("shm://{}", self.1)).unwrap();
        domain.list().unwrap().iter().for_each(|name| drop(domain.unlink(name.as_bytes())));
        let _ = std::fs::remove_dir(&self.1);
    }
}

#[test]
fn types_are_carried_with_messages() {
    let (from, to) = (Shm::new("from"), Shm::new("to"));
    let mut bridge = Bridge::new();
    bridge.add(Route::new(&from.0, &to.0)).unwrap();
    let mut publisher = from.0.publisher("pose").unwrap();
    let printed = Description { name: "pose_t".into(), fingerprint: 7, schema: "struct pose_t {}".into() };
    publisher.describe(&printed).unwrap();
    publisher.publish(b"12345678").unwrap();
    let mut there = to.0.subscriber("pose").unwrap();
    let start = Instant::now();
    while there.receive(Until::Poll).unwrap().is_none() {
        bridge.step(SHORT).unwrap();
        assert!(start.elapsed() < LONG);
    }
    let channel = there.channels().remove(0);
    assert_eq!(there.descriptions(&channel), [printed]);
}

#[test]
fn refusals_of_the_other_side_are_counted_and_reported() {
    let (from, to) = (Domain::open("mem://").unwrap(), Shm::new("refuses"));
    // An explicit size is fixed: channels do not grow then.
    let fixed = Domain::open(&format!("shm://{}?max_message_size=512", to.1)).unwrap();
    let mut bridge = Bridge::new();
    bridge.add(Route::new(&from, &fixed)).unwrap();
    let mut publisher = from.publisher("x").unwrap();
    publisher.publish(b"short").unwrap();
    publisher.publish(&[0; 100_000]).unwrap();
    publisher.publish(b"short").unwrap();
    while bridge.step(Until::Poll).unwrap() > 0 {}
    let counts = bridge.counts();
    assert_eq!((counts.received, counts.carried, counts.refused), (3, 2, 1));
    let reported = bridge.trouble().unwrap().to_string();
    assert!(reported.contains("100000 B") && bridge.trouble().is_none(), "{reported}");
}

#[test]
fn it_is_canceled() {
    let (a, b) = (Domain::open("mem://").unwrap(), Domain::open("mem://").unwrap());
    let mut bridge = Bridge::new();
    bridge.add(Route::new(&a, &b)).unwrap();
    bridge.add(Route::new(&b, &a)).unwrap();
    let cancel_handles = bridge.cancel_handles();
    let thread = thread::spawn(move || {
        thread::sleep(SHORT);
        cancel_handles.iter().for_each(|c| c.cancel());
    });
    assert!(matches!(bridge.step(LONG), Err(Error::Canceled)));
    thread.join().unwrap();
}
