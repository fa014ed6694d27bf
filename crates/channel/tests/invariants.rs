//! The invariants of ARCHITECTURE.md, each in a test with its name. Invariant 1 is tested in `saltus-ring`.

mod common;

use common::*;
use saltus_channel::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// 2. A publisher waits for no other process: readers stopped and killed at any point, another publisher frozen.
#[test]
fn invariant_2_a_publisher_waits_for_nobody() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new().depth(8).max_message_size(256)).unwrap();
    let reader = |which, until: Until| {
        let channel = channel.clone();
        fork(move || {
            let mut subscriber = channel.subscriber().unwrap();
            let mut buf = [0; 256];
            loop {
                let _ = subscriber.receive(which, until, &mut buf);
            }
        })
    };
    let mut readers = vec![
        reader(Which::Newest, Until::Poll),
        reader(Which::Next, Until::Forever),
        reader(Which::Current, Until::For(Duration::from_millis(1))),
    ];
    let other = {
        let channel = channel.clone();
        fork(move || {
            let mut publisher = channel.publisher().unwrap();
            loop {
                publisher.publish(&[1; 200]).unwrap();
            }
        })
    };
    let mut publisher = channel.publisher().unwrap();
    eventually("other publisher", || {
        channel
            .info()
            .unwrap()
            .lanes
            .iter()
            .any(|l| l.pid == other.0 as u32 && l.published > 100)
            .then_some(())
    });
    let before = channel.info().unwrap().lanes[publisher.id().lane as usize].published;
    for round in 0..20 {
        for child in readers.iter().chain([&other]) {
            child.signal(libc::SIGSTOP);
        }
        for i in 0..1000u64 {
            publisher.publish(&i.to_le_bytes()).unwrap();
        }
        for child in readers.iter().chain([&other]) {
            child.signal(libc::SIGCONT);
        }
        std::thread::sleep(Duration::from_micros(500));
        if round == 10 {
            readers.pop(); // killed, at whatever point
        }
    }
    let info = channel.info().unwrap();
    assert_eq!(info.lanes[publisher.id().lane as usize].published - before, 20_000);
}

/// 3. A reader harms no other process. It maps its data read-only, and one that polls or only observes causes no system call.
#[test]
fn invariant_3_a_reader_harms_nobody() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let reader = fork({
        let domain = domain.0.clone();
        move || {
            let mut subscriber = domain.open_channel("imu").unwrap().subscriber().unwrap();
            let quiet = SubscriberOptions::new().poll_every(Duration::from_millis(1));
            let mut watcher = domain.open_channel("imu").unwrap().subscriber_with(quiet).unwrap();
            let mut buf = [0; 512];
            loop {
                let _ = subscriber.newest(&mut buf).unwrap();
                let _ = watcher.wait_newest(Duration::from_millis(2), &mut buf).unwrap();
            }
        }
    });
    let subscribers = || channel.info().unwrap().subscribers;
    eventually("reader", || {
        publisher.publish(b"tilt").unwrap();
        let all = subscribers();
        (all.len() == 2 && all.iter().all(|s| s.received > 10)).then_some(())
    });
    let data = domain.path().join("imu/data");
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", reader.0)).unwrap();
    let mine: Vec<&str> = maps.lines().filter(|l| l.ends_with(data.to_str().unwrap())).collect();
    // The forked child has inherited some writable mappings of this process. The files that it opened itself are mapped once for each
    // of its two handles and for each piece, and read-only.
    let writable = mine.iter().filter(|l| l.contains("rw-s")).count();
    let parents = std::fs::read_to_string("/proc/self/maps").unwrap();
    let parents =
        parents.lines().filter(|l| l.ends_with(data.to_str().unwrap()) && l.contains("rw-s")).count();
    assert!(writable <= parents, "{mine:#?}");
    assert!(mine.iter().filter(|l| l.contains("r--s")).count() >= 4, "{mine:#?}");
    assert_eq!(channel.info().unwrap().lanes[0].wakes, 0, "polling and watching must not cost a call");
}

/// 4. Any process may die at any instant: published messages stay whole and readable, the channel keeps working.
#[test]
fn invariant_4_any_process_may_die_at_any_instant() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new().depth(8).max_message_size(512)).unwrap();
    let options = SubscriberOptions::new().start(Start::Now);
    let mut subscriber = channel.subscriber_with(options).unwrap();
    let (mut buf, mut last) = (Vec::new(), 0);
    let mut receive = |last: u64, until: Until| {
        let sample = subscriber.receive_vec(Which::Next, until, &mut buf).unwrap()?;
        assert_eq!(checked(&buf), (7, sample.seq));
        assert_eq!(sample.seq, last + 1 + sample.missed, "missed is exact");
        Some(sample.seq)
    };
    for round in 0..60u64 {
        let writer = fork({
            let channel = channel.clone();
            move || {
                let mut publisher = channel.publisher().unwrap();
                let mut seq = channel.info().unwrap().lanes[0].published;
                loop {
                    seq += 1;
                    let len = 24 + (seq * 37 % 489) as usize;
                    if seq.is_multiple_of(3) {
                        let mut loan = publisher.loan(512).unwrap();
                        loan[..len].copy_from_slice(&message(7, seq, len));
                        loan.publish(len).unwrap();
                    } else {
                        publisher.publish(&message(7, seq, len)).unwrap();
                    }
                }
            }
        });
        let target = last + 1 + round * 50;
        while last < target {
            last = receive(last, Until::For(Duration::from_secs(10))).expect("the writer publishes");
        }
        drop(writer); // SIGKILL
        // Receive all that it left: otherwise, its successor could be killed before it has a lane, and these messages would count as its.
        while let Some(seq) = receive(last, Until::Poll) {
            last = seq;
        }
    }
    let info = channel.info().unwrap();
    assert_eq!((info.lanes.len(), info.leases), (1, 60), "each took over the dead one's lane");
    assert_eq!(subscriber.received() + subscriber.missed(), info.lanes[0].published);
    channel.publisher().unwrap().publish(b"and on").unwrap();
    assert_eq!(subscriber.newest(&mut [0; 512]).unwrap().unwrap().len, 6);
}

/// 5. Each delivered message is as it was sent: whole, once, in each publisher's order; received + missed = published.
#[test]
fn invariant_5_what_is_delivered_is_what_was_sent() {
    const WRITERS: u64 = 4;
    const EACH: u64 = 20_000;
    let domain = TestDomain::new();
    let channel = domain
        .create("scan", &Attributes::new().depth(32).max_message_size(300).reserve_publishers(2))
        .unwrap();
    let readers: Vec<_> = [Which::Next, Which::Newest, Which::Next]
        .into_iter()
        .map(|which| {
            let channel = channel.clone();
            fork(move || {
                let options = SubscriberOptions::new().start(Start::Oldest);
                let mut subscriber = channel.subscriber_with(options).unwrap();
                let mut last = [0; WRITERS as usize];
                let (mut buf, mut missed, mut newest) = (Vec::new(), 0, 0);
                let mut waits = 0;
                while subscriber.received() + subscriber.missed() < WRITERS * EACH {
                    // Newest may find during its sleep that all the rest was missed: no message follows then.
                    match subscriber.receive_vec(which, Duration::from_millis(200), &mut buf) {
                        Ok(Some(sample)) => {
                            waits = 0;
                            let (writer, seq) = checked(&buf);
                            assert!(seq > last[writer as usize], "once, and in order");
                            last[writer as usize] = seq;
                            missed += sample.missed;
                            assert!(which == Which::Next || sample.timestamp >= newest, "newest went back");
                            newest = newest.max(sample.timestamp);
                        }
                        Ok(None) if waits == 100 => return 2,
                        Ok(None) => waits += 1,
                        Err(Error::Overrun { .. }) => {}
                        Err(e) => panic!("{e}"),
                    }
                }
                // Messages that newest skipped at the very end are counted, but reported only with the next delivery.
                (missed > subscriber.missed() || (which == Which::Next && missed != subscriber.missed()))
                    as i32
            })
        })
        .collect();
    eventually("readers", || (channel.info().unwrap().subscribers.len() == 3).then_some(()));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let channel = channel.clone();
            fork(move || {
                let mut publisher = channel.publisher().unwrap();
                for seq in 1..=EACH {
                    let len = 24 + ((seq * 13 + writer) % 277) as usize;
                    publisher.publish(&message(writer, seq, len)).unwrap();
                }
                // Keeps its lane until each publisher has had its own.
                let lanes = || (channel.info().unwrap().lanes.len() == WRITERS as usize).then_some(());
                eventually("a lane of each writer", lanes);
                0
            })
        })
        .collect();
    for child in writers.into_iter().chain(readers) {
        assert_eq!(child.wait(), 0);
    }
    let published: u64 = channel.info().unwrap().lanes.iter().map(|l| l.published).sum();
    assert_eq!(published, WRITERS * EACH);
}

/// Allocations of this process.
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

/// The system's allocator, counted.
struct Counting;

// SAFETY: forwards every call to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is the system's.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as for `alloc`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// 6. No allocation, no lock, no system call on the data path: the kernel kills a process that makes one.
#[test]
fn invariant_6_no_system_call_on_the_way_of_a_sample() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new().max_message_size(4096)).unwrap();
    let child = fork(move || {
        let mut publisher = channel.publisher().unwrap();
        let mut subscriber = channel.subscriber().unwrap();
        let mut buf = [0; 4096];
        saltus_netns::allow_only(libc::SYS_exit_group);
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let mut code = 0;
        for i in 0..100_000u64 {
            let which = [Which::Newest, Which::Next, Which::Current][i as usize % 3];
            let sent = if i % 2 == 0 {
                publisher.publish(&buf[..(i % 4096) as usize]).is_ok()
            } else {
                publisher.loan(4096).and_then(|loan| loan.publish(17)).is_ok()
            };
            let got = subscriber.receive(which, Until::Poll, &mut buf).is_ok_and(|s| s.is_some());
            let looked = match subscriber.view(Which::Current, Until::Poll) {
                Ok(Some(view)) => view.validate().is_ok(),
                _ => false,
            };
            if !(sent && got && looked) {
                code = 1;
            }
        }
        if ALLOCATIONS.load(Ordering::Relaxed) != before {
            code = 2;
        }
        // SAFETY: ends the child here; closing the handles would call the kernel.
        unsafe { libc::_exit(code) }
    });
    assert_eq!(child.wait(), 0, "signal 31 means that a system call was made, code 2 an allocation");
}

/// 6, the other half: one wake call per publish for any number of waiting subscribers, none if no subscriber waits.
#[test]
fn invariant_6_one_wake_call_however_many_sleep() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let sleepers: Vec<_> = (0..20)
        .map(|_| {
            let channel = channel.clone();
            fork(move || {
                let mut subscriber = channel.subscriber().unwrap();
                let mut buf = [0; 512];
                while subscriber.received() < 3 {
                    subscriber.wait_newest(Until::Forever, &mut buf).unwrap();
                }
                0
            })
        })
        .collect();
    let asleep = |child: &Child| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.0)).unwrap_or_default();
        stat.rsplit(')').next().is_some_and(|s| s.trim_start().starts_with('S'))
    };
    let wakes = || channel.info().unwrap().lanes[0].wakes;
    for round in 1..=3u64 {
        eventually("sleep", || {
            let all = channel.info().unwrap().subscribers;
            let ready = all.len() == 20 && all.iter().all(|s| s.received == round - 1);
            (ready && sleepers.iter().all(asleep)).then_some(())
        });
        std::thread::sleep(Duration::from_millis(20));
        let before = wakes();
        publisher.publish(b"go").unwrap();
        assert_eq!(wakes(), before + 1, "round {round}");
    }
    for child in sleepers {
        assert_eq!(child.wait(), 0);
    }
    for _ in 0..100 {
        publisher.publish(b"nobody").unwrap();
    }
    // At most one more: the last subscribers may have been woken by each other, which publishers do not see.
    let before = wakes();
    for _ in 0..1000 {
        publisher.publish(b"nobody").unwrap();
    }
    assert_eq!(wakes(), before);
}

/// 8. No outside data is trusted: readers survive and get a result, whatever a writer puts into its lane.
///
/// The campaign `hostile` goes much further.
#[test]
fn invariant_8_nothing_from_outside_is_trusted() {
    use std::os::unix::fs::FileExt;
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new().depth(2).max_message_size(64)).unwrap();
    let mut publisher = channel.publisher().unwrap();
    publisher.publish(&[7; 64]).unwrap();
    let path = domain.path().join("imu/data");
    let data = std::fs::File::options().read(true).write(true).open(&path).unwrap();
    let mut whole = vec![0; data.metadata().unwrap().len() as usize];
    data.read_exact_at(&mut whole, 0).unwrap();
    let mut buf = [0; 64];
    for word in (8192..8192 + 1024).step_by(8) {
        for value in [0, 1, 63, 64, 65, 4096, u32::MAX as u64, 1 << 48, i64::MAX as u64, u64::MAX] {
            data.write_all_at(&value.to_le_bytes(), word).unwrap();
            let mut subscriber = channel
                .subscriber_with(SubscriberOptions::new().start(Start::Oldest).counters(false))
                .unwrap();
            for which in [Which::Next, Which::Newest, Which::Current, Which::Next] {
                match subscriber.receive(which, Until::Poll, &mut buf) {
                    Ok(sample) => assert!(sample.is_none_or(|s| s.len <= 64)),
                    Err(Error::Overrun { .. }) => {}
                    Err(e) => panic!("word {word} = {value}: {e}"),
                }
            }
            channel.info().unwrap();
            data.write_all_at(&whole, 0).unwrap();
        }
    }
    let mut subscriber = channel.subscriber().unwrap();
    assert_eq!(subscriber.newest(&mut buf).unwrap().unwrap().len, 64);
}
