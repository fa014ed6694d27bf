//! `zmq://`: a subscriber that waits for a message receives it itself. In its own process, so that there is only
//! one background receiver thread to observe.

#![cfg(feature = "zmq")]

use saltus_domain::{Domain, Options, Pattern};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};
use std::{fs, thread};

const LONG: Duration = Duration::from_secs(20);
const MESSAGES: u64 = 200;

/// How often this process's background receiver threads have blocked.
fn sleeps() -> u64 {
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten().map(|task| task.path());
    let helpers = tasks.filter(|t| fs::read_to_string(t.join("comm")).is_ok_and(|c| c == "saltus-intake\n"));
    helpers.map(|t| number(&fs::read_to_string(t.join("status")).unwrap(), "voluntary_ctxt_switches:")).sum()
}
fn number(status: &str, key: &str) -> u64 {
    status.lines().find_map(|line| line.strip_prefix(key)?.trim().parse().ok()).unwrap()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LONG, "{what}");
        thread::sleep(Duration::from_micros(100));
    }
}

#[test]
fn the_helper_thread_sleeps_while_a_subscriber_waits() {
    let directory = std::env::temp_dir().join(format!("saltus-zmq-helper-{}", std::process::id()));
    let open = || Domain::open(&format!("zmq://{}", directory.display())).unwrap();
    let (here, there) = (open(), open());
    let mut subscriber = there.subscriber_with(Pattern::name("x").unwrap(), Options::next(1000)).unwrap();
    let mut publisher = here.publisher("x").unwrap();
    until("they meet", || {
        publisher.publish(b"").unwrap();
        subscriber.receive(Duration::from_millis(10)).unwrap().is_some()
    });
    while subscriber.receive(Duration::from_millis(200)).unwrap().is_some() {} // the rest
    let before = sleeps();
    let (received, itself) = (&AtomicU64::new(0), &std::sync::OnceLock::new());
    thread::scope(|s| {
        s.spawn(move || {
            itself.set(fs::read_link("/proc/thread-self").unwrap()).unwrap();
            for _ in 0..MESSAGES {
                subscriber.receive(LONG).unwrap().expect("a message in time");
                received.fetch_add(1, SeqCst);
            }
        });
        let waits = || {
            let status = itself
                .get()
                .map(|at| fs::read_to_string(std::path::Path::new("/proc").join(at).join("status")));
            status.is_some_and(|s| s.is_ok_and(|s| s.contains("State:\tS")))
        };
        for n in 0..MESSAGES {
            until("it waits", waits);
            publisher.publish(b"x").unwrap();
            until("the message arrives", || received.load(SeqCst) > n);
        }
    });
    // Occasionally the subscriber waits elsewhere when the message arrives.
    let woken = sleeps() - before;
    assert!(
        woken < MESSAGES / 4,
        "the background receiver thread woke {woken} times for {MESSAGES} messages"
    );
    let _ = fs::remove_dir_all(&directory);
}
