//! LCM's programs over shared memory: unchanged, in order, and without losing what LCM would have kept.

#[path = "support/instance.rs"]
mod instance;
mod support;

use instance::{Lcm, Received};
use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::time::{Duration, Instant};
use support::*;

fn number(data: &[u8]) -> u32 {
    u32::from_le_bytes(data[..4].try_into().unwrap())
}

/// That there are the numbers from 0 to `n`, each once and in order.
#[track_caller]
fn in_order(list: &Received, n: u32) {
    let numbers: Vec<u32> = list.iter().map(|(_, data)| number(data)).collect();
    let wrong = (0..n).zip(&numbers).find(|(expected, got)| expected != *got);
    assert!(
        wrong.is_none() && numbers.len() == n as usize,
        "{} of {n}; first difference: {wrong:?}",
        numbers.len()
    );
}

#[test]
fn two_unchanged_programs_meet_in_shared_memory_by_a_variable_alone() {
    let (dir, domain) = (scratch("unchanged"), TestDomain::new());
    let (theirs, ours) = (theirs(), ours(&dir));
    let program = theirs.build("differential.c", &dir.join("program"), &[]);
    let command = |words: &[&str]| {
        let mut command = ours.command(&program);
        command.args(words).env("LCM_DEFAULT_URL", domain.url());
        command
    };
    let mut receiver =
        command(&["receive", "", "POSE|SCAN", "200"]).stdout(Stdio::piped()).spawn().expect("the program");
    let mut lines = BufReader::new(receiver.stdout.take().expect("its output"));
    let mut line = String::new();
    lines.read_line(&mut line).expect("a line");
    assert_eq!(line, "subscribed\n");
    run(&mut command(&["send", "", "POSE", "100", "0"]));
    run(&mut command(&["send", "", "SCAN", "100", "5000"]));
    let mut rest = String::new();
    lines.read_to_string(&mut rest).expect("the rest");
    assert!(receiver.wait().expect("its end").success(), "{rest}");
    let sizes: Vec<(String, usize)> = rest
        .lines()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            assert!(line.ends_with("at a good time 1"), "{line}");
            (words[1].into(), words[2].parse().unwrap())
        })
        .collect();
    let expected =
        (0..100).map(|n| ("POSE".to_string(), n)).chain((0..100).map(|n| ("SCAN".into(), 5000 + n)));
    assert_eq!(sizes, expected.collect::<Vec<_>>());
}

/// Publishes in portions that any buffer takes, each when the one before has been received.
fn in_portions(n: u32, portion: u32, received: &AtomicU32, mut publish: impl FnMut(u32)) {
    let patience = Instant::now() + Duration::from_secs(60);
    for k in 0..n {
        publish(k);
        while (k + 1) % portion == 0 && received.load(SeqCst) <= k {
            assert!(Instant::now() < patience, "{} of {k} were received", received.load(SeqCst));
            std::thread::yield_now();
        }
    }
}

#[test]
fn messages_of_one_process_on_many_channels_keep_their_order() {
    const N: u32 = 6000;
    const CHANNELS: [&str; 5] = ["A", "B", "C", "D", "E"];
    let domain = TestDomain::new();
    let (sender, receiver) = (Lcm::open(&domain.url()), Lcm::open(&domain.url()));
    let (mut list, received) = (Received::new(), AtomicU32::new(0));
    receiver.subscribe("[A-E]", &mut list);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            in_portions(N, 20, &received, |k| {
                assert_eq!(sender.publish(CHANNELS[k as usize * 7 % 5], &k.to_le_bytes()), 0);
            });
        });
        for n in 1..=N {
            receiver.handle_until(&mut list, n as usize);
            received.store(n, SeqCst);
        }
    });
    in_order(&list, N);
}

#[test]
fn changes_of_other_subscriptions_lose_and_repeat_nothing() {
    const N: u32 = 6000;
    let domain = TestDomain::new();
    let (sender, receiver) = (Lcm::open(&domain.url()), Lcm::open(&domain.url()));
    let (mut list, mut others, received) = (Received::new(), Received::new(), AtomicU32::new(0));
    receiver.subscribe("A", &mut list);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            in_portions(N, 10, &received, |k| {
                assert_eq!(sender.publish("A", &k.to_le_bytes()), 0);
            });
        });
        let mut more = Vec::new();
        for n in 1..=N {
            receiver.handle_until(&mut list, n as usize);
            received.store(n, SeqCst);
            if n % 20 == 0 {
                more.push(
                    receiver.subscribe(["A.*", "B", "A|C", ".*", "D"][n as usize / 20 % 5], &mut others),
                );
            }
            if n % 30 == 0 {
                assert_eq!(receiver.unsubscribe(more.remove(0)), 0);
            }
        }
    });
    in_order(&list, N);
}

#[test]
fn a_message_published_right_after_a_subscription_is_received() {
    let domain = TestDomain::new();
    let lcm = Lcm::open(&domain.url());
    let mut list = Received::new();
    for n in 0..40u32 {
        lcm.subscribe(&format!("CHANNEL_{n}"), &mut list);
        assert_eq!(lcm.publish(&format!("CHANNEL_{n}"), &n.to_le_bytes()), 0);
    }
    lcm.handle_until(&mut list, 40);
    assert_eq!(lcm.handle_timeout(50), 0);
    let numbers: Vec<u32> = list.iter().map(|(_, data)| number(data)).collect();
    assert_eq!(numbers, (0..40).collect::<Vec<_>>());
}

#[test]
fn a_burst_that_lcms_socket_would_hold_is_kept() {
    let domain = TestDomain::new();
    let (sender, receiver) = (Lcm::open(&domain.url()), Lcm::open(&domain.url()));
    let mut list = Received::new();
    receiver.subscribe("BURST", &mut list);
    for n in 0..250u32 {
        assert_eq!(sender.publish("BURST", &n.to_le_bytes()), 0);
    }
    receiver.handle_until(&mut list, 250);
}

#[test]
fn a_thousand_subscriptions_each_receive_their_channel() {
    for url in ["memq://".to_string(), TestDomain::new().url()] {
        let lcm = Lcm::open(&url);
        let mut lists: Vec<Received> = (0..1000).map(|_| Received::new()).collect();
        let all: Vec<_> =
            lists.iter_mut().enumerate().map(|(n, list)| lcm.subscribe(&format!("C{n}"), list)).collect();
        for n in (0..1000).step_by(7) {
            assert_eq!(lcm.publish(&format!("C{n}"), &[1]), 0);
        }
        for _ in (0..1000).step_by(7) {
            assert_eq!(lcm.handle_timeout(20_000), 1);
        }
        for (n, list) in lists.iter().enumerate() {
            assert_eq!(list.len(), usize::from(n % 7 == 0), "{url} {n}");
        }
        all.iter().for_each(|one| assert_eq!(lcm.unsubscribe(*one), 0));
        drop(lcm);
        let _ = std::fs::remove_dir_all(url.trim_start_matches("shm://")); // the first has none
    }
}

#[test]
fn a_full_queue_keeps_the_oldest_messages_or_on_request_the_newest() {
    let domain = TestDomain::new();
    for (option, expected) in [("", [0, 1, 2]), ("?queue=oldest", [0, 1, 2]), ("?queue=newest", [7, 8, 9])] {
        let lcm = Lcm::open(&format!("{}{option}", domain.url()));
        let (mut list, mut all) = (Received::new(), Received::new());
        let few = lcm.subscribe("A", &mut list);
        lcm.set_capacity(few, 3);
        let every = lcm.subscribe("A", &mut all);
        for n in 0..10u32 {
            assert_eq!(lcm.publish("A", &n.to_le_bytes()), 0);
        }
        let patience = Instant::now() + Duration::from_secs(20);
        while lcm.queued(every) < 10 {
            assert!(Instant::now() < patience);
            std::thread::yield_now();
        }
        lcm.handle_until(&mut all, 10);
        assert_eq!(list.iter().map(|(_, data)| number(data)).collect::<Vec<_>>(), expected, "{option}");
    }
}

fn is_readable(fd: i32) -> bool {
    let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one record.
    unsafe { libc::poll(&mut poll, 1, 0) == 1 }
}

#[test]
fn the_descriptor_is_readable_exactly_while_handle_would_not_block() {
    let domain = TestDomain::new();
    let urls =
        ["memq://".to_string(), "mem://".into(), domain.url(), format!("{}?queue=newest", domain.url())];
    for url in urls {
        let lcm = Lcm::open(&url);
        let mut list = Received::new();
        let one = lcm.subscribe("A", &mut list);
        lcm.set_capacity(one, 2);
        let fd = lcm.fileno();
        for round in 0..3 {
            assert!(!is_readable(fd), "{url}");
            (0..5).for_each(|_| assert_eq!(lcm.publish("A", b""), 0));
            // What is too much arrives too.
            let patience = Instant::now() + Duration::from_secs(20);
            while !is_readable(fd) {
                assert!(Instant::now() < patience, "{url}: not readable in round {round}");
            }
            std::thread::sleep(Duration::from_millis(20));
            while is_readable(fd) {
                assert_eq!(lcm.handle_timeout(0), 1, "{url}: readable, but nothing to handle");
            }
            assert_eq!(lcm.handle_timeout(0), 0, "{url}: not readable, but something to handle");
        }
    }
}

/// Counts the handlers that run at the same time, and the most of them.
static AT_ONCE: (AtomicU32, AtomicU32) = (AtomicU32::new(0), AtomicU32::new(0));
unsafe extern "C-unwind" fn slow(_: *const c_void, _: *const c_char, _: *mut c_void) {
    let now = AT_ONCE.0.fetch_add(1, SeqCst) + 1;
    AT_ONCE.1.fetch_max(now, SeqCst);
    std::thread::sleep(Duration::from_micros(300));
    AT_ONCE.0.fetch_sub(1, SeqCst);
}

#[test]
fn handlers_of_one_instance_never_run_at_the_same_time() {
    let (lcm, left) = (Lcm::open("memq://"), AtomicU32::new(300));
    lcm.subscribe_with("A", slow, std::ptr::null_mut());
    (0..300).for_each(|_| assert_eq!(lcm.publish("A", b"x"), 0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while lcm.handle_timeout(0) == 1 {
                    left.fetch_sub(1, SeqCst);
                }
            });
        }
    });
    assert_eq!((left.load(SeqCst), AT_ONCE.1.load(SeqCst)), (0, 1));
}

#[test]
fn many_threads_publish_at_the_same_time() {
    let domain = TestDomain::new();
    let (lcm, received) = (Lcm::open(&domain.url()), AtomicU32::new(0));
    let (mut list, done) = (Received::new(), AtomicBool::new(false));
    lcm.subscribe("T.*", &mut list);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|t| {
                let (lcm, received) = (&lcm, &received);
                scope.spawn(move || {
                    for k in 0..200u32 {
                        assert_eq!(lcm.publish(&format!("T{t}"), &k.to_le_bytes()), 0);
                        while received.load(SeqCst) + 100 < 4 * k {
                            std::thread::yield_now();
                        }
                    }
                })
            })
            .collect();
        for n in 1..=800 {
            lcm.handle_until(&mut list, n);
            received.store(n as u32, SeqCst);
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        done.store(true, SeqCst);
    });
    let mut next = HashMap::new();
    for (channel, data) in &list {
        let expected = next.entry(channel.clone()).or_insert(0);
        assert_eq!(number(data), *expected, "{channel}");
        *expected += 1;
    }
}
