//! What a subscriber of many channels in shared memory finds, though it does not read the domain's directory at each look.

use saltus_domain::{Domain, Options, Pattern, Subscriber};
use std::collections::BTreeSet;
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
fn a_channel_that_takes_the_place_of_another_is_joined_though_the_directory_is_quiet_again() {
    let directory = Directory::new("again");
    let domain = directory.open();
    let mut all = domain.subscriber_with(Pattern::all(), Options::next(10)).unwrap();
    let channels = saltus_channel::Domain::open(domain.url()).unwrap();
    for text in ["first", "second", "third"] {
        publish(&domain, "c", text);
        assert_eq!(next(&mut all), format!("c {text}"));
        // It is quiet for long enough to be taken for unchanged, with a subscriber that looks meanwhile.
        assert!(all.receive(Duration::from_millis(200)).unwrap().is_none());
        channels.unlink("c").unwrap();
    }
}
