//! The life of channels: creation, replacement, removal, lanes, permissions, leftovers, descriptors.

mod common;

use common::*;
use saltus_channel::*;
use std::fs::File;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::Duration;

fn mode(path: impl AsRef<std::path::Path>) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_name_is_created_once() {
    let domain = TestDomain::new();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let domain = domain.0.clone();
            std::thread::spawn(move || {
                (0..50).filter(|i| domain.create(format!("c{i}"), &Attributes::new()).is_ok()).count()
            })
        })
        .collect();
    let made: usize = threads.into_iter().map(|t| t.join().unwrap()).sum();
    assert_eq!((made, domain.list().unwrap().len()), (50, 50));
    assert!(matches!(domain.create("c1", &Attributes::new()), Err(Error::Exists { .. })));
    assert!(std::fs::read_dir(domain.path()).unwrap().count() == 50, "nothing half-built stays");
}

/// A race that Ach has: opening while another process creates must find a whole channel or none.
#[test]
fn a_half_created_channel_is_never_visible() {
    let domain = TestDomain::new();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let opener = scope.spawn(|| {
            let mut opened = 0;
            // Relaxed: a flag that only ends the loop.
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                match domain.open_channel("imu") {
                    Ok(channel) => opened += channel.attributes().get_depth(),
                    Err(Error::NotFound { .. }) => {}
                    Err(e) => panic!("{e}"),
                }
            }
            opened
        });
        for _ in 0..300 {
            domain.create("imu", &Attributes::new().depth(3)).unwrap();
            domain.replace("imu", &Attributes::new().depth(5)).unwrap();
            domain.unlink("imu").unwrap();
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        opener.join().unwrap();
    });
}

#[test]
fn users_of_a_replaced_channel_get_an_error() {
    let domain = TestDomain::new();
    let old = domain.create("imu", &Attributes::new()).unwrap();
    let (mut publisher, mut subscriber) = (old.publisher().unwrap(), old.subscriber().unwrap());
    publisher.publish(b"old").unwrap();
    let new = domain.replace("imu", &Attributes::new().max_message_size(8)).unwrap();
    for _ in 0..2 {
        let error = publisher.publish(b"lost").unwrap_err();
        assert!(error.to_string().contains("was replaced: open it again"), "{error}");
    }
    let mut buf = [0; 512];
    assert_eq!(subscriber.next(&mut buf).unwrap().unwrap().len, 3, "the published message comes first");
    assert!(matches!(subscriber.next(&mut buf), Err(Error::Retired { how: Retired::Replaced, .. })));
    new.publisher().unwrap().publish(b"new").unwrap();
    assert_eq!(new.subscriber().unwrap().newest(&mut buf).unwrap().unwrap().len, 3);
    assert!(domain.replace("fresh", &Attributes::new()).is_ok(), "replacing nothing creates");
}

#[test]
fn each_publisher_has_a_lane_and_lanes_are_used_again() {
    let domain = TestDomain::new();
    let channel = domain.create("log", &Attributes::new().depth(1).max_message_size(8)).unwrap();
    let before = channel.memory();
    let publishers: Vec<_> = (0..5).map(|_| channel.publisher().unwrap()).collect();
    let lanes: Vec<u32> = publishers.iter().map(|p| p.id().lane).collect();
    assert_eq!(lanes, [0, 1, 2, 3, 4]);
    let grown = channel.memory();
    assert!(grown > before);
    drop(publishers);
    let again: Vec<_> = (0..5).map(|_| channel.publisher().unwrap()).collect();
    assert_eq!((again.len(), channel.memory()), (5, grown));
    let leases: Vec<u64> = again.iter().map(|p| p.id().lease).collect();
    assert_eq!(leases, [6, 7, 8, 9, 10]);
}

/// "Lanes grow without holes, up to 1,024; beyond that a publisher gets a clear error when it opens."
#[test]
fn the_1025th_publisher_gets_an_error_on_opening() {
    let domain = TestDomain::new();
    let channel = domain.create("log", &Attributes::new().depth(1).max_message_size(8)).unwrap();
    let mut publishers: Vec<_> = (0..MAX_LANES).map(|_| channel.publisher().unwrap()).collect();
    let error = channel.publisher().unwrap_err();
    assert!(
        matches!(error, Error::TooManyPublishers { most: 1024, .. })
            && error.to_string().contains("1024 publishers"),
        "{error}"
    );
    // No holes: every block of the file is allocated, so that a reader cannot allocate by reading.
    let data = std::fs::metadata(domain.path().join("log/data")).unwrap();
    assert_eq!(data.blocks() * 512, data.len());
    let options = SubscriberOptions::new().start(Start::Oldest);
    let mut subscriber = channel.subscriber_with(options).unwrap();
    for (i, publisher) in publishers.iter_mut().enumerate() {
        publisher.publish(&(i as u64).to_le_bytes()).unwrap();
    }
    let mut buf = [0; 8];
    for i in 0..MAX_LANES as u64 {
        subscriber.next(&mut buf).unwrap().unwrap();
        assert_eq!(u64::from_le_bytes(buf), i, "in the order of the timestamps");
    }
    assert_eq!((subscriber.received(), subscriber.missed()), (1024, 0));
}

#[test]
fn without_stamps_there_is_one_publisher() {
    let domain = TestDomain::new();
    let channel = domain.create("raw", &Attributes::new().timestamps(false)).unwrap();
    let mut publisher = channel.publisher().unwrap();
    assert!(matches!(channel.publisher(), Err(Error::TooManyPublishers { most: 1, .. })));
    assert_eq!(publisher.publish(b"x").unwrap().timestamp, 0);
}

#[test]
fn stamps_of_the_past_are_taken_and_those_of_the_future_become_the_present() {
    let domain = TestDomain::new();
    let channel = domain.create("stamped", &Attributes::new()).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let (before, now) = (clock::now(clock::Clock::Boottime), || clock::now(clock::Clock::Boottime));
    let mut stamped = |timestamp| publisher.publish_with_timestamp(b"x", timestamp).unwrap().timestamp;
    assert_eq!([stamped(5), stamped(7), stamped(6)], [5, 7, 7]);
    let future = stamped(u64::MAX);
    assert!((before..=now()).contains(&future), "{future}");
    let next = publisher.publish(b"x").unwrap().timestamp;
    assert!((future..=now()).contains(&next), "{next}");
    let bare = domain.create("bare", &Attributes::new().timestamps(false)).unwrap();
    assert_eq!(bare.publisher().unwrap().publish_with_timestamp(b"x", 5).unwrap().timestamp, 0);
}

#[test]
fn permissions_follow_from_the_mode_whatever_the_umask() {
    let domain = TestDomain::new();
    // SAFETY: changes nothing but the mask; other tests in this binary do not depend on it.
    let old = unsafe { libc::umask(0o077) };
    for (given, data, bell, lease, dir, subs) in [
        (0o600, 0o600, 0o600, 0o600, 0o700, 0o1700),
        (0o640, 0o640, 0o660, 0o600, 0o750, 0o1770),
        (0o644, 0o644, 0o666, 0o600, 0o755, 0o1777),
        (0o664, 0o664, 0o666, 0o660, 0o775 & !0o020, 0o1777),
        (0o666, 0o666, 0o666, 0o666, 0o755, 0o1777),
    ] {
        domain.replace("imu", &Attributes::new().mode(given)).unwrap();
        let at = domain.path().join("imu");
        let got = [
            mode(at.join("data")),
            mode(at.join("bell")),
            mode(at.join("lease")),
            mode(&at),
            mode(at.join("subs")),
        ];
        assert_eq!(
            got.map(|m| format!("{m:o}")),
            [data, bell, lease, dir, subs].map(|m: u32| format!("{m:o}"))
        );
        domain.create("other", &Attributes::new()).unwrap();
        domain.chmod("other", given).unwrap();
        assert_eq!(mode(domain.path().join("other/bell")), bell);
        domain.unlink("other").unwrap();
    }
    // SAFETY: as above.
    unsafe { libc::umask(old) };
    assert!(domain.chmod("imu", 0o400).unwrap_err().to_string().contains("0600"));
    assert!(matches!(domain.chmod("none", 0o600), Err(Error::NotFound { .. })));
}

#[test]
fn leftovers_of_dead_processes_are_swept() {
    let domain = TestDomain::new();
    domain.create("imu", &Attributes::new()).unwrap();
    let child = fork({
        let domain = domain.0.clone();
        move || {
            let _subscriber = domain.open_channel("imu").unwrap().subscriber().unwrap();
            // SAFETY: dies without closing any file.
            unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
            0
        }
    });
    child.wait();
    let (aside, made) = (domain.path().join(".new-00000000deadbeef"), clock::monotonic());
    std::fs::create_dir_all(aside.join("subs")).unwrap();
    File::create(aside.join("lease")).unwrap();
    assert_eq!(std::fs::read_dir(domain.path().join("imu/subs")).unwrap().count(), 1);
    // The half-built one is removed only when it is old: its maker might just have started.
    let mut swept = domain.sweep().unwrap();
    assert!(swept == 1 || clock::monotonic() - made > 2_000_000_000, "{swept} swept");
    eventually("sweeping", || {
        swept += domain.sweep().unwrap();
        (swept == 2).then_some(())
    });
    assert!(!aside.exists());
    assert_eq!(std::fs::read_dir(domain.path().join("imu/subs")).unwrap().count(), 0);
    assert_eq!(domain.sweep().unwrap(), 0);
}

#[test]
fn every_name_of_1_to_63_bytes_works() {
    let domain = TestDomain::new();
    let names: Vec<Vec<u8>> = vec![
        b"/scan".into(),
        b"robot/arm.left".into(),
        b"..".into(),
        b"a b\n".into(),
        vec![0xff; 63],
        b"~x%41".into(),
        vec![0],
    ];
    for name in &names {
        domain.create(name, &Attributes::new()).unwrap().publisher().unwrap().publish(name).unwrap();
    }
    let mut listed: Vec<Vec<u8>> = domain.list().unwrap().iter().map(|n| n.as_bytes().to_vec()).collect();
    listed.sort();
    let mut expected = names.clone();
    expected.sort();
    assert_eq!(listed, expected);
    for name in &names {
        domain.unlink(name).unwrap();
    }
}

#[test]
fn a_message_that_does_not_fit_is_refused_and_one_too_large_for_the_buffer_kept() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new().max_message_size(100)).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let error = publisher.publish(&[0; 101]).unwrap_err().to_string();
    assert!(
        error.contains("up to 100 B") && error.contains("101 B") && error.contains("--max-size 101"),
        "{error}"
    );
    assert!(publisher.loan(101).is_err());
    publisher.publish(&[5; 100]).unwrap();
    publisher.publish_vectored(&[std::io::IoSlice::new(b"ab"), std::io::IoSlice::new(b"cd")]).unwrap();
    let mut subscriber = channel.subscriber_with(SubscriberOptions::new().start(Start::Oldest)).unwrap();
    for _ in 0..3 {
        let error = subscriber.next(&mut [0; 99]).unwrap_err();
        assert!(matches!(error, Error::TooSmall { needed: 100, have: 99 }), "{error}");
    }
    let mut buf = vec![0; 3];
    assert_eq!(subscriber.receive_vec(Which::Next, Until::Poll, &mut buf).unwrap().unwrap().seq, 1);
    assert_eq!(buf, [5; 100]);
    assert_eq!(subscriber.receive_vec(Which::Next, Until::Poll, &mut buf).unwrap().unwrap().missed, 0);
    assert_eq!(buf, b"abcd");
}

#[test]
fn an_abandoned_loan_publishes_nothing() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new().depth(4).max_message_size(512)).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let mut subscriber = channel.subscriber_with(SubscriberOptions::new().start(Start::Oldest)).unwrap();
    for i in 0..4u8 {
        publisher.publish(&[i; 8]).unwrap();
        publisher.loan(512).unwrap().fill(0xAA);
    }
    let mut buf = [0; 512];
    for i in 0..4 {
        assert_eq!(
            (subscriber.next(&mut buf).unwrap().unwrap().len, buf[0]),
            (8, i),
            "all frames stay readable"
        );
    }
    assert_eq!(subscriber.next(&mut buf).unwrap(), None);
    assert_eq!(channel.info().unwrap().lanes[0].abandoned, 4);
}

#[test]
fn old_messages_outlive_their_publisher() {
    let domain = TestDomain::new();
    let channel = domain.create("map", &Attributes::new()).unwrap();
    channel.publisher().unwrap().publish(b"the only map").unwrap();
    let mut subscriber = domain.open_channel("map").unwrap().subscriber().unwrap();
    assert_eq!(subscriber.newest(&mut [0; 512]).unwrap().unwrap().len, 12);
    assert_eq!(subscriber.newest(&mut [0; 512]).unwrap(), None);
    assert_eq!(subscriber.current(&mut [0; 512]).unwrap().unwrap().seq, 1);
    assert_eq!((subscriber.received(), subscriber.missed()), (1, 0), "`current` does not deliver again");
}

/// A process that writes M channels and reads N needs about M + N descriptors; the test prints the number.
#[test]
fn descriptors_grow_with_the_channels_only() {
    let domain = TestDomain::new();
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let child = fork(|| {
        let before = open();
        let (m, n) = (20, 30);
        let mut handles = Vec::new();
        let (mut publishers, mut subscribers) = (Vec::new(), Vec::new());
        for i in 0..m + n {
            let channel = domain.create(format!("c{i}"), &Attributes::new()).unwrap();
            if i < m {
                publishers.push(channel.publisher().unwrap());
            } else {
                subscribers.push(channel.subscriber_with(SubscriberOptions::new().counters(false)).unwrap());
            }
            handles.push(channel);
        }
        let bare = open() - before;
        subscribers.extend(handles[m..].iter().map(|c| c.subscriber().unwrap()));
        let counted = open() - before;
        println!(
            "writing {m} channels and reading {n}: {bare} descriptors, {counted} with counters for tools"
        );
        (bare > 2 * (m + n) || counted > bare + n) as i32
    });
    assert_eq!(child.wait(), 0);
}

#[test]
fn introspection_lists_publishers_and_subscribers() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let mut subscriber =
        channel.subscriber_with(SubscriberOptions::new().start(Start::Now).latency_sampling(1)).unwrap();
    for _ in 0..20 {
        publisher.publish(&[0; 100]).unwrap();
    }
    while subscriber.wait_next(Duration::ZERO, &mut [0; 512]).unwrap().is_some() {}
    let info = channel.info().unwrap();
    let lane = &info.lanes[0];
    assert_eq!((lane.alive, lane.pid, lane.published, lane.bytes), (true, std::process::id(), 20, 2000));
    assert_eq!((info.published(), info.attributes.get_mode()), (20, 0o644));
    assert!(info.age_of_newest().unwrap() < 30_000_000_000);
    assert_eq!(channel.info().unwrap().rate_since(&info), Some(0.0));
    assert_eq!((lane.kept, lane.overwritten, lane.last_len), (16, 4, 100));
    assert_eq!(lane.publisher, publisher.id());
    let reader = &info.subscribers[0];
    assert_eq!((reader.alive, reader.received, reader.missed, reader.last_seq), (true, 16, 4, 20));
    assert_eq!(reader.latency.count(), 16);
    drop((publisher, subscriber));
    let info = channel.info().unwrap();
    assert_eq!((info.lanes[0].alive, info.subscribers.len()), (false, 0));
}

/// Replaces `c` with another channel, like a process that is killed before it marks the old one.
fn replace_without_a_word(domain: &Directory) {
    std::fs::rename(domain.path().join("c"), domain.path().join("left")).unwrap();
    domain.create("c", &Attributes::new()).unwrap();
}

#[test]
fn a_publisher_is_not_opened_in_a_channel_that_lost_its_name_unmarked() {
    let domain = TestDomain::new();
    let old = domain.create("c", &Attributes::new()).unwrap();
    replace_without_a_word(&domain);
    assert!(matches!(old.publisher(), Err(Error::Retired { how: Retired::Replaced, .. })));
}

#[test]
fn a_channel_whose_lease_file_goes_while_a_publisher_opens_is_retired() {
    let domain = TestDomain::new();
    let old = domain.create("c", &Attributes::new()).unwrap();
    replace_without_a_word(&domain);
    std::fs::remove_file(domain.path().join("left/lease")).unwrap();
    assert!(matches!(old.publisher(), Err(Error::Retired { how: Retired::Replaced, .. })));
}

#[test]
fn a_named_channel_that_is_marked_as_replaced_is_recreated() {
    let domain = TestDomain::new();
    let old = domain.create("c", &Attributes::new().depth(3)).unwrap();
    // The word after the first page records that it was replaced.
    use std::os::unix::fs::FileExt;
    let data = File::options().write(true).open(domain.path().join("c/data")).unwrap();
    data.write_all_at(&2u64.to_ne_bytes(), 4096 + 256).unwrap();
    assert_eq!(old.info().unwrap().retired, Some(Retired::Replaced));
    let new = domain.open_or_create("c", &Attributes::new().depth(5)).unwrap();
    assert_eq!(new.attributes().get_depth(), 5);
    new.publisher().unwrap().publish(b"on").unwrap();
    assert_eq!(std::fs::read_dir(domain.path()).unwrap().count(), 1, "nothing is left");
}

#[test]
fn replacing_and_removing_wait_for_one_that_grows_the_channel() {
    for remove in [false, true] {
        let domain = TestDomain::new();
        domain.create("c", &Attributes::new()).unwrap();
        // As a process that grows the channel does: it holds the maker's lock, far beyond all lanes.
        let lease = || File::options().read(true).write(true).open(domain.path().join("c/lease"));
        let held =
            saltus_os::lock::try_lock(lease, 1 << 40, saltus_os::lock::Kind::Exclusive).unwrap().unwrap();
        let is_free = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                is_free.store(true, std::sync::atomic::Ordering::SeqCst);
                drop(held);
            });
            match remove {
                true => domain.unlink("c").unwrap(),
                false => drop(domain.replace("c", &Attributes::new()).unwrap()),
            }
            assert!(is_free.load(std::sync::atomic::Ordering::SeqCst), "remove {remove}: it did not wait");
        });
    }
}

#[test]
fn an_impossible_rate_request_silences_no_other() {
    let domain = TestDomain::new();
    let wishes = [domain.wish_depth("c", u64::MAX).unwrap(), domain.wish_depth("c", 1000).unwrap()];
    assert_eq!(domain.wished_depth("c", |frames| frames < 1 << 20).unwrap(), Some(1000));
    drop(wishes);
}

#[test]
fn an_interrupted_replacement_is_completed_by_the_next_open() {
    let domain = TestDomain::new();
    let first = domain.create("c", &Attributes::new()).unwrap();
    let second = domain.succeed(&first, &first.attributes().clone().depth(64)).unwrap();
    // As if the replacing process was killed before it marked the first one.
    use std::os::unix::fs::FileExt;
    let former = std::fs::read_dir(domain.path().join("c/old")).unwrap().next().unwrap().unwrap().path();
    let data = File::options().write(true).open(former.join("data")).unwrap();
    let mut live = [0; 8];
    File::open(domain.path().join("c/data")).unwrap().read_exact_at(&mut live, 4096 + 256).unwrap();
    data.write_all_at(&live, 4096 + 256).unwrap();
    let words = |at| {
        let mut word = [0; 8];
        std::os::unix::fs::FileExt::read_exact_at(&File::open(former.join("data")).unwrap(), &mut word, at)
            .unwrap();
        u64::from_ne_bytes(word)
    };
    assert_eq!(words(4096 + 256), u64::from_ne_bytes(live));
    second.forget_predecessors();
    assert_eq!(words(4096 + 256), 2, "it is marked as replaced");
}
