//! A hub that starts late, stops and restarts, as a domain sees it.

use saltus_domain::{Dispatcher, Domain, Error, Missed, Options, Pattern, Subscriber};
use saltus_net::tcpq::{Hub, Limits, Stop};
use saltus_netns::isolated_program;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Long enough for a loaded machine; no test waits this long when all is well.
const LONG: Duration = Duration::from_secs(20);

/// The address of a hub in its own network and program. The kernel does not assign this port by itself, so it is
/// free while the hub is stopped. (With other tests in the same program, the child of one that starts `ip` would
/// hold the hub's socket a moment longer.)
const ADDRESS: &str = "127.0.0.1:7700";

struct Running {
    stop: Stop,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

fn hub(address: &str) -> Running {
    let mut hub = Hub::bind(address, Limits::default()).unwrap();
    let (stop, address) = (hub.stop(), hub.address());
    Running { stop, address, thread: Some(thread::spawn(move || hub.run().unwrap())) }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.stop();
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Publishes until a message arrives: the hub may not have the subscription again yet.
fn until_received(domain: &Domain, subscriber: &mut Subscriber, payload: &[u8]) {
    let (mut publisher, start) = (domain.publisher("A").unwrap(), Instant::now());
    loop {
        assert!(start.elapsed() < LONG);
        let _ = publisher.publish(payload);
        if let Ok(Some(message)) = subscriber.receive(Duration::from_millis(20))
            && message.data == payload
        {
            assert_eq!((message.missed, message.sender), (Missed::Unknown, None));
            return;
        }
    }
}

#[test]
fn a_hub_that_is_late_or_comes_back_is_found() {
    isolated_program(|| {
        let domain = Domain::open("tcpq://localhost:7700").unwrap();
        let mut subscriber = domain.subscriber_with(Pattern::name("A").unwrap(), Options::next(10)).unwrap();
        let fd = subscriber.fd().unwrap().as_raw_fd();
        let loss_counts = |subscriber: &mut Subscriber| {
            let Err(Error::Network(e)) = subscriber.receive(LONG) else { panic!("not told") };
            assert!(e.to_string().contains("saltus hub"), "{e}");
        };
        loss_counts(&mut subscriber);
        assert!(subscriber.receive(Duration::from_millis(300)).unwrap().is_none(), "and not again");
        let why = domain.publisher("A").unwrap().publish(b"x").unwrap_err();
        assert!(matches!(why, Error::Network(_)), "{why}");
        for round in 0..3_u8 {
            let running = hub(ADDRESS);
            until_received(&domain, &mut subscriber, &[round]);
            drop(running);
            // Messages of the same round may arrive first.
            let start = Instant::now();
            while subscriber.receive(LONG).map(|_| ()).is_ok() {
                assert!(start.elapsed() < LONG);
            }
        }
        assert_eq!(subscriber.fd().unwrap().as_raw_fd(), fd, "the descriptor stays the same");
    });
}

#[test]
fn a_dispatcher_continues_after_an_error() {
    isolated_program(|| {
        let running = hub(ADDRESS);
        let domain = Domain::open("tcpq://127.0.0.1:7700").unwrap();
        let mut dispatcher = Dispatcher::new().unwrap();
        dispatcher.on(domain.subscriber("A").unwrap(), |_, control| control.stop()).unwrap();
        drop(running);
        let start = Instant::now();
        while dispatcher.handle(LONG).is_ok() {
            assert!(start.elapsed() < LONG);
        }
        let _running = hub(ADDRESS);
        let publishing = domain.clone();
        thread::scope(|s| {
            let (quit, loss_counts) = std::sync::mpsc::channel::<()>();
            s.spawn(move || {
                let mut publisher = publishing.publisher("A").unwrap();
                while loss_counts.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                    let _ = publisher.publish(b"x");
                    thread::sleep(Duration::from_millis(10));
                }
            });
            dispatcher.run().unwrap();
            drop(quit);
        });
    });
}

#[test]
fn many_domains_leave_nothing_behind() {
    let running = hub("127.0.0.1:0");
    let count = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    let work = || {
        let domain = Domain::open(&format!("tcpq://{}", running.address)).unwrap();
        let mut subscriber = domain.subscriber("A").unwrap();
        domain.publisher("A").unwrap().publish(b"x").unwrap();
        assert!(subscriber.receive(LONG).unwrap().is_some());
    };
    work();
    // Other tests of this process start and end.
    let before = (count(), threads());
    (0..200).for_each(|_| work());
    let start = Instant::now();
    while count() > before.0 + 60 || threads() > before.1 + 20 {
        assert!(start.elapsed() < LONG, "{} descriptors, {} threads, before {before:?}", count(), threads());
        thread::sleep(Duration::from_millis(10));
    }
}
