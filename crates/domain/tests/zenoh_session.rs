//! `zenoh://`: sessions in this process: what they receive, count, listen on, and leave behind.
#![cfg(feature = "zenoh")]

use saltus_domain::{Dispatcher, Domain, Missed, Options, Pattern, Start, Subscriber};
use saltus_netns::isolated_program;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// Long enough for a loaded machine; no test waits this long when all is well.
const LONG: Duration = Duration::from_secs(20);

fn of(subscriber: &mut Subscriber) -> u64 {
    let message = subscriber.receive(LONG).unwrap().expect("a message in time");
    u64::from_le_bytes(message.data.try_into().unwrap())
}

/// Zenoh's subscriptions change with the subscribers, while messages arrive.
#[test]
fn each_subscriber_gets_each_message_once_whoever_else_subscribes() {
    isolated_program(|| {
        let domain = Domain::open("zenoh://robot").unwrap();
        let publishers = ["A", "B"].map(|name| domain.publisher(name).unwrap());
        let subscribe =
            |pattern: Pattern| domain.subscriber_with(pattern, Options::next(100).start(Start::Now)).unwrap();
        let name = || subscribe(Pattern::name("A").unwrap());
        let many = || subscribe(Pattern::regex("A|C").unwrap());
        let mut staying = name();
        let mut n = 0_u64;
        let mut publishers = publishers;
        let mut round = |subscribers: &mut [Subscriber]| {
            for _ in 0..3 {
                n += 1;
                publishers.iter_mut().for_each(|publisher| publisher.publish(&n.to_le_bytes()).unwrap());
                assert_eq!(of(&mut staying), n);
                subscribers.iter_mut().for_each(|subscriber| assert_eq!(of(subscriber), n));
            }
        };
        round(&mut []);
        round(&mut [name(), name()]);
        round(&mut [many()]);
        round(&mut [name(), many(), name()]);
        round(&mut [many(), many()]);
        round(&mut []);
    });
}

/// A message that a publisher loses because it does not wait is missed, and reported.
#[test]
fn losses_of_a_busy_network_are_reported() {
    isolated_program(|| {
        const MANY: u64 = 20_000;
        let (here, there) = ("zenoh://robot", "zenoh://robot");
        let (here, there) = (Domain::open(here).unwrap(), Domain::open(there).unwrap());
        let pattern = Pattern::name("A").unwrap();
        let mut subscriber = there.subscriber_with(pattern, Options::next(16)).unwrap();
        let mut publisher = here.publisher("A").unwrap();
        // Counting starts with the first message that arrives.
        let start = Instant::now();
        let mut first = 0_u64;
        let (mut received, mut last) = loop {
            assert!(start.elapsed() < LONG);
            first += 1;
            publisher.publish(&first.to_le_bytes()).unwrap();
            if let Some(message) = subscriber.receive(Duration::from_millis(100)).unwrap() {
                break (0, u64::from_le_bytes(message.data.try_into().unwrap()));
            }
        };
        let base = last;
        let mut payload = vec![0; 4000];
        let sender = thread::spawn(move || {
            for n in first + 1..=first + MANY {
                payload[..8].copy_from_slice(&n.to_le_bytes());
                publisher.publish(&payload).unwrap();
            }
            publisher
        });
        let (mut thread, mut sender, mut loss_counts, mut end) = (Some(sender), None, 0, first + MANY);
        while last < end {
            let Some(message) = subscriber.receive(Duration::from_millis(500)).unwrap() else {
                // The last ones were lost; one more message reveals that, unless it is lost too.
                let sender = sender.get_or_insert_with(|| thread.take().unwrap().join().unwrap());
                end += 1;
                sender.publish(&end.to_le_bytes()).unwrap();
                assert!(start.elapsed() < 3 * LONG, "nothing more came after message {last}");
                continue;
            };
            let n = u64::from_le_bytes(message.data[..8].try_into().unwrap());
            assert!(n > last && matches!(message.missed, Missed::OfSender(_)), "{n} after {last}");
            (received, loss_counts) =
                (received + 1, loss_counts + message.missed.count().unwrap() + message.dropped);
            last = n;
            assert_eq!(base + received + loss_counts, last, "at message {n}");
        }
    });
}

/// Addresses of sockets of one kind in this network that accept connections or datagrams.
fn listening(kind: &str, state: &str) -> Vec<String> {
    let table = fs::read_to_string(format!("/proc/self/net/{kind}")).unwrap();
    let lines = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.filter(|words| words[3] == state).map(|words| words[1].to_string()).collect()
}

#[test]
fn listens_on_loopback_only_unless_the_url_requests_more() {
    isolated_program(|| {
        let loopback = |address: &String| address.starts_with("0100007F:");
        let group = |address: &String| address.starts_with("E00000E0:");
        for url in ["zenoh://", "zenoh://?mode=router", "zenoh://?scouting=off"] {
            let domain = Domain::open(url).unwrap();
            let _subscriber = domain.subscriber("A").unwrap();
            let tcp = listening("tcp", "0A");
            assert!(!tcp.is_empty() && tcp.iter().all(loopback), "{url}: {tcp:?}");
            assert_eq!(listening("tcp6", "0A"), Vec::<String>::new(), "{url}");
            assert_eq!(listening("udp6", "07"), Vec::<String>::new(), "{url}");
            // The group's socket, and the one that receives answers to scouting.
            let udp = listening("udp", "07");
            let own = udp.iter().filter(|address| !group(address)).count();
            assert_eq!(own, usize::from(!url.contains("off")), "{url}: {udp:?}");
            drop((_subscriber, domain));
        }
        let _domain = Domain::open("zenoh://?listen=tcp/0.0.0.0:7450&scouting=off").unwrap();
        let _subscriber = _domain.subscriber("A").unwrap();
        assert_eq!(listening("tcp", "0A"), ["00000000:1D1A"]);
    });
}

#[test]
fn many_domains_leave_nothing_behind() {
    isolated_program(|| {
        let count = || {
            let entries = |dir: &str| fs::read_dir(dir).unwrap().count();
            (entries("/proc/self/fd"), entries("/proc/self/task"))
        };
        let work = || {
            let domains = [(); 2].map(|()| Domain::open("zenoh://robot").unwrap());
            let mut subscriber = domains[0].subscriber("A").unwrap();
            let mut publisher = domains[1].publisher("A").unwrap();
            let start = Instant::now();
            while subscriber.receive(Duration::from_millis(20)).unwrap().is_none() {
                assert!(start.elapsed() < LONG);
                publisher.publish(b"x").unwrap();
            }
        };
        (0..3).for_each(|_| work()); // Zenoh's own threads stay, and are reused
        let before = count();
        (0..15).for_each(|_| work());
        let start = Instant::now();
        // Threads of its blocking pool start and end, ten seconds after their last work.
        while count().0 > before.0 || count().1 > before.1 {
            assert!(start.elapsed() < 2 * LONG, "{:?} descriptors and threads, before {before:?}", count());
            thread::sleep(Duration::from_millis(20));
        }
    });
}

#[test]
fn a_domain_opens_and_closes_in_a_callback() {
    isolated_program(|| {
        let domain = Domain::open("zenoh://robot").unwrap();
        let mut dispatcher = Dispatcher::new().unwrap();
        dispatcher
            .on(domain.subscriber("A").unwrap(), |_, control| {
                let other = Domain::open("zenoh://robot").unwrap();
                let _subscriber = other.subscriber("B").unwrap();
                control.stop();
            })
            .unwrap();
        domain.publisher("A").unwrap().publish(b"x").unwrap();
        dispatcher.run().unwrap();
        drop((dispatcher, domain));
    });
}
