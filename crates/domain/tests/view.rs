//! A message viewed in place is as the publisher left it, or is reported otherwise; and its memory stays valid.

use saltus_domain::{Domain, Options, Pattern, Subscriber, Until, View};
use std::path::PathBuf;
use std::time::Duration;

struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        Directory(PathBuf::from(format!("/dev/shm/saltus-view-{name}-{}", std::process::id())))
    }
    /// A domain with four frames per channel.
    fn open(&self) -> Domain {
        Domain::open(&format!("shm://{}?depth=4", self.0.display())).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // it may not have been made
    }
}

fn bytes(view: &View) -> Vec<u8> {
    // SAFETY: `len` bytes are readable while the view lives; nothing is published at the same time in these tests.
    (0..view.len()).map(|i| unsafe { view.as_ptr().add(i).read_volatile() }).collect()
}

fn look(subscriber: &mut Subscriber) -> View {
    // The subscriber may have to find the channel first.
    subscriber.view(Until::For(Duration::from_secs(60))).unwrap().expect("a message in time")
}

#[test]
fn a_view_returns_what_a_receive_would() {
    let directory = Directory::new("reports");
    for domain in [directory.open(), Domain::open("mem://").unwrap()] {
        let mut subscriber = domain.subscriber_with(Pattern::name("x").unwrap(), Options::next(100)).unwrap();
        let mut publisher = domain.publisher("x").unwrap();
        assert!(subscriber.view(Until::Poll).unwrap().is_none());
        for text in ["one", "two", ""] {
            publisher.publish(text.as_bytes()).unwrap();
        }
        for text in ["one", "two", ""] {
            let view = look(&mut subscriber);
            assert_eq!((bytes(&view), view.is_empty()), (text.into(), text.is_empty()));
            let message = subscriber.validate(&view).unwrap();
            assert_eq!((message.channel.to_string().as_str(), message.missed.count()), ("x", Some(0)));
        }
        assert!(subscriber.view(Until::Poll).unwrap().is_none());
    }
}

#[test]
fn a_view_overwritten_while_read_is_reported_and_counted() {
    let directory = Directory::new("overwritten");
    let domain = directory.open();
    let mut subscriber = domain.subscriber_with(Pattern::name("x").unwrap(), Options::next(100)).unwrap();
    let mut publisher = domain.publisher("x").unwrap();
    publisher.publish(b"0").unwrap();
    let view = look(&mut subscriber);
    (1..100u8).for_each(|i| publisher.publish(&[i; 512]).unwrap());
    assert_eq!(subscriber.validate(&view).unwrap_err().code(), 5);
    let (mut received, mut missed) = (0, 0);
    while let Some(view) = subscriber.view(Until::Poll).unwrap() {
        let message = subscriber.validate(&view).unwrap();
        received += 1;
        missed += message.missed.count().unwrap() + message.dropped;
    }
    assert_eq!(received + missed, 100);
}

#[test]
fn a_view_is_validated_once_and_by_its_own_subscriber() {
    let directory = Directory::new("once");
    for domain in [directory.open(), Domain::open("mem://").unwrap()] {
        let mut publisher = domain.publisher("x").unwrap();
        publisher.publish(b"before").unwrap(); // there is a message to find immediately
        let subscribe = || domain.subscriber_with(Pattern::name("x").unwrap(), Options::next(100)).unwrap();
        let (mut one, mut other) = (subscribe(), subscribe());
        publisher.publish(b"message").unwrap();
        let (view, theirs) = (look(&mut one), look(&mut other));
        assert_eq!(one.validate(&theirs).unwrap_err().code(), 12);
        one.validate(&view).unwrap();
        assert_eq!(one.validate(&view).unwrap_err().code(), 12);
        other.validate(&theirs).unwrap();
    }
}

#[test]
fn a_view_ends_with_the_next_call_and_its_memory_with_the_last_reference() {
    let directory = Directory::new("ends");
    let domain = directory.open();
    let mut subscriber = domain.subscriber_with(Pattern::name("x").unwrap(), Options::next(100)).unwrap();
    let mut publisher = domain.publisher("x").unwrap();
    publisher.publish(b"one").unwrap();
    publisher.publish(b"two").unwrap();
    let (first, second) = (look(&mut subscriber), look(&mut subscriber));
    assert_eq!(subscriber.validate(&first).unwrap_err().code(), 12);
    subscriber.validate(&second).unwrap();
    let view = look(&mut subscriber);
    assert_eq!(subscriber.receive(Until::Poll).unwrap().expect("it was left unseen").data, b"two");
    assert_eq!(subscriber.validate(&view).unwrap_err().code(), 12);
    drop((subscriber, publisher, domain, directory));
    assert_eq!(bytes(&view), b"two");
}
