//! What a subscriber of many channels in shared memory finds, though it does not read the domain's directory at each look.

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
fn a_pattern_joins_every_channel_however_close_together_they_come() {
    let directory = Directory::new("close");
    let domain = directory.open();
    let mut all = domain.subscriber_with(Pattern::regex("c.*").unwrap(), Options::next(10)).unwrap();
    let makes = thread::spawn(move || {
        for n in 0..150_u64 {
            publish(&domain, &format!("c{n}"), "x");
            // Long enough now and then for the directory to be taken for unchanged.
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
        // It is quiet for long enough to be taken for unchanged, with a subscriber that looks meanwhile.
        assert!(all.receive(Duration::from_millis(200)).unwrap().is_none());
        channels.unlink("c").unwrap();
    }
}

#[test]
fn a_wait_for_several_lasts_as_long_as_it_was_told_and_sleeps_meanwhile() {
    let directory = Directory::new("several");
    let domain = directory.open();
    let mut all = domain.subscriber_with(Pattern::all(), Options::next(10)).unwrap();
    let mut absent = domain.subscriber("not/there/yet").unwrap();
    publish(&domain, "a", "x");
    assert_eq!(wait_any(&mut [&mut all, &mut absent], LONG).unwrap(), Some(0));
    readable(&mut all);
    assert_eq!(next(&mut all), "a x");
    // Its descriptor is still high, since no receive has found nothing yet, and channels are looked for meanwhile.
    let before = (used(), sleeps());
    assert_eq!(wait_any(&mut [&mut all, &mut absent], Duration::from_secs(1)).unwrap(), None);
    let (used, slept) = (used() - before.0, sleeps() - before.1);
    // It looks each 10 ms. Where a virtual machine's host took the processor, that may count as used.
    let sleeps = used < Duration::from_millis(100) || slept > 30;
    assert!(sleeps && slept < 500, "it slept {slept} times, and took {used:?} of the processor");
    publish(&domain, "not/there/yet", "y");
    let found = wait_any(&mut [&mut all, &mut absent], LONG).unwrap();
    assert!(found.is_some_and(|i| [&mut all, &mut absent][i].receive(Until::Poll).unwrap().is_some()));
}

#[test]
fn a_wait_for_nobody_is_refused() {
    assert_eq!(wait_any(&mut [], Until::Forever).unwrap_err().code(), 12);
}

/// Waits until its descriptor is.
fn readable(subscriber: &mut Subscriber) {
    let fd = subscriber.fd().unwrap().as_raw_fd();
    let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, which lives across the call.
    assert_eq!(unsafe { libc::poll(&mut poll, 1, LONG.as_millis() as i32) }, 1);
}

/// Processor time of this thread.
fn used() -> Duration {
    // SAFETY: the call writes the structure, for which zero is a value.
    unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        assert_eq!(libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time), 0);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
}

/// How often this thread went to sleep by itself.
fn sleeps() -> i64 {
    // SAFETY: the call writes the structure, for which zero is a value.
    unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_THREAD, &mut usage), 0);
        usage.ru_nvcsw
    }
}

#[test]
fn every_error_of_a_dispatchers_turn_is_told_and_a_stop_is_told_first() {
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
    // Long enough for all to look for channels that have come, which they do each 10 ms.
    thread::sleep(Duration::from_millis(200));
    dispatcher.run().unwrap(); // that one was told to stop is not lost
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
        // The number of the last message: there is something new, and it is nowhere.
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
