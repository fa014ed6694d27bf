//! A subscriber to many shared-memory channels finds them, although it does not list the domain's directory at each
//! check.

use saltus_domain::{Dispatcher, Domain, Options, Pattern, Subscriber, Until, wait_any};
use std::collections::BTreeSet;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(60);

struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        Directory(PathBuf::from(format!("/dev/shm/saltus-domain-{name}-{}", std::process::id())))
    }
    fn open(&self) -> Domain {
        Domain::open(&format!("shm://{}", self.0.display())).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // it may not have been made
    }
}

fn publish(domain: &Domain, channel: &str, text: &str) {
    domain.publisher(channel).unwrap().publish(text.as_bytes()).unwrap();
}

/// The next message, as `channel text`.
fn next(subscriber: &mut Subscriber) -> String {
    let message = subscriber.receive(LONG).unwrap().expect("a message in time");
    format!("{} {}", message.channel, String::from_utf8_lossy(message.data))
}

#[test]
fn a_pattern_joins_every_channel_however_quickly_they_are_created() {
    let directory = Directory::new("close");
    let domain = directory.open();
    let mut all = domain.subscriber_with(Pattern::regex("c.*").unwrap(), Options::next(10)).unwrap();
    let makes = thread::spawn(move || {
        for n in 0..150_u64 {
            publish(&domain, &format!("c{n}"), "x");
            // Sometimes long enough for the directory to count as unchanged.
            thread::sleep(Duration::from_micros(if n % 50 == 49 { 200_000 } else { n * 7919 % 3000 }));
        }
    });
    let start = Instant::now();
    let mut found = BTreeSet::new();
    while found.len() < 150 {
        assert!(start.elapsed() < LONG, "only {} came", found.len());
        found.insert(next(&mut all));
    }
    makes.join().unwrap();
}

#[test]
fn a_poll_or_a_short_wait_finds_the_first_message_of_a_channel_that_was_made_a_moment_ago() {
    let directory = Directory::new("fresh");
    let domain = directory.open();
    for n in 0..40 {
        for (i, until) in
            [Until::Poll, Until::For(Duration::from_micros(1)), Until::At(1)].into_iter().enumerate()
        {
            let name = format!("c{n}-{i}");
            let pattern = if n % 2 == 0 { Pattern::name(&name) } else { Pattern::regex(&name) };
            let mut subscriber = domain.subscriber_with(pattern.unwrap(), Options::next(10)).unwrap();
            assert!(subscriber.receive(until).unwrap().is_none());
            publish(&domain, &name, "first");
            assert_eq!(subscriber.receive(until).unwrap().expect("the message").data, b"first");
            assert!(subscriber.receive(until).unwrap().is_none());
        }
    }
}

#[test]
fn a_channel_that_takes_the_place_of_another_is_joined_though_the_directory_is_quiet_again() {
    let directory = Directory::new("again");
    let domain = directory.open();
    let mut all = domain.subscriber_with(Pattern::all(), Options::next(10)).unwrap();
    let channels = saltus_channel::Directory::open(domain.url()).unwrap();
    for text in ["first", "second", "third"] {
        publish(&domain, "c", text);
        assert_eq!(next(&mut all), format!("c {text}"));
        // It is idle for long enough to count as unchanged, while a subscriber checks it.
        assert!(all.receive(Duration::from_millis(200)).unwrap().is_none());
        channels.unlink("c").unwrap();
    }
}

#[test]
fn a_wait_for_several_blocks_until_its_timeout_without_spinning() {
    let directory = Directory::new("several");
    let domain = directory.open();
    let mut all = domain.subscriber_with(Pattern::all(), Options::next(10)).unwrap();
    let mut absent = domain.subscriber("not/there/yet").unwrap();
    publish(&domain, "a", "x");
    assert_eq!(wait_any(&mut [&mut all, &mut absent], LONG).unwrap(), Some(0));
    readable(&mut all);
    assert_eq!(next(&mut all), "a x");
    // Its descriptor is still high, since no receive has found nothing yet, and it searches for channels in the
    // meantime.
    let before = (used(), sleeps());
    assert_eq!(wait_any(&mut [&mut all, &mut absent], Duration::from_secs(1)).unwrap(), None);
    let (used, slept) = (used() - before.0, sleeps() - before.1);
    // It checks every 10 ms. Where a virtual machine's host took the processor, that may count as used.
    let sleeps = used < Duration::from_millis(100) || slept > 30;
    assert!(sleeps && slept < 500, "it slept {slept} times, and took {used:?} of the processor");
    publish(&domain, "not/there/yet", "y");
    let found = wait_any(&mut [&mut all, &mut absent], LONG).unwrap();
    assert!(found.is_some_and(|i| [&mut all, &mut absent][i].receive(Until::Poll).unwrap().is_some()));
}

#[test]
fn a_wait_for_no_subscriber_is_refused() {
    assert_eq!(wait_any(&mut [], Until::Forever).unwrap_err().code(), 12);
}

/// Waits until its descriptor is readable.
fn readable(subscriber: &mut Subscriber) {
    let fd = subscriber.fd().unwrap().as_raw_fd();
    let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, which stays alive across the call.
    assert_eq!(unsafe { libc::poll(&mut poll, 1, LONG.as_millis() as i32) }, 1);
}

/// Processor time of this thread.
fn used() -> Duration {
    // SAFETY: the call writes the structure, for which zeros are valid.
    unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        assert_eq!(libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time), 0);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
}

/// How often this thread blocked voluntarily.
fn sleeps() -> libc::c_long {
    // SAFETY: the call writes the structure, for which zeros are valid.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_THREAD, &mut usage), 0);
        usage.ru_nvcsw
    }
}

#[test]
fn every_error_of_a_dispatcher_cycle_is_returned_after_a_stop() {
    let directory = Directory::new("errors");
    let domain = directory.open();
    let mut dispatcher = Dispatcher::new().unwrap();
    for name in ["a", "b", "c"] {
        let callback = move |_: saltus_domain::Message<'_>, control: &mut saltus_domain::Control| {
            assert_eq!(name, "c");
            control.stop();
        };
        dispatcher.on(domain.subscriber(name).unwrap(), callback).unwrap();
    }
    publish(&domain, "c", "x");
    ["a", "b"].iter().for_each(|name| std::fs::write(directory.0.join(name), [7; 4096]).unwrap());
    // Long enough for all to search for new channels, which they do every 10 ms.
    thread::sleep(Duration::from_millis(200));
    dispatcher.run().unwrap(); // a stop that was requested is not lost
    ["a", "b"].iter().for_each(|name| std::fs::remove_file(directory.0.join(name)).unwrap());
    for name in ["a", "b"] {
        let error = dispatcher.handle(Until::Poll).unwrap_err();
        assert!(error.to_string().contains(&format!("channel `{name}`")), "{error}");
    }
    assert_eq!(dispatcher.handle(Until::Poll).unwrap(), 0);
}

#[test]
fn a_wait_ends_in_time_and_can_be_canceled_though_a_channel_is_damaged() {
    let directory = Directory::new("damaged");
    let domain = directory.open();
    publish(&domain, "A", "x");
    for options in [Options::newest(), Options::next(10)] {
        let mut subscriber = domain.subscriber_with(Pattern::regex("A|B").unwrap(), options).unwrap();
        // The number of the last message: there seems to be a new one, but none is stored.
        use std::os::unix::fs::FileExt;
        let data = std::fs::File::options().write(true).open(directory.0.join("A/data")).unwrap();
        data.write_all_at(&1023u64.to_ne_bytes(), 8192).unwrap();
        let start = Instant::now();
        for _ in 0..3 {
            let got =
                subscriber.receive(Duration::from_millis(60)).unwrap().map(|message| message.data.to_vec());
            assert!(got.is_none_or(|data| data == b"x"));
        }
        assert!(start.elapsed() < LONG / 2, "{:?}", start.elapsed());
        let cancel = subscriber.cancel_handle();
        let canceler = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            cancel.cancel();
        });
        while subscriber.receive(Until::Forever).is_ok() {}
        canceler.join().unwrap();
        data.write_all_at(&1u64.to_ne_bytes(), 8192).unwrap();
    }
}

fn cut(domain: &saltus_channel::Directory, channel: &str) {
    let data = domain.path().join(channel).join("data");
    std::fs::File::options().write(true).open(data).unwrap().set_len(0).unwrap();
}

#[test]
fn a_truncated_channel_is_reported_once_and_its_replacement_followed() {
    let directory = Directory::new("cut");
    let domain = directory.open();
    let mut subscriber = domain.subscriber_with(Pattern::name("imu").unwrap(), Options::next(10)).unwrap();
    let mut publisher = domain.publisher("imu").unwrap();
    publisher.publish(b"one").unwrap();
    assert_eq!(next(&mut subscriber), "imu one");
    let channels = saltus_channel::Directory::open(domain.url()).unwrap();
    cut(&channels, "imu");
    let error = publisher.publish(b"two").unwrap_err().to_string();
    assert!(error.contains("imu") && error.contains("mk --replace"), "{error}");
    let error = subscriber.receive(LONG).unwrap_err().to_string();
    assert!(error.contains("imu") && error.contains("mk --replace"), "{error}");
    channels.replace("imu", &saltus_channel::Attributes::new()).unwrap();
    publisher.publish(b"three").unwrap();
    assert_eq!(next(&mut subscriber), "imu three");
}

#[test]
fn a_pattern_continues_while_one_channel_is_truncated() {
    let directory = Directory::new("cut-one");
    let domain = directory.open();
    let mut all = domain.subscriber_with(Pattern::all(), Options::next(10)).unwrap();
    publish(&domain, "zzz", "stranger");
    assert_eq!(next(&mut all), "zzz stranger");
    publish(&domain, "imu", "one");
    assert_eq!(next(&mut all), "imu one");
    let channels = saltus_channel::Directory::open(domain.url()).unwrap();
    cut(&channels, "zzz");
    for text in ["two", "three", "four"] {
        thread::sleep(Duration::from_millis(150));
        publish(&domain, "imu", text);
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < LONG);
            match all.receive(LONG) {
                Ok(Some(message)) => break assert_eq!(message.data, text.as_bytes()),
                Ok(None) => panic!("nothing came"),
                Err(e) => assert!(e.to_string().contains("zzz"), "{e}"), // it cannot be opened any more
            }
        }
    }
}

#[test]
fn a_search_on_request_finds_a_channel_that_was_just_created() {
    let directory = Directory::new("request");
    let domain = directory.open();
    publish(&domain, "a", "old");
    let mut all = domain.subscriber_with(Pattern::all(), Options::next(10)).unwrap();
    for n in 0..20 {
        publish(&domain, &format!("c{n}"), "x");
        all.join_new_channels().unwrap();
        let found = || all.receive(Until::Poll).unwrap().map(|message| message.channel.to_string());
        let found: Vec<String> = std::iter::from_fn(found).collect();
        assert!(found.contains(&format!("c{n}")), "{n}: {found:?}");
    }
}
