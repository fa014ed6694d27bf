//! Truncated files: a process that maps a file continues when another process truncates it, at any moment.

mod common;

use common::*;
use saltus_channel::*;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(20);

fn file(domain: &Directory, name: &str, file: &str) -> File {
    File::options().read(true).write(true).open(domain.path().join(name).join(file)).unwrap()
}
fn is_cut<T>(result: Result<T>) -> bool {
    matches!(result, Err(Error::Retired { how: Retired::CutShort { .. }, .. }))
}

#[test]
fn subscriber_and_publisher_report_truncated_data_in_words() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let (mut publisher, mut subscriber) = (channel.publisher().unwrap(), channel.subscriber().unwrap());
    publisher.publish(b"tilt").unwrap();
    file(&domain, "imu", "data").set_len(0).unwrap();
    let mut buf = [0; 512];
    let error = subscriber.newest(&mut buf).unwrap_err().to_string();
    // SAFETY: only returns a number.
    let user = format!("user {}", unsafe { libc::geteuid() });
    for part in ["`imu`", &user, "cut short", "mk --replace imu"] {
        assert!(error.contains(part), "{error}: not {part}");
    }
    assert!(is_cut(publisher.publish(b"tilt")));
    assert!(is_cut(subscriber.current(&mut buf)));
    assert!(is_cut(subscriber.wait_next(LONG, &mut buf)));
    assert!(channel.is_retired() && !subscriber.has_unseen());
    let info = channel.info().unwrap();
    assert!(matches!(info.retired, Some(Retired::CutShort { .. })), "{:?}", info.retired);
    domain.replace("imu", &Attributes::new()).unwrap().publisher().unwrap().publish(b"x").unwrap();
}

#[test]
fn a_message_looked_at_in_place_is_not_whole_when_it_was_cut_off() {
    let domain = TestDomain::new();
    let channel = domain.create("map", &Attributes::new().max_message_size(100_000)).unwrap();
    let mut subscriber = channel.subscriber().unwrap();
    channel.publisher().unwrap().publish(&[7; 100_000]).unwrap();
    let view = subscriber.view(Which::Newest, Until::Poll).unwrap().unwrap();
    assert_eq!(view.byte(50_000), 7);
    let data = file(&domain, "map", "data");
    data.set_len(0).unwrap();
    assert_eq!((view.byte(70_000), view.byte(50_000)), (0, 0));
    assert!(matches!(view.validate(), Err(Error::Overrun { .. })));
    assert!(is_cut(subscriber.newest(&mut [0; 8])));
}

#[test]
fn a_message_built_in_place_can_be_finished_when_the_data_was_cut_off() {
    let domain = TestDomain::new();
    let channel = domain.create("map", &Attributes::new().max_message_size(100_000)).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let mut loan = publisher.loan(100_000).unwrap();
    file(&domain, "map", "data").set_len(0).unwrap();
    loan.fill(7);
    assert_eq!(loan[99_999], 7);
    loan.publish(100_000).unwrap(); // the truncation cannot be reported before publishing
    assert!(is_cut(publisher.publish(b"x")));
    assert!(is_cut(publisher.loan(1)));
}

#[test]
fn a_blocked_subscriber_learns_of_data_that_was_cut_and_grown_again() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut subscriber = channel.subscriber().unwrap();
    let data = file(&domain, "imu", "data");
    let len = data.metadata().unwrap().len();
    std::thread::scope(|s| {
        s.spawn(|| {
            std::thread::sleep(Duration::from_millis(50));
            data.set_len(0).unwrap();
            data.set_len(len).unwrap();
        });
        assert!(is_cut(subscriber.wait_next(LONG, &mut [0; 8])));
    });
}

#[test]
fn pollers_and_publishers_detect_data_that_was_truncated_and_grown() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut publisher = domain.open_channel("imu").unwrap().publisher().unwrap();
    let mut subscriber = channel.subscriber().unwrap();
    publisher.publish(b"tilt").unwrap();
    let data = file(&domain, "imu", "data");
    let len = data.metadata().unwrap().len();
    // Nobody touches it while it is short.
    data.set_len(0).unwrap();
    data.set_len(len).unwrap();
    assert!(is_cut(subscriber.next(&mut [0; 8])));
    assert!(is_cut(subscriber.newest(&mut [0; 8])));
    assert!(is_cut(publisher.publish(b"tilt")));
}

/// Runs `attack` again and again in a child, and `work` here, for `time` and until it says that it has seen enough. Returns how often it ran.
fn under_attack(time: Duration, mut attack: impl FnMut(), mut work: impl FnMut() -> bool) -> u64 {
    let (mut started, mut start) = std::io::pipe().unwrap();
    let attacker = fork(|| {
        start.write_all(&[0]).unwrap();
        loop {
            attack();
        }
    });
    started.read_exact(&mut [0]).unwrap();
    std::thread::sleep(Duration::from_millis(5));
    let (start, mut rounds, mut enough) = (Instant::now(), 0, false);
    while start.elapsed() < time || (!enough && start.elapsed() < LONG) {
        enough = work();
        rounds += 1;
    }
    assert!(attacker.is_alive(), "the attack ended after {rounds} rounds");
    drop(attacker);
    rounds
}

/// Truncates a file at a random offset, and restores it.
fn cut_and_restore(path: &Path) -> impl FnMut() + use<> {
    let file = File::options().read(true).write(true).open(path).unwrap();
    let whole = fs::read(path).unwrap();
    let mut random = 1u64;
    move || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        file.set_len((random >> 33) % whole.len() as u64 / 2).unwrap();
        std::thread::yield_now();
        file.write_all_at(&whole, 0).unwrap();
        std::thread::sleep(Duration::from_micros((random >> 40) % 300));
    }
}

#[test]
fn all_users_continue_while_another_user_keeps_truncating_the_data() {
    let domain = TestDomain::new();
    let attributes = Attributes::new().max_message_size(5000).reserve_publishers(2);
    let channel = domain.create("imu", &attributes).unwrap();
    channel.publisher().unwrap().publish(&[1; 5000]).unwrap();
    let path = domain.path().join("imu/data");
    let (mut cut, mut received, mut buf) = (0, 0, Vec::new());
    let rounds = under_attack(Duration::from_secs(2), cut_and_restore(&path), || {
        let opened = domain.open_channel("imu");
        let Ok(channel) = opened else { return false };
        let mut check = |result: Result<Option<MessageInfo>>, buf: &[u8]| match result {
            Ok(Some(info)) => {
                assert_eq!((info.len, buf.len()), (5000, 5000));
                received += 1;
            }
            Ok(None) | Err(Error::Overrun { .. }) => {}
            Err(Error::Retired { how: Retired::CutShort { .. }, .. }) => cut += 1,
            Err(e) => panic!("{e}"),
        };
        let Ok(mut subscriber) = channel.subscriber() else { return false };
        for _ in 0..3 {
            let result = subscriber.receive_vec(Which::Current, Until::Poll, &mut buf);
            check(result, &buf);
            if let Ok(Some(view)) = subscriber.view(Which::Current, Until::Poll) {
                (0..view.len()).step_by(512).for_each(|i| assert!(view.byte(i) <= 1));
                let _ = view.validate();
            }
            let result = subscriber.wait_newest(Duration::from_micros(50), &mut []).map(|_| None);
            check(result.or_else(|e| if e.code() == 3 { Ok(None) } else { Err(e) }), &buf);
        }
        channel.info().unwrap();
        let _ = (channel.is_empty(), channel.has_publishers(), channel.descriptions());
        if let Ok(mut publisher) = channel.publisher() {
            let _ = publisher.publish(&[1; 5000]);
            if let Ok(mut loan) = publisher.loan(5000) {
                loan.fill(1);
                let _ = loan.publish(5000);
            }
        }
        cut > 0 && received > 0
    });
    assert!(cut > 0 && received > 0, "{rounds} rounds: {cut} cut, {received} received");
}

#[test]
fn creating_continues_while_another_user_truncates_swept_files() {
    let domain = TestDomain::new();
    domain.create("mine", &Attributes::new()).unwrap();
    const LEFT: usize = 1000;
    for i in 0..LEFT {
        let dir = domain.path().join(format!(".new-{i:016x}"));
        fs::create_dir(&dir).unwrap();
        for (name, len) in [("data", 12288), ("bell", 4096), ("lease", 0)] {
            fs::write(dir.join(name), vec![0; len]).unwrap();
        }
    }
    std::thread::sleep(Duration::from_millis(3100)); // younger directories count as being made
    // They are swept in the order of the directory.
    let left: Vec<PathBuf> =
        fs::read_dir(domain.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    let left: Vec<PathBuf> =
        left.into_iter().filter(|path| path.join("data").exists() && !path.ends_with("mine")).collect();
    let files: Vec<File> =
        left.iter().map(|dir| File::options().write(true).open(dir.join("data")).unwrap()).collect();
    assert_eq!(files.len(), LEFT);
    let attack = || {
        // Truncates some of them until they are gone: each is being truncated and grown when the sweep reaches it.
        for file in files.iter().step_by(5) {
            while file.metadata().unwrap().nlink() > 0 {
                file.set_len(0).unwrap();
                file.set_len(12288).unwrap();
            }
        }
    };
    let mut made = 0;
    under_attack(Duration::from_millis(500), attack, || {
        domain.create(format!("c{made}"), &Attributes::new()).unwrap();
        made += 1;
        true
    });
    assert!(left.iter().all(|dir| !dir.exists()), "they are swept in spite of it");
}

#[test]
fn a_wake_page_truncated_by_a_reader_is_repaired_by_waiters() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    // Mapped apart from the publisher: what a subscriber repairs, the publisher must find by itself.
    let others = domain.open_channel("imu").unwrap();
    let mut publisher = channel.publisher().unwrap();
    let bell = file(&domain, "imu", "bell");
    let mut waiting = |slice: Duration, before: &dyn Fn()| {
        std::thread::scope(|s| {
            let options = SubscriberOptions::new().start(Start::Now).slice(slice);
            let mut subscriber = others.subscriber_with(options).unwrap();
            let waiting = s.spawn(move || subscriber.wait_newest(LONG, &mut [0; 8]));
            std::thread::sleep(Duration::from_millis(50));
            before();
            let start = Instant::now();
            publisher.publish(b"wake up").unwrap();
            assert!(waiting.join().unwrap().unwrap().is_some());
            assert!(start.elapsed() < LONG / 2, "{:?}", start.elapsed());
        });
    };
    for _ in 0..5 {
        // An ordinary subscriber checks by itself after a while.
        waiting(Duration::from_millis(100), &|| bell.set_len(0).unwrap());
        // A later one finds the page truncated, and repairs it; it never checks by itself.
        std::thread::sleep(Duration::from_millis(50));
        waiting(LONG * 10, &|| assert_eq!(bell.metadata().unwrap().len(), 4096));
    }
    // From then on as before: no subscriber sleeps, and none is woken.
    let wakes = || channel.info().unwrap().lanes[0].wakes;
    publisher.publish(b"x").unwrap();
    let before = wakes();
    for _ in 0..100 {
        publisher.publish(b"x").unwrap();
    }
    assert_eq!(wakes(), before);
}

#[test]
fn a_bell_that_a_publisher_cuts_is_repaired_by_publishers_where_they_wake_always() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new().wake(Wake::Always)).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let bell = file(&domain, "imu", "bell");
    for _ in 0..3 {
        bell.set_len(0).unwrap();
        eventually("repair", || {
            publisher.publish(b"x").unwrap();
            (bell.metadata().unwrap().len() == 4096).then_some(())
        });
    }
}

#[test]
fn publishers_and_subscribers_open_a_channel_whose_bell_a_reader_has_cut() {
    let domain = TestDomain::new();
    domain.create("imu", &Attributes::new()).unwrap();
    file(&domain, "imu", "bell").set_len(0).unwrap();
    let channel = domain.open_channel("imu").unwrap();
    let mut subscriber = channel.subscriber_with(SubscriberOptions::new().slice(LONG * 10)).unwrap();
    let mut publisher = channel.publisher().unwrap();
    std::thread::scope(|s| {
        let waiting = s.spawn(move || subscriber.wait_newest(LONG, &mut [0; 8]));
        std::thread::sleep(Duration::from_millis(50));
        publisher.publish(b"tilt").unwrap();
        assert!(waiting.join().unwrap().unwrap().is_some());
    });
}

#[test]
fn a_reader_that_cuts_the_bell_all_the_time_delays_others_by_little() {
    let domain = TestDomain::new();
    let channel = domain.create("imu", &Attributes::new()).unwrap();
    let mut publisher = channel.publisher().unwrap();
    let mut subscriber = channel.subscriber().unwrap();
    let bell = file(&domain, "imu", "bell");
    let (mut published, mut slowest) = (0, Duration::ZERO);
    let over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|s| {
        let receiving = s.spawn(|| {
            let mut received = 0;
            while !over.load(std::sync::atomic::Ordering::Relaxed) {
                let got = subscriber.wait_next(LONG, &mut [0; 8]).unwrap();
                received += got.map_or(0, |info| 1 + info.missed);
            }
            received
        });
        under_attack(
            Duration::from_secs(2),
            || bell.set_len(0).unwrap(),
            || {
                let start = Instant::now();
                publisher.publish(b"tilt").unwrap();
                (published, slowest) = (published + 1, slowest.max(start.elapsed()));
                std::thread::sleep(Duration::from_millis(1));
                true
            },
        );
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        let start = Instant::now();
        publisher.publish(b"end").unwrap();
        let received = receiving.join().unwrap();
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
        assert!(received > published / 2, "{received} of {published}");
    });
    assert!(published > 100, "{published} published, the slowest took {slowest:?}");
}
