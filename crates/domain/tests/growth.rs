//! Depth holds and sizes grow over `shm://`: larger channels replace smaller ones, and publishers and subscribers
//! follow.

use saltus_channel::{Attributes, Wake};
use saltus_domain::{Description, Domain, Missed, Options, Pattern, Publisher, Start, Subscriber, Until};
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(60);

struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        Place(PathBuf::from(format!("/dev/shm/saltus-growth-{name}-{}", std::process::id())))
    }
    fn url(&self) -> String {
        format!("shm://{}", self.0.display())
    }
    fn open(&self) -> Domain {
        self.open_with("")
    }
    fn open_with(&self, options: &str) -> Domain {
        Domain::open(&format!("{}{options}", self.url())).unwrap()
    }
    fn channels(&self) -> saltus_channel::Directory {
        saltus_channel::Directory::open(&self.url()).unwrap()
    }
    fn attributes(&self, name: &str) -> Attributes {
        self.channels().open_channel(name).unwrap().attributes().clone()
    }
    /// Files in the directory other than channels.
    fn leftovers(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with('.')).collect()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // it may not have been made
    }
}

fn exactly(name: &str) -> Pattern {
    Pattern::name(name).unwrap()
}

/// A message of `len` bytes that begins with `n`.
fn message(n: u64, len: usize) -> Vec<u8> {
    let mut message = vec![n as u8; len.max(8)];
    message[..8].copy_from_slice(&n.to_le_bytes());
    message
}

fn publish(publisher: &mut Publisher, n: u64, len: usize) {
    publisher.publish(&message(n, len)).unwrap();
}

/// Number, length and preceding losses of the next message, without waiting.
fn poll(subscriber: &mut Subscriber) -> Option<(u64, usize, u64)> {
    receive(subscriber, Until::Poll)
}

/// The same, within 100 ms.
fn wait(subscriber: &mut Subscriber) -> Option<(u64, usize, u64)> {
    receive(subscriber, Duration::from_millis(100).into())
}

fn receive(subscriber: &mut Subscriber, until: Until) -> Option<(u64, usize, u64)> {
    let message = subscriber.receive(until).unwrap()?;
    let Missed::Exact(missed) = message.missed else { panic!("shm:// counts exactly") };
    let n = u64::from_le_bytes(message.data[..8].try_into().unwrap());
    assert!(message.data[8..].iter().all(|b| *b == n as u8), "it is whole");
    Some((n, message.data.len(), missed + message.dropped))
}

#[test]
fn messages_that_get_longer_are_published_and_received_all_in_their_order() {
    let directory = Place::new("longer");
    let domain = directory.open();
    let mut publisher = domain.publisher("img").unwrap();
    let mut subscriber = domain.subscriber_with(exactly("img"), Options::next(16).at_most()).unwrap();
    // Two replacements happen between two checks of the subscriber, which has the first channel open by then.
    let lens = [100, 600, 5000, 50, 1 << 20];
    publish(&mut publisher, 0, lens[0]);
    assert_eq!(wait(&mut subscriber), Some((0, 100, 0)));
    for (n, len) in lens.iter().enumerate().skip(1) {
        publish(&mut publisher, n as u64, *len);
    }
    for (n, len) in lens.iter().enumerate().skip(1) {
        assert_eq!(poll(&mut subscriber), Some((n as u64, *len, 0)));
    }
    assert_eq!(poll(&mut subscriber), None);
    // A subscriber that joins now receives all messages kept.
    let options = Options::next(16).at_most().start(Start::Oldest);
    let mut late = domain.subscriber_with(exactly("img"), options).unwrap();
    for (n, len) in lens.iter().enumerate() {
        assert_eq!(poll(&mut late), Some((n as u64, *len, 0)));
    }
    assert_eq!(directory.leftovers(), Vec::<String>::new());
}

#[test]
fn a_channel_that_grew_has_the_attributes_and_the_types_that_it_had() {
    let directory = Place::new("attributes");
    let before = Attributes::new()
        .depth(7)
        .max_message_size(100)
        .mode(0o600)
        .wake(Wake::Always)
        .reserve_publishers(2)
        .clock(saltus_channel::clock::Clock::Monotonic);
    let old = directory.channels().create("c", &before).unwrap();
    let what = Description { name: "scan_t".into(), fingerprint: 23, schema: "struct scan_t {}".into() };
    old.publisher().unwrap().describe(&what.name, what.fingerprint, &what.schema).unwrap();
    publish(&mut directory.open().publisher("c").unwrap(), 0, 1000);
    let after = directory.attributes("c");
    assert_eq!((after.get_depth(), after.get_mode(), after.get_wake()), (7, 0o600, Wake::Always));
    assert_eq!(
        (after.get_reserve_publishers(), after.get_clock()),
        (2, saltus_channel::clock::Clock::Monotonic)
    );
    assert_eq!(after.get_max_message_size(), 2048, "twice the message, and then the next power of two");
    let new = directory.channels().open_channel("c").unwrap();
    assert_eq!(new.descriptions().unwrap(), [what]);
}

#[test]
fn growth_keeps_permissions_that_were_changed_after_the_publisher_opened() {
    use std::os::unix::fs::MetadataExt;
    let directory = Place::new("permissions");
    directory.channels().create("c", &Attributes::new().max_message_size(100).mode(0o644)).unwrap();
    let mut publisher = directory.open().publisher("c").unwrap();
    publish(&mut publisher, 0, 20);
    directory.channels().chmod("c", 0o640).unwrap();
    publish(&mut publisher, 1, 1000);
    assert_eq!(directory.attributes("c").get_mode(), 0o640);
    // A process that may read the channel may also follow it: the link from the old one has the same permissions.
    let (channel, way) = (directory.0.join("c"), directory.0.join("c/old"));
    let group = channel.join("data").metadata().unwrap().gid();
    let ways = std::fs::read_dir(&way).unwrap().map(|entry| entry.unwrap().path()).chain([way.clone()]);
    for dir in ways {
        let meta = dir.metadata().unwrap();
        assert_eq!((meta.mode() & 0o777, meta.gid()), (0o750, group), "{}", dir.display());
    }
}

#[test]
fn growth_gives_the_way_from_the_old_channel_its_group() {
    use std::os::unix::fs::{MetadataExt, chown};
    // SAFETY: no pointer is involved.
    if unsafe { libc::geteuid() } != 0 {
        return eprintln!("NOT RUN: only root may give files a group that it is not in");
    }
    let directory = Place::new("group");
    directory.channels().create("c", &Attributes::new().max_message_size(100).mode(0o640)).unwrap();
    let mut publisher = directory.open().publisher("c").unwrap();
    publish(&mut publisher, 0, 20);
    for entry in std::fs::read_dir(directory.0.join("c")).unwrap() {
        chown(entry.unwrap().path(), None, Some(65_534)).unwrap();
    }
    publish(&mut publisher, 1, 1000);
    for path in ["c", "c/data", "c/old"] {
        assert_eq!(directory.0.join(path).metadata().unwrap().gid(), 65_534, "{path}");
    }
}

#[test]
fn a_depth_is_refused_on_a_channel_without_a_lease_file() {
    let directory = Place::new("lease");
    directory.channels().create("c", &Attributes::new().depth(2)).unwrap();
    std::fs::remove_file(directory.0.join("c/lease")).unwrap();
    let error = directory.open().subscriber_with(exactly("c"), Options::next(1000)).unwrap_err().to_string();
    assert!(error.contains("lease"), "{error}");
}

/// Counts the messages that a subscriber receives from several publishers, each numbered from 0 below the
/// publisher's number.
#[derive(Default)]
struct Account {
    next: std::collections::BTreeMap<u64, u64>,
    received: u64,
    lost: u64,
}

impl Account {
    /// Receives all messages present.
    fn drain(&mut self, subscriber: &mut Subscriber) {
        while let Some((n, _, lost)) = poll(subscriber) {
            self.count(n, lost);
        }
    }
    fn count(&mut self, n: u64, lost: u64) {
        let (of, i) = (n >> 32, n & 0xffff_ffff);
        let next = self.next.entry(of).or_default();
        assert!(i >= *next, "of publisher {of}, {i} came after {next}");
        *next = i + 1;
        (self.received, self.lost) = (self.received + 1, self.lost + lost);
    }
    fn total(&self) -> u64 {
        self.received + self.lost
    }
}

#[test]
fn publishers_that_grow_a_channel_at_once_agree_and_each_ones_order_holds() {
    let directory = Place::new("others");
    let domain = directory.open();
    let mut subscriber = domain.subscriber_with(exactly("c"), Options::next(1 << 16).at_most()).unwrap();
    let publishers: Vec<_> = (0..4_u64)
        .map(|k| {
            let mut publisher = domain.publisher("c").unwrap();
            thread::spawn(move || {
                for i in 0..200 {
                    publish(&mut publisher, k << 32 | i, 64 << (i / 20));
                    thread::sleep(Duration::from_micros(500));
                }
            })
        })
        .collect();
    let (mut account, start) = (Account::default(), Instant::now());
    while account.total() < 800 {
        assert!(start.elapsed() < LONG, "received {}, lost {}", account.received, account.lost);
        account.drain(&mut subscriber);
        thread::sleep(Duration::from_micros(100));
    }
    publishers.into_iter().for_each(|publisher| publisher.join().unwrap());
    thread::sleep(Duration::from_millis(200));
    account.drain(&mut subscriber);
    assert_eq!(account.total(), 800);
    assert!(directory.attributes("c").get_max_message_size() >= 64 << 9);
}

#[test]
fn those_who_wait_follow_a_channel_that_grows() {
    let directory = Place::new("wait");
    let domain = directory.open();
    let mut publisher = domain.publisher("c").unwrap();
    publish(&mut publisher, 0, 100);
    for exact in [true, false] {
        let pattern = if exact { exactly("c") } else { Pattern::all() };
        let mut subscriber = domain.subscriber_with(pattern, Options::next(16).at_most()).unwrap();
        let fd = subscriber.fd().unwrap().as_raw_fd();
        assert!(poll(&mut subscriber).is_some());
        for len in [600, 6000, 60_000].map(|len| if exact { len } else { len * 32 }) {
            let waits = thread::spawn(move || {
                let found = subscriber.receive(LONG).unwrap().map(|message| message.data.len());
                assert!(subscriber.receive(Until::Poll).unwrap().is_none());
                (subscriber, found)
            });
            thread::sleep(Duration::from_millis(20));
            publish(&mut publisher, 1, len);
            let (again, found) = waits.join().unwrap();
            subscriber = again;
            assert_eq!(found, Some(len));
            publish(&mut publisher, 2, len);
            let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
            // SAFETY: one entry, which stays alive across the call.
            assert_eq!(unsafe { libc::poll(&mut poll, 1, LONG.as_millis() as i32) }, 1);
            let start = Instant::now();
            while subscriber.receive(Until::Poll).unwrap().is_none() {
                assert!(start.elapsed() < LONG);
            }
        }
    }
}

#[test]
fn the_newest_is_that_of_the_channel_that_grew() {
    let directory = Place::new("newest");
    let domain = directory.open();
    let (mut publisher, mut idle) = (domain.publisher("c").unwrap(), domain.publisher("c").unwrap());
    publish(&mut idle, 0, 100);
    publish(&mut publisher, 1, 100);
    let mut newest = domain.subscriber("c").unwrap();
    assert_eq!(poll(&mut newest).unwrap().0, 1);
    publish(&mut publisher, 2, 100);
    publish(&mut publisher, 3, 1000);
    publish(&mut publisher, 4, 10_000);
    // The unseen messages of the old channels, then the newest of all, and all counted; `idle` still has the first
    // one open.
    let (mut last, mut total) = (0, 0);
    while let Some((n, _, lost)) = poll(&mut newest) {
        assert!(n > last, "{n} after {last}");
        (last, total) = (n, total + 1 + lost);
    }
    assert_eq!((last, total), (4, 3));
    let again = newest.current(Until::Poll).unwrap().expect("it is still the newest");
    assert_eq!(again.data.len(), 10_000);
}

#[test]
fn growth_has_a_limit_that_the_error_states() {
    let directory = Place::new("end");
    let mut bounded = directory.open_with("?grow=100000").publisher("c").unwrap();
    publish(&mut bounded, 0, 100);
    let error = bounded.publish(&[0; 10_000]).unwrap_err();
    let text = error.to_string();
    assert_eq!(error.code(), 9, "{text}");
    for figure in ["a depth of 16", "10000 B", "100000 B", "saltus mk c --replace", "?grow=196608"] {
        assert!(text.contains(figure), "{figure}: {text}");
    }
    publish(&mut bounded, 1, 100);
    for fixed in ["?grow=0", "?max_message_size=512"] {
        let mut fixed = directory.open_with(fixed).publisher("c").unwrap();
        let error = fixed.publish(&[0; 600]).unwrap_err();
        assert!(error.code() == 4 && error.to_string().contains("--max-size 600"), "{error}");
    }
    assert_eq!(directory.attributes("c").get_max_message_size(), 512);
    // If there is no memory for twice the size, there may be enough for the message.
    let mut tight = directory.open_with("?grow=60000").publisher("d").unwrap();
    publish(&mut tight, 0, 100);
    publish(&mut tight, 1, 2100);
    assert_eq!(directory.attributes("d").get_max_message_size(), 2100);
}

#[test]
fn a_depth_asked_for_holds_whether_the_channel_is_there_or_not() {
    let directory = Place::new("depth");
    let domain = directory.open();
    for (name, exists) in [("new", false), ("old", true)] {
        let mut publisher = domain.publisher(name).unwrap();
        if exists {
            publish(&mut publisher, 0, 100);
            assert_eq!(directory.attributes(name).get_depth(), 16);
        }
        let mut subscriber = domain.subscriber_with(exactly(name), Options::next(1000)).unwrap();
        let first = u64::from(exists);
        (first..3000).for_each(|n| publish(&mut publisher, n, 100));
        assert_eq!(directory.attributes(name).get_depth(), 1000);
        // The earlier message belongs to the channel before; of the others the last thousand are kept. New channels
        // are searched for every 10 ms.
        let first = wait(&mut subscriber);
        let all: Vec<_> = first.into_iter().chain(std::iter::from_fn(|| poll(&mut subscriber))).collect();
        let lost: u64 = all.iter().map(|(_, _, lost)| lost).sum();
        assert_eq!(all.len() as u64 + lost, 3000);
        let waiting: Vec<u64> = all.iter().map(|(n, ..)| *n).filter(|n| *n >= 2000).collect();
        assert_eq!(waiting, (2000..3000).collect::<Vec<_>>());
    }
    assert_eq!(directory.leftovers(), Vec::<String>::new());
}

#[test]
fn a_deepened_channel_keeps_its_newest_for_late_subscribers() {
    let directory = Place::new("late");
    let domain = directory.open();
    publish(&mut domain.publisher("map").unwrap(), 7, 100);
    let deep = domain.subscriber_with(exactly("map"), Options::next(50)).unwrap();
    assert_eq!(directory.attributes("map").get_depth(), 50);
    assert_eq!(poll(&mut domain.subscriber("map").unwrap()), Some((7, 100, 0)));
    assert_eq!(poll(&mut { deep }), Some((7, 100, 0)));
}

#[test]
fn a_depth_that_was_not_asked_for_changes_nothing() {
    let directory = Place::new("unasked");
    let domain = directory.open();
    publish(&mut domain.publisher("c").unwrap(), 0, 100);
    let fixed = directory.open_with("?depth=4");
    let every: [(Pattern, &Domain, Options); 4] = [
        (exactly("c"), &domain, Options::newest()),
        (exactly("c"), &domain, Options::next(1000).at_most()),
        (Pattern::all(), &domain, Options::next(1000)),
        (exactly("c"), &fixed, Options::next(1000)),
    ];
    for (pattern, domain, options) in every {
        domain.subscriber_with(pattern, options).unwrap();
        assert_eq!(directory.attributes("c").get_depth(), 16);
    }
}

#[test]
fn an_absurd_depth_is_refused_at_once_with_figures() {
    let directory = Place::new("absurd");
    let domain = directory.open();
    let refused = |depth| {
        let error = domain.subscriber_with(exactly("c"), Options::next(depth)).unwrap_err();
        let text = error.to_string();
        assert!(
            error.code() == 12 && text.contains(&depth.to_string()) && text.contains("saltus mk c --replace"),
            "{text}"
        );
    };
    refused(u64::MAX);
    publish(&mut domain.publisher("c").unwrap(), 0, 1 << 20);
    refused(1000); // 2 GiB
    assert_eq!(directory.attributes("c").get_depth(), 16);
}

/// Runs in its own process, for the tests that start it: publishes ever longer messages in channel `c`, and records
/// in a file what it has begun and completed.
#[test]
fn grower() {
    let Some(url) = std::env::var_os("SALTUS_TEST_GROWER") else { return };
    let me: u64 = std::env::var("SALTUS_TEST_ME").unwrap().parse().unwrap();
    let notes = std::env::var("SALTUS_TEST_NOTES").unwrap();
    let notes = std::fs::File::options().write(true).open(notes).unwrap();
    let note = |at: u64, value: u64| {
        use std::os::unix::fs::FileExt;
        notes.write_all_at(&value.to_ne_bytes(), at).unwrap();
    };
    let domain = Domain::open(url.to_str().unwrap()).unwrap();
    let mut publisher = domain.publisher("c").unwrap();
    for i in 0..12_000_u64 {
        note(16 * me, i + 1);
        publish(&mut publisher, me << 32 | i, 64 << (i / 4 % 12).min(i));
        note(16 * me + 8, i + 1);
        thread::sleep(Duration::from_micros(300));
    }
}

#[test]
fn growers_killed_at_any_moment_leave_one_channel_that_lives_and_all_is_accounted_for() {
    const GROWERS: u64 = 3;
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for round in 0..20 {
        let directory = Place::new(&format!("killed-{round}"));
        let domain = directory.open();
        let mut subscriber = domain.subscriber_with(exactly("c"), Options::next(1 << 20).at_most()).unwrap();
        std::fs::create_dir_all(&directory.0).unwrap();
        let notes = directory.0.join(".notes");
        std::fs::write(&notes, [0; 16 * GROWERS as usize]).unwrap();
        let mut growers: Vec<_> = (0..GROWERS)
            .map(|me| {
                std::process::Command::new(std::env::current_exe().unwrap())
                    .args(["--exact", "grower", "--test-threads", "1"])
                    .env("SALTUS_TEST_GROWER", directory.url())
                    .env("SALTUS_TEST_ME", me.to_string())
                    .env("SALTUS_TEST_NOTES", &notes)
                    .stdout(std::process::Stdio::null())
                    .spawn()
                    .unwrap()
            })
            .collect();
        let mut account = Account::default();
        let begins = Instant::now();
        while std::fs::read(&notes).unwrap().iter().all(|byte| *byte == 0) {
            assert!(begins.elapsed() < LONG);
            thread::sleep(Duration::from_micros(100));
        }
        let start = Instant::now();
        let deadlines = [(); GROWERS as usize].map(|()| Duration::from_micros(random(40_000)));
        let mut living = GROWERS;
        while living > 0 {
            account.drain(&mut subscriber);
            for (grower, deadline) in growers.iter_mut().zip(deadlines) {
                if start.elapsed() >= deadline && grower.try_wait().unwrap().is_none() {
                    grower.kill().unwrap();
                    grower.wait().unwrap();
                    living -= 1;
                }
            }
            thread::sleep(Duration::from_micros(200));
        }
        // One channel is left: a subscriber that stayed connected receives from a new publisher.
        let mut publisher = domain.publisher("c").unwrap();
        publish(&mut publisher, GROWERS << 32, 300_000);
        assert_eq!(domain.channels().unwrap().len(), 1);
        let until = Instant::now() + LONG;
        while !account.next.contains_key(&GROWERS) {
            assert!(Instant::now() < until, "round {round}: the last message did not come");
            if let Some((n, _, lost)) = wait(&mut subscriber) {
                account.count(n, lost);
            }
            account.drain(&mut subscriber);
        }
        // Messages that a killed process had published in a channel already left, if any.
        thread::sleep(Duration::from_millis(30));
        account.drain(&mut subscriber);
        let notes = std::fs::read(&notes).unwrap();
        let noted = |at: usize| u64::from_ne_bytes(notes[8 * at..][..8].try_into().unwrap());
        let begun: u64 = (0..GROWERS as usize).map(|me| noted(2 * me)).sum();
        let done: u64 = (0..GROWERS as usize).map(|me| noted(2 * me + 1)).sum();
        let total = account.total() - 1;
        assert!(
            (done..=begun).contains(&total),
            "round {round}: {done} to {begun} were published, {total} counted"
        );
    }
}

/// Runs `f` in a child as another user, who may not create files of this one's. Skips if this process is not root.
fn as_nobody(f: impl FnOnce()) {
    // SAFETY: no pointer is involved.
    if unsafe { libc::getuid() } != 0 {
        return;
    }
    // SAFETY: the child runs `f` and exits without returning; the C library makes its allocator usable there.
    unsafe {
        let child = libc::fork();
        assert!(child >= 0);
        if child == 0 {
            let changed = libc::setgid(65_534) == 0 && libc::setuid(65_534) == 0;
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f));
            libc::_exit(if changed && done.is_ok() { 0 } else { 1 });
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        assert_eq!(status, 0, "the child's output is above");
    }
}

#[test]
fn an_unpermitted_replacement_names_the_remedy() {
    let directory = Place::new("nobody");
    let domain = directory.open();
    directory.channels().create("c", &Attributes::new().mode(0o666)).unwrap();
    publish(&mut domain.publisher("c").unwrap(), 0, 100);
    let changed = || directory.0.metadata().unwrap().modified().unwrap();
    as_nobody(|| {
        let mut publisher = domain.publisher("c").unwrap();
        publish(&mut publisher, 1, 100);
        let before = changed();
        let error = publisher.publish(&[0; 600]).unwrap_err();
        assert_eq!(changed(), before, "it allocated a channel that it may not create there");
        assert!(error.code() == 4 && error.to_string().contains("saltus mk"), "{error}");
        publish(&mut publisher, 2, 100);
        let error = domain.subscriber_with(exactly("c"), Options::next(1000)).unwrap_err();
        let text = error.to_string();
        for word in ["it keeps 16", "mk c --replace --depth 1000 --max-size 512", "?depth=1000"] {
            assert!(text.contains(word), "{word}: {text}");
        }
        assert_eq!(error.code(), 8);
        // Without a depth requested, it stays as it was.
        domain.subscriber_with(exactly("c"), Options::next(1000).at_most()).unwrap();
    });
    assert_eq!(
        directory.attributes("c"),
        directory.channels().open_channel("c").unwrap().attributes().clone()
    );
    assert_eq!(directory.attributes("c").get_max_message_size(), 512);
}

#[test]
fn a_shallow_channel_created_later_is_reported_once() {
    let directory = Place::new("later");
    let domain = directory.open();
    let mut subscriber = domain.subscriber_with(exactly("c"), Options::next(1000)).unwrap();
    // A program without knowledge of the request creates it with messages too long for that depth.
    directory
        .channels()
        .create("c", &Attributes::new().max_message_size(8 << 20).reserve_publishers(1))
        .unwrap();
    publish(&mut domain.publisher("c").unwrap(), 3, 100);
    let error = subscriber.receive(LONG).unwrap_err();
    assert!(error.code() == 12 && error.to_string().contains("1000 messages"), "{error}");
    assert_eq!(wait(&mut subscriber), Some((3, 100, 0)));
}

#[test]
fn a_channel_that_root_makes_larger_still_belongs_to_its_owner() {
    let directory = Place::new("owner");
    let domain = directory.open();
    as_nobody(|| publish(&mut domain.publisher("c").unwrap(), 0, 100));
    if !directory.0.exists() {
        return; // not root
    }
    publish(&mut domain.publisher("c").unwrap(), 1, 600);
    as_nobody(|| {
        let mut publisher = domain.publisher("c").unwrap();
        publish(&mut publisher, 2, 600);
        publish(&mut publisher, 3, 60_000);
    });
    let options = Options::next(16).at_most().start(Start::Oldest);
    let mut subscriber = domain.subscriber_with(exactly("c"), options).unwrap();
    let lens: Vec<_> = std::iter::from_fn(|| poll(&mut subscriber)).map(|(_, len, _)| len).collect();
    assert_eq!(lens, [100, 600, 600, 60_000]);
}

#[test]
fn a_message_in_progress_while_its_channel_grows_is_received_and_counted() {
    let directory = Place::new("stopped");
    let domain = directory.open();
    let mut publisher = domain.publisher("c").unwrap();
    publish(&mut publisher, 0, 100);
    let mut subscriber = domain.subscriber_with(exactly("c"), Options::next(16).at_most()).unwrap();
    assert!(poll(&mut subscriber).is_some());
    let mut stopped = directory.channels().open_channel("c").unwrap().publisher().unwrap();
    let mut loan = stopped.loan(8).unwrap(); // it has checked that the channel is there, and is now stopped
    publish(&mut publisher, 1, 600);
    assert_eq!(poll(&mut subscriber), Some((1, 600, 0)));
    assert_eq!(poll(&mut subscriber), None);
    thread::sleep(Duration::from_millis(50));
    assert_eq!(poll(&mut subscriber), None);
    loan.copy_from_slice(&2_u64.to_le_bytes());
    loan.publish(8).unwrap();
    assert_eq!(poll(&mut subscriber), Some((2, 8, 0)));
    assert!(stopped.loan(8).is_err(), "the channel has ended");
    drop(stopped);
    thread::sleep(Duration::from_millis(50));
    assert_eq!(poll(&mut subscriber), None);
    publish(&mut publisher, 3, 600);
    assert_eq!(poll(&mut subscriber), Some((3, 600, 0)));
}

#[test]
fn a_channel_that_is_replaced_all_the_time_is_found_all_the_time() {
    let directory = Place::new("found");
    let channels = directory.channels();
    let first = channels.create("c", &Attributes::new()).unwrap();
    let ends = Arc::new(AtomicBool::new(false));
    let (theirs, old) = (ends.clone(), first.clone());
    let replaces = thread::spawn(move || {
        let mut old = old;
        let mut frames = 16;
        while !theirs.load(Relaxed) {
            frames = if frames > 500 { 16 } else { frames + 1 };
            let larger = old.attributes().clone().depth(frames);
            old = old.domain().succeed(&old, &larger).unwrap();
        }
    });
    let start = Instant::now();
    let mut old = first;
    while start.elapsed() < Duration::from_secs(1) {
        while !old.is_retired() {
            channels.open_channel("c").unwrap();
        }
        old = old.successor().unwrap();
    }
    ends.store(true, Relaxed);
    replaces.join().unwrap();
}
