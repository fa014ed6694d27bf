//! Ways to receive: callbacks, waits, descriptors, types.

use super::{LONG, SHORT, World, all, named, next, number, of, pattern, publish, until_there};
use saltus_domain::{Dispatcher, Error, Pattern, RawMessage, Start, TypedSubscriber, Until};
use saltus_wire::{Body, DecodeError, EncodeError, Message, Reader, Writer};
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::thread;
use std::time::{Duration, Instant};

pub fn unsubscribing_in_a_callback_is_fine(world: &World) {
    let (here, there) = (world.open(), world.open());
    let counts = [const { AtomicU64::new(0) }; 3];
    let subscribe = || there.subscriber_with(named("unsubscribe"), all(16)).unwrap();
    let count = |i: usize| {
        counts[i].fetch_add(1, Relaxed);
    };
    let mut dispatcher = Dispatcher::new().unwrap();
    let other = dispatcher.on(subscribe(), |_, _| count(0)).unwrap();
    dispatcher
        .on(subscribe(), move |_, control| {
            count(1);
            control.unsubscribe(control.id());
            control.unsubscribe(other);
        })
        .unwrap();
    dispatcher
        .on(subscribe(), |message, control| {
            count(2);
            if of(message.data) == 5 {
                control.stop();
            }
        })
        .unwrap();
    let mut watch = subscribe();
    let mut publisher = here.publisher("unsubscribe").unwrap();
    world.settle(&here, &there);
    for n in 1..=5 {
        publisher.publish(&number(n)).unwrap();
    }
    until_there(&mut watch, 5);
    dispatcher.run().unwrap();
    let counts = counts.each_ref().map(|count| count.load(Relaxed));
    assert_eq!((counts, dispatcher.len()), ([1, 1, 5], 1));
}

pub fn a_slow_callback_gets_the_newest_afterwards(world: &World) {
    let (here, there) = (world.open(), world.open());
    let [mut subscriber, mut watch] = ["slow"; 2].map(|name| there.subscriber(name).unwrap());
    let mut publisher = here.publisher("slow").unwrap();
    world.settle(&here, &there);
    let long = |n| [&number(n)[..], &pattern(1000, 8)].concat();
    publisher.publish(&long(0)).unwrap();
    assert_eq!(next(&mut subscriber), long(0));
    let (stop, published, start) = (AtomicU64::new(0), AtomicU64::new(0), Instant::now());
    thread::scope(|s| {
        s.spawn(|| {
            let mut n = 0;
            while stop.load(Acquire) == 0 && start.elapsed() < 3 * LONG {
                n += 1;
                publish(&mut publisher, &long(n));
                publish(&mut publisher, &number(n));
                published.store(n, Release);
                thread::sleep(Duration::from_micros(500));
            }
        });
        let mut last = 0;
        for _ in 0..3 {
            thread::sleep(Duration::from_secs(1)); // the callback
            while published.load(Acquire) <= last && start.elapsed() < 3 * LONG {
                thread::sleep(Duration::from_millis(1));
            }
            let before = published.load(Acquire);
            until_there(&mut watch, before);
            let message = subscriber.receive(LONG).unwrap().unwrap();
            let n = of(&message.data[..8]);
            assert!(n >= before && n > last, "{n}, though {before} was published before");
            last = n;
        }
        stop.store(1, Release);
    });
}

pub fn waits_end_in_time(world: &World) {
    let domain = world.open();
    let mut one = domain.subscriber("nobody").unwrap();
    let mut many = domain.subscriber_with(Pattern::all(), all(1)).unwrap();
    for subscriber in [&mut one, &mut many] {
        let start = Instant::now();
        assert!(subscriber.receive(Until::Poll).unwrap().is_none());
        assert!(subscriber.receive(SHORT).unwrap().is_none());
        let took = start.elapsed();
        assert!(took >= SHORT && took < LONG, "{took:?}");
    }
}

pub fn waits_are_called_off(world: &World) {
    let domain = world.open();
    for pattern in [named("nobody"), Pattern::all()] {
        let mut subscriber = domain.subscriber_with(pattern, all(1)).unwrap();
        let cancel = subscriber.cancel_handle();
        let theirs = cancel.clone();
        let thread = thread::spawn(move || {
            thread::sleep(SHORT);
            theirs.cancel();
        });
        assert!(matches!(subscriber.receive(LONG), Err(Error::Canceled)));
        thread.join().unwrap();
        assert!(matches!(subscriber.receive(LONG), Err(Error::Canceled)), "it stays canceled");
        cancel.reset();
        assert!(subscriber.receive(SHORT).unwrap().is_none());
    }
}

/// Whether a descriptor becomes readable in time.
fn readable(fd: std::os::fd::BorrowedFd<'_>, time: Duration) -> bool {
    use std::os::fd::AsRawFd;
    let mut poll = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one structure that stays alive across the call.
    unsafe { libc::poll(&mut poll, 1, time.as_millis() as i32) == 1 }
}

pub fn a_descriptor_is_readable_when_there_is_something(world: &World) {
    let (here, there) = (world.open(), world.open());
    for pattern in [named("poll"), Pattern::all()] {
        let mut publisher = here.publisher("poll").unwrap();
        let mut subscriber = there.subscriber_with(pattern, all(16).start(Start::Now)).unwrap();
        world.settle(&here, &there);
        for n in 1..=20 {
            while let Some(message) = subscriber.receive(Until::Poll).unwrap() {
                assert_ne!(message.channel.as_bytes(), b"poll", "only a probe may still arrive");
            }
            publisher.publish(&number(n)).unwrap();
            // A few spurious wakes are allowed, but it must not miss the message.
            let start = Instant::now();
            loop {
                assert!(readable(subscriber.fd().unwrap(), LONG), "message {n}");
                match subscriber.receive(Until::Poll).unwrap() {
                    Some(message) if message.channel.as_bytes() == b"poll" => {
                        break assert_eq!(of(message.data), n);
                    }
                    _ => {}
                }
                assert!(start.elapsed() < LONG);
            }
        }
    }
}

/// Two types, as generated code would define them.
#[derive(Debug, Default, PartialEq)]
struct Number<const V: u64> {
    value: f64,
}
impl<const V: u64> Body for Number<V> {
    const MIN_SIZE: usize = 8;
    fn body_size(&self) -> usize {
        8
    }
    fn write(&self, out: &mut Writer<'_>) -> Result<(), EncodeError> {
        out.double(self.value)
    }
    fn read(&mut self, from: &mut Reader<'_>) -> Result<(), DecodeError> {
        self.value = from.double()?;
        Ok(())
    }
}
impl Message for Number<1> {
    const NAME: &'static str = "number_t";
    const FINGERPRINT: u64 = 1;
    const SCHEMA: &'static str = "struct number_t { double value; }";
}
impl Message for Number<2> {
    const NAME: &'static str = "number_t";
    const FINGERPRINT: u64 = 2;
    const SCHEMA: &'static str = "struct number_t { double value; int32_t unit; }";
}

pub fn another_type_is_reported_once(world: &World) {
    let (here, there) = (world.open(), world.open());
    let mut subscriber: TypedSubscriber<Number<1>> = there.subscriber_of(named("typed"), all(16)).unwrap();
    let mut other = here.publisher_of::<Number<2>>("typed").unwrap();
    let mut right = here.publisher_of::<Number<1>>("typed").unwrap();
    world.settle(&here, &there);
    other.publish(&Number { value: 1.0 }).unwrap();
    match subscriber.receive(LONG) {
        Err(Error::Type { channel, expected, found }) => {
            assert_eq!((channel.as_bytes(), expected.as_str()), (&b"typed"[..], "number_t"));
            // Where a channel can store descriptions, the difference is reported.
            let printed = if world.traits().describes {
                "field `unit` (int32_t) was added"
            } else {
                "0000000000000002"
            };
            assert!(found.contains(printed), "{found}");
        }
        other => panic!("{other:?}"),
    }
    other.publish(&Number { value: 2.0 }).unwrap();
    right.publish(&Number { value: 3.0 }).unwrap();
    let message = subscriber.receive(LONG).unwrap().unwrap();
    assert_eq!(message.message.value, 3.0);
    assert_eq!(subscriber.mismatched(), 2);
}

pub fn whose_bytes_are_taken_out_is_followed_by_a_whole_one(world: &World) {
    let (here, there) = (world.open(), world.open());
    let mut publisher = here.publisher("taken").unwrap();
    for asked in [named("taken"), Pattern::regex("tak.n").unwrap()] {
        let mut subscriber = there.subscriber_with(asked, all(16).start(Start::Now)).unwrap();
        world.settle(&here, &there);
        for n in 1..=3 {
            publish(&mut publisher, &number(n));
            let message = subscriber.receive(LONG).unwrap().expect("a message in time");
            assert_eq!((of(message.data), message.channel.as_bytes()), (n, &b"taken"[..]));
            let (data, channel, arrived) = (message.data.as_ptr(), message.channel, message.arrived);
            let (channel, sequence) = (channel.as_bytes().as_ptr(), message.sequence);
            // The C layout is the same message, at the same address.
            let raw = *subscriber.last_raw().expect("the same");
            assert_eq!(
                (raw.data, raw.len, raw.channel, raw.channel_len),
                (data.cast(), 8, channel.cast(), 5)
            );
            assert_eq!((raw.arrived_ns, raw.sequence), (arrived, sequence.unwrap_or(RawMessage::UNKNOWN)));
            let (bytes, skip) = subscriber.take_last();
            assert_eq!(of(&bytes[skip..]), n);
            assert!(subscriber.last().is_none() && subscriber.last_raw().is_none());
        }
    }
}

pub fn handles_close_in_any_order(world: &World) {
    let domain = world.open();
    let mut subscriber = domain.subscriber("close").unwrap();
    let mut publisher = domain.publisher("close").unwrap();
    world.settle(&domain, &domain);
    drop(domain);
    publisher.publish(&number(1)).unwrap();
    assert_eq!(of(&next(&mut subscriber)), 1);
    drop(publisher);
    assert!(subscriber.receive(SHORT).unwrap().is_none());
    drop(subscriber);
}
