//! Regression tests for findings of a review: makers that sweep each other, names without channels, channels that end without a mark,
//! waits without end, and false counts.

mod common;

use common::*;
use saltus_channel::*;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::time::Duration;

/// Creating a channel must never mistake one that is being made for a leftover of a dead process.
#[test]
fn makers_do_not_sweep_each_other() {
    let domain = TestDomain::new();
    let makers: Vec<_> = (0..6)
        .map(|i| {
            let domain = domain.0.clone();
            fork(move || {
                let end = clock::monotonic() + 700_000_000;
                while clock::monotonic() < end {
                    let channel = domain.create(format!("c{i}"), &Attributes::new()).unwrap();
                    assert!(!channel.is_retired(), "retired at birth");
                    drop(domain.replace(format!("c{i}"), &Attributes::new()).unwrap());
                    domain.unlink(format!("c{i}")).unwrap();
                }
                0
            })
        })
        .collect();
    for maker in makers {
        assert_eq!(maker.wait(), 0);
    }
    assert_eq!(std::fs::read_dir(domain.path()).unwrap().count(), 0);
}

#[test]
fn a_directory_without_a_channel_is_named_and_can_be_replaced() {
    let domain = TestDomain::new();
    domain.create("other", &Attributes::new()).unwrap();
    std::fs::create_dir(domain.path().join("imu")).unwrap();
    let error = domain.open_or_create("imu", &Attributes::new()).unwrap_err();
    assert!(matches!(error, Error::Damaged { .. }) && error.to_string().contains("mk --replace"), "{error}");
    domain.replace("imu", &Attributes::new()).unwrap().publisher().unwrap().publish(b"x").unwrap();
    assert_eq!(std::fs::read_dir(domain.path()).unwrap().count(), 2, "no remains");
}

/// A replacing process may be killed between the exchange and the mark for the old users: they detect it by themselves.
#[test]
fn a_channel_that_lost_its_name_is_noticed() {
    let domain = TestDomain::new();
    let old = domain.create("imu", &Attributes::new()).unwrap();
    domain.create("new", &Attributes::new()).unwrap();
    let mut subscribers = [
        old.subscriber().unwrap(),
        old.subscriber_with(SubscriberOptions::new().poll_every(Duration::from_millis(5))).unwrap(),
    ];
    let mut on_a_loop = old.subscriber().unwrap();
    let fd = on_a_loop.event_fd().unwrap().as_raw_fd();
    let at = |name: &str| domain.path().join(name);
    std::fs::rename(at("imu"), at("aside")).unwrap();
    std::fs::rename(at("new"), at("imu")).unwrap();
    let mut buf = [0; 8];
    for subscriber in &mut subscribers {
        let error = subscriber.wait_next(Duration::from_secs(20), &mut buf).unwrap_err();
        assert!(matches!(error, Error::Retired { how: Retired::Replaced, .. }), "{error}");
    }
    let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one live structure.
    assert_eq!(unsafe { libc::poll(&mut poll, 1, 20_000) }, 1, "the event descriptor reports it");
    assert!(matches!(on_a_loop.next(&mut buf), Err(Error::Retired { .. })));
    assert!(old.is_retired());
}

#[test]
fn a_head_set_back_ends_no_wait_and_signals_no_descriptor() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new().reserve_publishers(2)).unwrap();
    let (mut one, mut two) = (channel.publisher().unwrap(), channel.publisher().unwrap());
    let mut subscriber = channel.subscriber().unwrap();
    let fd = subscriber.event_fd().unwrap().as_raw_fd();
    let mut buf = [0; 8];
    one.publish(b"old").unwrap();
    two.publish(b"new").unwrap();
    assert_eq!(subscriber.newest(&mut buf).unwrap().unwrap().publisher.lane, 1);
    assert_eq!(subscriber.newest(&mut buf).unwrap(), None);
    // The second publisher's head returns to 0: a false value that only the owner of the lane can write.
    let data = std::fs::File::options().write(true).open(domain.path().join("imu/data")).unwrap();
    let lane = 8192 + (channel.memory() - 4096 - 8192) / 2;
    data.write_all_at(&0u64.to_le_bytes(), lane).unwrap();
    one.publish(b"1").unwrap();
    let before = clock::monotonic();
    for which in [Which::Current, Which::Newest, Which::Next] {
        match subscriber.receive(which, Duration::from_millis(50), &mut buf) {
            Ok(_) | Err(Error::Overrun { .. }) => {}
            Err(e) => panic!("{which:?}: {e}"),
        }
    }
    assert!(clock::monotonic() - before < 10_000_000_000, "no wait continues after its timeout");
    while subscriber.next(&mut buf).unwrap().is_some() {}
    std::thread::sleep(Duration::from_millis(20));
    let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one live structure.
    let raised = unsafe { libc::poll(&mut poll, 1, 0) };
    // At most once more, for a message that arrived just before the last check.
    assert!(raised == 0 || (subscriber.next(&mut buf).unwrap().is_none() && unsafe_poll(fd) == 0));
}

fn unsafe_poll(fd: i32) -> i32 {
    let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one live structure.
    unsafe { libc::poll(&mut poll, 1, 20) }
}

#[test]
fn looking_again_counts_once() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    channel.publisher().unwrap().publish(b"x").unwrap();
    let mut subscriber = channel.subscriber_with(SubscriberOptions::new().latency_sampling(1)).unwrap();
    for _ in 0..100 {
        subscriber.current(&mut [0; 8]).unwrap().unwrap();
    }
    let seen = &channel.info().unwrap().subscribers[0];
    assert_eq!((seen.received, seen.latency.count()), (1, 1));
}

#[test]
fn going_back_raises_the_event_descriptor() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let mut subscriber = channel.subscriber().unwrap();
    let fd = subscriber.event_fd().unwrap().as_raw_fd();
    publisher.publish(b"x").unwrap();
    let mut buf = [0; 8];
    for _ in 0..20 {
        eventually("event", || (unsafe_poll(fd) == 1).then_some(()));
        while subscriber.next(&mut buf).unwrap().is_some() {}
        eventually("quiet", || {
            let quiet = unsafe_poll(fd) == 0;
            assert_eq!(subscriber.next(&mut buf).unwrap(), None);
            quiet.then_some(())
        });
        subscriber.seek_oldest();
    }
}

/// `Wake::Always` is for subscribers without write access to the bell: they must be able to sleep on it.
#[test]
fn a_subscriber_that_cannot_arm_is_always_woken() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new().wake(Wake::Always)).unwrap();
    let bell = domain.path().join("imu/bell");
    assert_eq!(std::fs::metadata(&bell).unwrap().permissions().mode() & 0o777, 0o644);
    let mut publisher = channel.publisher().unwrap();
    // SAFETY: only returns the effective user.
    if unsafe { libc::geteuid() } != 0 {
        eprintln!("skipped: only root can become a user without write permission to the bell");
        return;
    }
    let sleeper = fork(|| {
        // SAFETY: becomes user nobody, who may only read the channel.
        assert_eq!(unsafe { libc::setuid(65534) }, 0);
        let mut subscriber = domain.open_channel("imu").unwrap().subscriber().unwrap();
        subscriber.wait_next(Until::Forever, &mut [0; 8]).unwrap().unwrap();
        0
    });
    // `futex`, or `futex_time64`.
    let futex = if usize::BITS == 64 { libc::SYS_futex } else { 422 };
    eventually("sleep on the bell", || {
        let call = std::fs::read_to_string(format!("/proc/{}/syscall", sleeper.0)).unwrap_or_default();
        call.starts_with(&format!("{futex} ")).then_some(())
    });
    // Another publisher cuts the page short: the sleeper finds that out when it looks by itself, and goes on.
    std::fs::File::options().write(true).open(&bell).unwrap().set_len(0).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(sleeper.is_alive());
    publisher.publish(b"x").unwrap();
    assert_eq!(sleeper.wait(), 0);
}

/// The words of the channel and the bell may hold any values when a publisher opens.
#[test]
fn words_of_the_channel_are_not_trusted() {
    let domain = TestDomain::new();
    for value in [1, 3, 1 << 20, u32::MAX as u64, 1 << 62, u64::MAX - 1, u64::MAX] {
        for (file, at) in [
            ("data", 4096),
            ("data", 4096 + 128),
            ("data", 4096 + 384),
            ("bell", 0),
            ("bell", 128),
            ("bell", 256),
        ] {
            let channel = domain.replace("imu", &Attributes::new()).unwrap();
            let mut publisher = channel.publisher().unwrap();
            let mut subscriber = channel.subscriber_with(SubscriberOptions::new().start(Start::Now)).unwrap();
            let path = domain.path().join("imu").join(file);
            let raw = std::fs::File::options().write(true).open(path).unwrap();
            raw.write_all_at(&value.to_le_bytes(), at).unwrap();
            let mut second = channel.publisher().unwrap();
            let mut buf = [0; 8];
            assert_eq!(subscriber.wait_next(Duration::from_millis(1), &mut buf).unwrap(), None);
            publisher.publish(b"one").unwrap();
            second.publish(b"two").unwrap();
            let mut late = channel.subscriber().unwrap();
            assert_eq!(late.wait_newest(Duration::from_secs(20), &mut buf).unwrap().unwrap().len, 3);
            let got =
                (0..2).filter(|_| subscriber.wait_next(Duration::from_secs(20), &mut buf).unwrap().is_some());
            assert_eq!(got.count(), 2, "{file} {at} = {value}");
            channel.info().unwrap();
        }
    }
}
