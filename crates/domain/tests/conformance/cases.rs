//! Which messages are delivered.

use super::{Loss, World};
use saltus_domain::{
    Error, Keeps, Losses, Missed, Options, Pattern, Publisher, Senders, Start, Subscriber, Until,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::*};
use std::thread;
use std::time::{Duration, Instant};

/// Long enough for a loaded machine; no case waits this long when all is well.
pub const LONG: Duration = Duration::from_secs(20);
/// Long enough to show that no message arrives.
pub const SHORT: Duration = Duration::from_millis(50);

pub fn number(n: u64) -> [u8; 8] {
    n.to_le_bytes()
}
pub fn of(data: &[u8]) -> u64 {
    u64::from_le_bytes(data.try_into().unwrap())
}
pub fn next(subscriber: &mut Subscriber) -> Vec<u8> {
    subscriber.receive(LONG).unwrap().expect("a message in time").data.to_vec()
}
/// Waits until the message that begins with `last` has arrived at all subscribers of a domain, of which `watch` is
/// one.
pub fn until_there(watch: &mut Subscriber, last: u64) {
    while of(&next(watch)[..8]) < last {}
}
/// Publishes. A hub that could not run for too long refuses: then it tries again.
pub fn publish(publisher: &mut Publisher, message: &[u8]) {
    let start = Instant::now();
    while let Err(why) = publisher.publish(message) {
        assert!(matches!(why, Error::Network(_)) && start.elapsed() < LONG, "{why}");
        thread::sleep(Duration::from_millis(1));
    }
}
pub fn all(depth: u64) -> Options {
    Options::next(depth)
}
pub fn named(name: &str) -> Pattern {
    Pattern::name(name).unwrap()
}

pub fn a_publishers_order_is_kept(world: &World) {
    let (here, there) = (world.open(), world.open());
    let mut subscriber = there.subscriber_with(named("order"), all(16)).unwrap();
    let mut publisher = here.publisher("order").unwrap();
    world.settle(&here, &there);
    for batch in 0..200 {
        for n in 0..10 {
            publisher.publish(&number(batch * 10 + n)).unwrap();
        }
        for n in 0..10 {
            assert_eq!(of(&next(&mut subscriber)), batch * 10 + n);
        }
    }
}

pub fn the_newest_comes_first_after_a_pause(world: &World) {
    let (here, there) = (world.open(), world.open());
    let mut subscriber = there.subscriber("newest").unwrap();
    let mut watch = there.subscriber("newest").unwrap();
    let mut publisher = here.publisher("newest").unwrap();
    world.settle(&here, &there);
    for n in 1..=100 {
        publisher.publish(&number(n)).unwrap();
    }
    until_there(&mut watch, 100);
    let message = subscriber.receive(LONG).unwrap().unwrap();
    assert_eq!(of(message.data), 100);
    assert_eq!((message.missed.count(), message.dropped), (world.none_missed(), 99));
    assert!(subscriber.receive(Until::Poll).unwrap().is_none());
    assert_eq!(of(subscriber.current(Until::Poll).unwrap().unwrap().data), 100);
}

pub fn no_more_than_the_depth_waits_and_the_rest_is_counted(world: &World) {
    let (here, there) = (world.open(), world.open());
    let mut subscriber = there.subscriber_with(named("depth"), all(3)).unwrap();
    let mut deep = there.subscriber_with(named("depth"), all(10)).unwrap();
    let mut watch = there.subscriber("depth").unwrap();
    let mut publisher = here.publisher("depth").unwrap();
    world.settle(&here, &there);
    for n in 1..=13 {
        publisher.publish(&number(n)).unwrap();
    }
    until_there(&mut watch, 13);
    for (subscriber, first) in [(&mut subscriber, 11), (&mut deep, 4)] {
        let message = subscriber.receive(LONG).unwrap().unwrap();
        assert_eq!((of(message.data), message.dropped), (first, first - 1));
        for n in first + 1..=13 {
            assert_eq!(of(&next(subscriber)), n);
        }
        assert!(subscriber.receive(Until::Poll).unwrap().is_none());
    }
}

/// The messages received, missed and dropped sum up to those published, where that is promised.
pub fn what_is_lost_is_told_as_promised(world: &World) {
    const MANY: u64 = 20_000;
    let (here, there) = (world.open(), world.open());
    let mut subscriber = there.subscriber_with(named("loss"), all(8)).unwrap();
    let mut publisher = here.publisher("loss").unwrap();
    world.settle(&here, &there);
    let sender = thread::spawn(move || {
        for n in 1..=MANY {
            publish(&mut publisher, &number(n));
        }
        publisher
    });
    let (mut received, mut loss_counts, mut last) = (0, 0, 0);
    // The last message may be lost in transit as well; more messages reveal that.
    let (mut sender, mut late, start) = (Some(sender), None, Instant::now());
    let mut more = MANY;
    while last < MANY {
        match subscriber.receive(Duration::from_millis(200)).unwrap() {
            Some(message) => {
                let n = of(message.data);
                assert!(n > last, "{n} after {last}");
                let missed = message.missed.count().unwrap_or(0);
                match world.loss() {
                    Loss::Exact => assert!(matches!(message.missed, Missed::Exact(_))),
                    Loss::OfSender => assert!(matches!(message.missed, Missed::OfSender(_))),
                    Loss::Unknown => assert_eq!(message.missed, Missed::Unknown),
                }
                (received, loss_counts, last) = (received + 1, loss_counts + missed + message.dropped, n);
                let known = received + loss_counts;
                assert!(
                    known == last || world.traits().losses == Losses::Nothing && known < last,
                    "{known} at message {n}"
                );
            }
            None => {
                assert!(start.elapsed() < 2 * LONG, "{last} of {MANY} messages");
                more += 1;
                late = sender.take().map(|sender| sender.join().unwrap()).or(late);
                publish(late.as_mut().unwrap(), &number(more));
            }
        }
    }
}

/// Nor does a later subscriber miss it, if the publisher was known before.
pub fn what_came_while_nobody_subscribed_is_not_missed(world: &World) {
    let (here, there) = (world.open(), world.open());
    let mut publisher = here.publisher("again").unwrap();
    for _ in 0..2 {
        let mut subscriber = there.subscriber_with(named("again"), all(200).start(Start::Now)).unwrap();
        world.settle(&here, &there);
        publisher.publish(&number(1)).unwrap();
        let message = subscriber.receive(LONG).unwrap().expect("a message");
        assert!(message.missed.count().is_none_or(|missed| missed == 0), "{:?}", message.missed);
        drop(subscriber);
        for _ in 0..100 {
            publisher.publish(&number(2)).unwrap();
        }
        world.settle(&here, &there); // else the next subscriber may receive some of them, and miss those that a busy network lost
    }
}

pub fn patterns_match_whole_names_and_pick_up_late_channels(world: &World) {
    let (here, there) = (world.open(), world.open());
    let mut subscriber = there.subscriber_with(Pattern::regex("ARM_[0-9]+").unwrap(), all(10)).unwrap();
    world.settle(&here, &there);
    let mut round = 0;
    let mut publish = || {
        round += 1;
        for name in ["ARM_1", "ARM_1_X", "XARM_1", "ARM_22", "arm_3"] {
            here.publisher(name).unwrap().publish(&[&number(round), name.as_bytes()].concat()).unwrap();
        }
        round
    };
    let mut last = publish();
    if world.traits().discovery.finds_channels_slowly() {
        while subscriber.channels().len() < 2 {
            while subscriber.receive(SHORT).unwrap().is_some() {}
            publish();
        }
        last = publish();
    }
    let mut got = Vec::new();
    let mut time = LONG;
    while let Some(message) = subscriber.receive(time).unwrap() {
        let (round, name) = message.data.split_at(8);
        assert_eq!(message.channel.as_bytes(), name);
        // Messages of earlier rounds may still be in transit.
        if of(round) == last {
            got.push(message.channel.to_string());
        }
        time = if got.len() < 2 { LONG } else { SHORT };
    }
    got.sort();
    assert_eq!(got, ["ARM_1", "ARM_22"]);
    let mut names: Vec<String> = subscriber.channels().iter().map(ToString::to_string).collect();
    names.sort();
    assert_eq!(names, ["ARM_1", "ARM_22"]);
}

pub fn several_channels_come_in_the_order_of_publication(world: &World) {
    if !world.traits().orders_channels {
        return; // documented in the guide
    }
    let (here, there) = (world.open(), world.open());
    let mut publishers: Vec<_> = (0..5).map(|i| here.publisher(format!("channel_{i}")).unwrap()).collect();
    let mut subscriber = there.subscriber_with(Pattern::regex("channel_.*").unwrap(), all(16)).unwrap();
    world.settle(&here, &there);
    // All channels exist and are joined before their order counts.
    publishers.iter_mut().for_each(|publisher| publisher.publish(&number(0)).unwrap());
    (0..5).for_each(|_| drop(next(&mut subscriber)));
    for n in 0..40 {
        publishers[(n * 7 % 5) as usize].publish(&number(n)).unwrap();
    }
    for n in 0..40 {
        assert_eq!(of(&next(&mut subscriber)), n);
    }
}

pub fn who_joins_late_gets_what_the_transport_keeps(world: &World) {
    let (here, there) = (world.open(), world.open());
    let mut publisher = here.publisher("late").unwrap();
    for n in 1..=5 {
        publisher.publish(&number(n)).unwrap();
    }
    let mut newest = there.subscriber("late").unwrap();
    let mut now = there.subscriber_with(named("late"), all(16).start(Start::Now)).unwrap();
    let mut oldest = there.subscriber_with(named("late"), all(16).start(Start::Oldest)).unwrap();
    world.settle(&here, &there);
    if world.traits().keeps == Keeps::Recent {
        assert_eq!(of(&next(&mut newest)), 5);
        (1..=5).for_each(|n| assert_eq!(of(&next(&mut oldest)), n));
    }
    publisher.publish(&number(6)).unwrap();
    for subscriber in [&mut newest, &mut now, &mut oldest] {
        let mut message = subscriber.receive(LONG).unwrap().unwrap();
        if world.traits().keeps == Keeps::Some {
            while of(message.data) < 6 {
                message = subscriber.receive(LONG).unwrap().unwrap();
            }
            assert_eq!(of(message.data), 6);
            continue;
        }
        // Earlier losses of a sender that is heard for the first time are unknown.
        let missed = if world.loss() == Loss::OfSender { None } else { world.none_missed() };
        assert_eq!((of(message.data), message.missed.count(), message.dropped), (6, missed, 0));
    }
}

/// A message whose bytes reveal whether it is whole.
pub fn pattern(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| (i.wrapping_mul(31).wrapping_add(i >> 9).wrapping_add(seed)) as u8).collect()
}

pub fn large_messages_come_whole(world: &World) {
    let (here, there) = (world.open(), world.open());
    let mut subscriber = there.subscriber_with(named("large"), all(4)).unwrap();
    let mut publisher = here.publisher("large").unwrap();
    world.settle(&here, &there);
    for n in 0..3 {
        let message = pattern(world.large, n);
        publish(&mut publisher, &message);
        assert!(next(&mut subscriber) == message, "message {n}");
    }
}

/// Lengths around those at which packets, pages and lanes change. The first message is the longest where it sets
/// the channel's size.
pub fn growing_messages_come_whole(world: &World) {
    let (here, there) = (world.open(), world.open());
    let mut subscriber = there.subscriber_with(named("growing"), all(16)).unwrap();
    let mut publisher = here.publisher("growing").unwrap();
    world.settle(&here, &there);
    let first = pattern(200_000, 1);
    publish(&mut publisher, &first);
    assert!(next(&mut subscriber) == first);
    let around = [1, 472, 512, 1432, 4056, 65_448, 65_491, 65_499, 65_507, 130_974, 131_072, 196_461];
    for len in around.iter().flat_map(|&n: &usize| n.saturating_sub(2)..=n + 2) {
        let message = pattern(len, len);
        publish(&mut publisher, &message);
        assert!(next(&mut subscriber) == message, "{len} B");
    }
}

/// Messages before and after the subscriber's first check arrive equally, of any length.
pub fn nothing_is_lost_where_messages_grow(world: &World) {
    let (here, there) = (world.open(), world.open());
    let mut subscriber = there.subscriber_with(named("grow"), all(16)).unwrap();
    let mut publisher = here.publisher("grow").unwrap();
    world.settle(&here, &there);
    // A channel in shared memory does not grow beyond what its first message asked for.
    let long = if world.traits().describes { 500 } else { 100_000 };
    for len in [5, long, 5, 2 * long / 3, 7] {
        publish(&mut publisher, &pattern(len, len));
    }
    for len in [5, long, 5, 2 * long / 3, 7] {
        let message = subscriber.receive(LONG).unwrap().unwrap();
        assert!(message.data == pattern(len, len), "{len} B");
        assert_eq!((message.missed.count(), message.dropped), (world.none_missed(), 0));
    }
}

pub fn empty_messages_come(world: &World) {
    let (here, there) = (world.open(), world.open());
    let mut subscriber = there.subscriber_with(named("empty"), all(4)).unwrap();
    let mut publisher = here.publisher("empty").unwrap();
    world.settle(&here, &there);
    for _ in 0..3 {
        publisher.publish(b"").unwrap();
        assert_eq!(next(&mut subscriber), b"");
    }
}

pub fn names_of_63_bytes_are_carried(world: &World) {
    let (here, there) = (world.open(), world.open());
    let name = "n".repeat(63);
    let mut subscriber = there.subscriber(&name).unwrap();
    let mut publisher = here.publisher(&name).unwrap();
    world.settle(&here, &there);
    publisher.publish(b"x").unwrap();
    let message = subscriber.receive(LONG).unwrap().unwrap();
    assert_eq!((message.channel.as_bytes(), message.data), (name.as_bytes(), &b"x"[..]));
    for bad in ["", &"n".repeat(64)] {
        assert!(here.publisher(bad).is_err() && there.subscriber(bad).is_err());
    }
}

pub fn two_publishers_are_both_heard(world: &World) {
    let (here, beside, there) = (world.open(), world.open(), world.open());
    let mut subscriber = there.subscriber_with(named("two"), all(16)).unwrap();
    let mut publishers = [here.publisher("two").unwrap(), beside.publisher("two").unwrap()];
    world.settle(&here, &there);
    world.settle(&beside, &there);
    let mut last = [0, 0];
    let mut senders = Vec::new();
    for n in 1..=200 {
        for (i, publisher) in publishers.iter_mut().enumerate() {
            publisher.publish(&number(n * 2 + i as u64)).unwrap();
        }
        for _ in 0..2 {
            let message = subscriber.receive(LONG).unwrap().unwrap();
            let who = (of(message.data) % 2) as usize;
            assert!(of(message.data) > last[who]);
            last[who] = of(message.data);
            senders.push((message.sender, who));
        }
    }
    assert_eq!(last, [400, 401]);
    senders.sort();
    senders.dedup();
    assert_eq!(senders.len(), 2, "publishers are distinguished: {senders:?}");
    assert_eq!(
        senders[0].0 != senders[1].0,
        world.reports_senders(),
        "where the transport reports senders: {senders:?}"
    );
}

pub fn many_subscribers_all_get_everything(world: &World) {
    let (here, there) = (world.open(), world.open());
    let mut publisher = here.publisher("many").unwrap();
    let ready = Arc::new(AtomicU64::new(0));
    let threads: Vec<_> = (0..4)
        .map(|i| {
            let (domain, ready) = (if i < 2 { there.clone() } else { world.open() }, ready.clone());
            let (here, world) = (here.clone(), world.clone());
            thread::spawn(move || {
                let mut subscriber = domain.subscriber_with(named("many"), all(100)).unwrap();
                world.settle(&here, &domain);
                ready.fetch_add(1, SeqCst);
                // A log is read in pieces smaller than what a channel in shared memory keeps.
                (1..=200).for_each(|n| {
                    assert_eq!(of(&next(&mut subscriber)), n);
                    if n % 10 == 0 {
                        ready.fetch_add(1, SeqCst);
                    }
                });
            })
        })
        .collect();
    let wait_for = |count| {
        let start = Instant::now();
        while ready.load(SeqCst) < count {
            assert!(start.elapsed() < LONG);
            thread::sleep(Duration::from_millis(1));
        }
    };
    wait_for(4);
    for n in 1..=200 {
        publisher.publish(&number(n)).unwrap();
        if n % 10 == 0 {
            wait_for(4 + 4 * n / 10);
        }
    }
    threads.into_iter().for_each(|t| t.join().unwrap());
}

pub fn a_publisher_may_come_back(world: &World) {
    let (here, there) = (world.open(), world.open());
    let mut subscriber = there.subscriber_with(named("again"), all(16)).unwrap();
    let mut kept = Vec::new();
    for n in 1..=20 {
        // A new publisher each time, of a new domain every second time.
        let domain = if n % 2 == 0 { world.open() } else { here.clone() };
        let mut publisher = domain.publisher("again").unwrap();
        world.settle(&domain, &there);
        publisher.publish(&number(n)).unwrap();
        let message = subscriber.receive(LONG).unwrap().unwrap();
        assert_eq!((of(message.data), message.missed.count(), message.dropped), (n, world.none_missed(), 0));
        if world.traits().senders == Senders::Ports {
            kept.push(domain);
        }
    }
}
